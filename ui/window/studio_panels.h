// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <vector>

class QDockWidget;
class QWidget;

namespace meshreel {

class ActivityPanel;
class AttentionPanel;
class BenchPanel;
class ComparePanel;
class DockHost;
class ForesightPanel;
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
class RecentStrip;
class ResultsView;
class RunHistoryModel;
class RunQueue;
class StoryboardDocument;
class StoryboardPanel;
class SweepPanel;
class TargetChoice;
class TimelinePanel;
class TunePanel;
class YamlPanel;

/// What the panels show. All of it outlives them.
struct PanelModels {
    ProjectDocument& document;
    RunHistoryModel& history;
    RunQueue& queue;
    PromptLibrary& prompts;
    TargetChoice& target;
    StoryboardDocument& storyboard;
};

/// What the window is used for at a time, in the order of its tabs.
enum class Workspace { Create, Mesh, Measure, Runs };

/// Where a panel belongs.
enum class PanelPlace {
    Create,
    Mesh,
    Measure,
    Runs,
    Drawer,  ///< below the panels of every workspace, closed at first
};

/// A dock of the drawer, and the height in which its page is read.
struct DrawerPage {
    QDockWidget* dock;
    int height;  ///< device-independent pixels
};

/// The panels of the window: which there are, their names and their first places.
class StudioPanels {
    Q_DECLARE_TR_FUNCTIONS(meshreel::StudioPanels)

  public:
    /// Adds them to `docks`, which owns them, in no order.
    StudioPanels(const PanelModels& models, DockHost& docks);

    /// Puts them in their first places in a workspace: its own are open, the others wait behind them.
    void arrange(Workspace workspace);

    /// Returns the dock that the form's column shows; null without one.
    [[nodiscard]] QDockWidget* form() const;
    /// Within what a form is read well at, whatever the window's width.
    void setFormWidth(int width);
    /// Returns the pages of the drawer, in the order of its buttons.
    [[nodiscard]] std::vector<DrawerPage> drawer() const;
    /// Returns the workspace that holds a panel at first; for a panel of the drawer, `current`.
    [[nodiscard]] Workspace home(const QDockWidget& dock, Workspace current) const;

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
    [[nodiscard]] BenchPanel& bench() const { return *m_bench; }
    [[nodiscard]] ForesightPanel& foresight() const { return *m_foresight; }
    [[nodiscard]] TimelinePanel& timeline() const { return *m_timeline; }
    [[nodiscard]] ModelsPanel& models() const { return *m_models; }
    [[nodiscard]] StoryboardPanel& storyboard() const { return *m_storyboard; }
    [[nodiscard]] RecentStrip& recent() const { return *m_recent; }

  private:
    void add();
    [[nodiscard]] QDockWidget* findDock(const QWidget* panel) const;
    void stack(const std::vector<QWidget*>& panels);
    void putBeside(QWidget* first, QWidget* second);
    void arrangeCreate();
    void arrangeMesh();
    void arrangeMeasure();
    void arrangeRuns();
    /// Whatever is closed opens behind `panel`, and the drawer below it.
    void keepBehind(QWidget* panel);

    DockHost& m_docks;
    std::vector<QDockWidget*> m_drawer;
    std::vector<PanelPlace> m_places;  ///< of the panels in the order of the host's
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
    BenchPanel* m_bench;
    ForesightPanel* m_foresight;
    TimelinePanel* m_timeline;
    ModelsPanel* m_models;
    StoryboardPanel* m_storyboard;
    RecentStrip* m_recent;
};

}  // namespace meshreel
