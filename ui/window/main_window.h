// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include "ui/library/prompt_panel.h"
#include "ui/project/plan_watch.h"
#include "ui/project/prediction_source.h"
#include "ui/project/project_document.h"
#include "ui/project/project_target.h"
#include "ui/project/rate_refinement.h"
#include "ui/project/target_choice.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/run_history_model.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/values/engine_use.h"
#include "ui/window/focused_undo.h"
#include "ui/window/measuring_turns.h"
#include "ui/window/session_keeper.h"
#include "ui/window/storyboard_actions.h"
#include "ui/window/studio_panels.h"

namespace meshreel {

class ConsequencesBar;
class DockHost;
class DrawerBar;
class HistoryActions;
class MessageBanner;
class PathOpener;
class ProjectFiles;
class ProjectLauncher;
class QueueTimes;
class RateDialog;
class RateRefinement;
class RunBar;
class RunPresenter;
class StoryboardFiles;
class Workspaces;

/// The Studio's window: puts the parts together and carries what one of them asks to the others.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a project file, a run folder or a video; shows a message for anything else.
    void openPath(const QString& path);
    /// Brings back what was being edited when the program ended last, and says how many runs wait
    /// unless the queue is going.
    void goOnWithLastSession();
    /// Resumes the queue with its waiting runs.
    void runQueue();
    /// Points at the parts of the window, one after the other.
    void startTour();
    /// The same, once what goOnWithLastSession() asks is answered.
    void startFirstTour();

    [[nodiscard]] ProjectDocument& document() { return m_document; }
    [[nodiscard]] RunHistoryModel& history() { return m_history; }
    [[nodiscard]] RunQueue& queue() { return m_queue; }
    [[nodiscard]] const EngineUse& engine() const { return m_engine; }
    [[nodiscard]] ProjectFiles& files() { return *m_files; }
    [[nodiscard]] StoryboardDocument& storyboard() { return m_storyboard; }
    [[nodiscard]] StoryboardFiles& storyboardFiles() { return *m_storyboardFiles; }
    [[nodiscard]] PlanWatch& planWatch() { return m_planWatch; }
    [[nodiscard]] TargetChoice& target() { return m_target; }
    [[nodiscard]] RunPresenter& runs() { return *m_runs; }
    [[nodiscard]] RateDialog& rating() { return *m_rating; }
    [[nodiscard]] DockHost& docks() { return *m_docks; }
    [[nodiscard]] const StudioPanels& panels() const { return m_panels; }
    [[nodiscard]] MessageBanner& banner() { return *m_banner; }
    [[nodiscard]] ConsequencesBar& consequences() { return *m_consequences; }
    [[nodiscard]] RunBar& runBar() { return *m_runBar; }
    [[nodiscard]] Workspaces& workspaces() { return *m_workspaces; }
    [[nodiscard]] DrawerBar& drawer() { return *m_drawer; }

  signals:
    /// What openPath() was asked for is shown.
    void opened(const QString& path);

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void layOut();
    void addMenus();
    void connectDocument();
    void connectTasks();
    void connectForecast();
    void connectTarget();
    void connectEngine();
    void connectRuns();
    void showRunThatBegins();
    void connectDevices();
    void connectResults();
    void connectComparison();
    void endRepeatsWithTheQueue();
    void connectHistory();
    void compareRuns(const QStringList& folders);
    void rateRuns(const QStringList& folders);
    void compareOpenProject();
    void connectQueue();
    void warnOfLostQueue();
    void connectStudies();
    void connectTimeline();

    void goToSetting(const QString& key);
    void goToFirstProblem();
    void showQueue();
    void askForRunFolder();
    void askForRunsFolder();
    /// Imports a MaxDiffusion config (asks for it when empty) and shows a report first.
    void importProject(const QString& config);
    /// Those that the user keeps; a look of the project is shown by the run seen last.
    void showLooks();
    template <typename Panel>
    void exportPanelChart(const Panel& panel, const QString& file);
    void saveLog(const QString& file);
    void refreshTitle();
    void refreshRunBar();
    void refreshModelCard();

    ProjectDocument m_document;
    StoryboardDocument m_storyboard;
    RunHistoryModel m_history;
    RunQueue m_queue;
    EngineUse m_engine;
    PromptLibrary m_prompts;
    ProjectFiles* m_files;
    StoryboardFiles* m_storyboardFiles;
    PlanWatch m_planWatch;
    TargetChoice m_target;
    ProjectTarget m_projectTarget;
    PredictionSource* m_predictions;
    RateRefinement* m_refinement;
    QueueTimes* m_queueTimes;
    MessageBanner* m_banner;
    DockHost* m_docks;
    StudioPanels m_panels;
    Workspaces* m_workspaces;
    DrawerBar* m_drawer;
    ConsequencesBar* m_consequences;
    RunBar* m_runBar;
    RateDialog* m_rating;
    RunPresenter* m_runs;
    ProjectLauncher* m_launcher;
    PathOpener* m_opener;
    HistoryActions* m_historyActions;
    // End before the documents: panels that float are windows, which close later, and the focus moves then.
    FocusedUndo m_undo;
    MeasuringTurns m_measuring;
    StoryboardActions m_storyboardActions;
    SessionKeeper m_session;
};

}  // namespace meshreel
