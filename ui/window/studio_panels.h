// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

class QWidget;

namespace meshreel {

class ActivityPanel;
class AttentionPanel;
class ComparePanel;
class DockHost;
class HistoryPanel;
class KeyReference;
class MeshPanel;
class ModelCard;
class ModelsPanel;
class NoisePanel;
class ProblemPanel;
class ProjectDocument;
class ProjectEditor;
class PromptLibrary;
class PromptPanel;
class QueuePanel;
class ResultsView;
class RunHistoryModel;
class RunQueue;
class SweepPanel;
class TunePanel;
class YamlPanel;

/// What the panels show. All of it outlives them.
struct PanelModels {
    ProjectDocument& document;
    RunHistoryModel& history;
    RunQueue& queue;
    PromptLibrary& prompts;
};

/// The panels of the window: which there are, what they are called and where they stand at first.
class StudioPanels {
    Q_DECLARE_TR_FUNCTIONS(meshreel::StudioPanels)

  public:
    /// Adds them to `docks`, which owns them, in no order.
    StudioPanels(const PanelModels& models, DockHost& docks);

    /// Puts them where they stand at first, all open.
    void arrange();

    [[nodiscard]] ProjectEditor& editor() const { return *m_editor; }
    [[nodiscard]] ModelCard& modelCard() const { return *m_modelCard; }
    [[nodiscard]] ResultsView& results() const { return *m_results; }
    [[nodiscard]] MeshPanel& mesh() const { return *m_mesh; }
    [[nodiscard]] AttentionPanel& attention() const { return *m_attention; }
    [[nodiscard]] YamlPanel& yaml() const { return *m_yaml; }
    [[nodiscard]] HistoryPanel& history() const { return *m_history; }
    [[nodiscard]] ComparePanel& compare() const { return *m_compare; }
    [[nodiscard]] ProblemPanel& problems() const { return *m_problems; }
    [[nodiscard]] QueuePanel& queue() const { return *m_queue; }
    [[nodiscard]] ActivityPanel& activity() const { return *m_activity; }
    [[nodiscard]] KeyReference& reference() const { return *m_reference; }
    [[nodiscard]] NoisePanel& noise() const { return *m_noise; }
    [[nodiscard]] PromptPanel& prompts() const { return *m_prompts; }
    [[nodiscard]] TunePanel& tune() const { return *m_tune; }
    [[nodiscard]] SweepPanel& sweep() const { return *m_sweep; }
    [[nodiscard]] ModelsPanel& models() const { return *m_models; }

  private:
    void add();

    DockHost& m_docks;
    ProjectEditor* m_editor;
    ModelCard* m_modelCard;
    ResultsView* m_results;
    MeshPanel* m_mesh;
    AttentionPanel* m_attention;
    YamlPanel* m_yaml;
    HistoryPanel* m_history;
    ComparePanel* m_compare;
    ProblemPanel* m_problems;
    QueuePanel* m_queue;
    ActivityPanel* m_activity;
    KeyReference* m_reference;
    NoisePanel* m_noise;
    PromptPanel* m_prompts;
    TunePanel* m_tune;
    SweepPanel* m_sweep;
    ModelsPanel* m_models;
};

}  // namespace meshreel
