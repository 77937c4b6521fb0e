// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include "ui/controller/background.h"
#include "ui/controller/plan_watch.h"
#include "ui/controller/prediction_source.h"
#include "ui/models/project_document.h"
#include "ui/models/run_history_model.h"
#include "ui/prompts/prompt_library.h"
#include "ui/queue/run_queue.h"

namespace meshreel {

class ActivityPanel;
class AttentionPanel;
class ComparePanel;
class ConsequencesBar;
class DevicesPanel;
class DockHost;
class HistoryPanel;
class KeyReference;
class MeshPanel;
class MessageBanner;
class ModelCard;
class ModelsPanel;
class NoisePanel;
class PathOpener;
class ProblemPanel;
class ProjectEditor;
class ProjectFiles;
class PromptPanel;
class QueuePanel;
class ResultsView;
class RunBar;
class RunPresenter;
class SweepPanel;
class TunePanel;
class YamlPanel;

/// The Studio's window: puts the parts together and carries what one of them asks to the others.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A project file, a run folder or a video; says so when it is none of these.
    void openPath(const QString& path);
    /// Points at the parts of the window, one after the other.
    void startTour();

    [[nodiscard]] ProjectDocument& document() { return m_document; }
    [[nodiscard]] RunHistoryModel& history() { return m_history; }
    [[nodiscard]] ProjectFiles& files() { return *m_files; }
    [[nodiscard]] ProjectEditor& editor() { return *m_editor; }
    [[nodiscard]] ResultsView& results() { return *m_results; }
    [[nodiscard]] RunBar& runBar() { return *m_runBar; }
    [[nodiscard]] RunPresenter& runs() { return *m_runs; }
    [[nodiscard]] PlanWatch& planWatch() { return m_planWatch; }
    [[nodiscard]] ConsequencesBar& consequences() { return *m_consequences; }
    [[nodiscard]] ProblemPanel& problems() { return *m_problems; }
    [[nodiscard]] MeshPanel& mesh() { return *m_mesh; }
    [[nodiscard]] HistoryPanel& historyPanel() { return *m_historyPanel; }
    [[nodiscard]] RunQueue& queue() { return m_queue; }
    [[nodiscard]] QueuePanel& queuePanel() { return *m_queuePanel; }
    [[nodiscard]] ActivityPanel& activity() { return *m_activity; }
    [[nodiscard]] DevicesPanel& devices() { return *m_devices; }
    [[nodiscard]] ComparePanel& comparePanel() { return *m_compare; }
    [[nodiscard]] ModelsPanel& modelsPanel() { return *m_models; }
    [[nodiscard]] TunePanel& tunePanel() { return *m_tune; }
    [[nodiscard]] SweepPanel& sweepPanel() { return *m_sweep; }
    [[nodiscard]] DockHost& docks() { return *m_docks; }
    [[nodiscard]] MessageBanner& banner() { return *m_banner; }

  signals:
    /// What openPath() was asked for is shown.
    void opened(const QString& path);

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void layOut();
    void addPanels();
    void arrangePanels();
    void makeMenus();
    void makeRunMenu();
    void makeViewMenu();
    void makeHelpMenu();
    void connectDocument();
    void connectForecast();
    void connectPrediction();
    void connectRuns();
    void connectHistory();
    void connectQueue();
    void connectStudies();
    void restoreLayout();
    void saveLayout() const;

    void run();
    [[nodiscard]] Project projectToRun() const;
    void addToQueue();
    void addGridToQueue();
    void askForRunFolder();
    void importProject();
    template <typename Panel>
    void exportChartOf(const Panel& panel, const QString& file);
    void moveToTrash(const QStringList& folders);
    void refreshHistory();
    void refreshTitle();
    void refreshRunBar();
    void refreshModelCard();
    void showAbout();

    ProjectDocument m_document;
    RunHistoryModel m_history;
    RunQueue m_queue;
    PromptLibrary m_prompts;
    Background m_background;
    ProjectFiles* m_files;
    MessageBanner* m_banner;
    PlanWatch m_planWatch;
    PredictionSource* m_predictions;
    DockHost* m_docks;
    ProjectEditor* m_editor;
    HistoryPanel* m_historyPanel;
    ModelCard* m_modelCard;
    ProblemPanel* m_problems;
    MeshPanel* m_mesh;
    AttentionPanel* m_attention;
    NoisePanel* m_noise;
    YamlPanel* m_yaml;
    ComparePanel* m_compare;
    TunePanel* m_tune;
    SweepPanel* m_sweep;
    ModelsPanel* m_models;
    QueuePanel* m_queuePanel;
    PromptPanel* m_promptPanel;
    ActivityPanel* m_activity;
    DevicesPanel* m_devices;
    KeyReference* m_reference;
    ConsequencesBar* m_consequences;
    RunBar* m_runBar;
    ResultsView* m_results;
    RunPresenter* m_runs;
    PathOpener* m_opener;
    QString m_selectedRun;  ///< to be selected once the history was read again
};

}  // namespace meshreel
