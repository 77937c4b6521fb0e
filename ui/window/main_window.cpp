// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_facts.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/queue/queue_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/attention/attention_panel.h"
#include "ui/compare/compare_panel.h"
#include "ui/drawing/drawing_opener.h"
#include "ui/foresight/foresight_panel.h"
#include "ui/library/import_dialog.h"
#include "ui/library/looks_dialog.h"
#include "ui/library/model_card.h"
#include "ui/library/models_panel.h"
#include "ui/library/prompt_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/noise/noise_panel.h"
#include "ui/player/clip_exporter.h"
#include "ui/player/player_widget.h"
#include "ui/project/prediction_source.h"
#include "ui/project/rate_refinement.h"
#include "ui/project/target_choice.h"
#include "ui/project/task_switch.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/queue_times.h"
#include "ui/rating/rate_dialog.h"
#include "ui/report/report_export.h"
#include "ui/running/activity_panel.h"
#include "ui/running/devices_panel.h"
#include "ui/running/run_bar.h"
#include "ui/running/run_controller.h"
#include "ui/running/run_notices.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/form_notes.h"
#include "ui/settings/key_row.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/task_picker.h"
#include "ui/settings/timed_prompt_table.h"
#include "ui/settings/variations.h"
#include "ui/settings/yaml_panel.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/studies/bench_panel.h"
#include "ui/studies/bench_runner.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tile_tuner.h"
#include "ui/studies/tune_panel.h"
#include "ui/theme/look.h"
#include "ui/timeline/timeline_panel.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/trust_sheet.h"
#include "ui/window/dock_host.h"
#include "ui/window/history_actions.h"
#include "ui/window/main_menu.h"
#include "ui/window/path_opener.h"
#include "ui/window/project_files.h"
#include "ui/window/project_launcher.h"
#include "ui/window/tour.h"
#include "ui/window/workspaces.h"

namespace meshreel {

namespace {

constexpr const char* promptsFile = "prompts.json";
constexpr int mostAskedRuns = 200;  ///< for the model that was used last

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_queue(queueFile()),
      m_prompts(userDataFolder() / promptsFile),
      m_files(new ProjectFiles(m_document, this)),
      m_storyboardFiles(new StoryboardFiles(m_storyboard, this)),
      m_planWatch(m_document, this),
      m_projectTarget(m_document, m_target, this),
      m_predictions(new PredictionSource(this)),
      m_refinement(new RateRefinement(*m_predictions, m_engine, this)),
      m_queueTimes(new QueueTimes(m_queue, this)),
      m_banner(new MessageBanner(this)),
      m_docks(new DockHost(this)),
      m_panels({m_document, m_history, m_queue, m_prompts, m_target, m_storyboard}, *m_docks),
      m_workspaces(new Workspaces(m_panels, *m_docks, this)),
      m_drawer(new DrawerBar(*m_docks, m_panels.drawer(), this)),
      m_consequences(new ConsequencesBar(this)),
      m_runBar(new RunBar(this)),
      m_rating(new RateDialog(this)),
      m_runs(new RunPresenter(*m_runBar, m_panels.results(), *m_banner, this)),
      m_launcher(new ProjectLauncher(m_document, m_planWatch, m_queue, *m_runs, *m_banner, this)),
      m_opener(new PathOpener(
          {m_document, *m_files, *m_runs, m_panels.results(), m_panels.editor(), *m_docks, *m_banner}, this)),
      m_historyActions(
          new HistoryActions({m_panels.history(), m_history, *m_opener, *m_runs, *m_banner}, this)),
      m_undo(m_document.undoStack(), m_storyboard.undoStack(), m_panels.storyboard(), *m_docks),
      m_measuring({*m_predictions, *m_refinement, m_planWatch, *m_queueTimes, m_engine, m_queue, *m_runs,
                   m_panels, *m_consequences, *m_banner}),
      m_storyboardActions({m_storyboard, *m_storyboardFiles, m_document, *m_files, m_panels.storyboard(),
                           *m_docks, *m_opener, *m_runs, m_engine, *m_banner}),
      m_session({*this, m_document, *m_files, m_storyboard, *m_storyboardFiles, m_queue, m_engine, m_panels,
                 *m_docks, *m_workspaces, *m_drawer, *m_banner}) {
    setAcceptDrops(true);
    layOut();
    addMenus();
    connectDocument();
    connectTasks();
    connectForecast();
    connectTarget();
    connectEngine();
    connectRuns();
    connectDevices();
    connectResults();
    connectComparison();
    connectHistory();
    connectQueue();
    connectStudies();
    connectTimeline();
    m_session.restoreLayout();
    refreshTitle();
    refreshRunBar();
    refreshModelCard();
    m_historyActions->refresh();
    tabAsLaidOut(*centralWidget());
    tabBehind(*centralWidget(),
              {&m_workspaces->tabs(), findChild<QToolButton*>(QStringLiteral("queueBadge"))});
    m_panels.editor().focusPrompt();
}

MainWindow::~MainWindow() = default;

void MainWindow::layOut() {
    m_runBar->setOutlook(m_consequences);
    auto* centre = new QWidget(this);
    auto* rows = new QVBoxLayout(centre);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_docks, 1);
    rows->addWidget(m_drawer);
    rows->addWidget(m_runBar);
    setCentralWidget(centre);
    m_banner->setPlaces(&m_panels.results().stage(), m_docks);
}

void MainWindow::addMenus() {
    const auto* menu =
        new MainMenu({m_document, *m_files, *m_storyboardFiles, m_undo.group(), *m_docks, *m_workspaces,
                      m_queue, *m_queueTimes, *m_runs, *m_launcher, *m_predictions, *m_refinement, m_engine},
                     *this);
    connect(menu, &MainMenu::runsFolderRequested, this, &MainWindow::askForRunsFolder);
    connect(menu, &MainMenu::presetRequested, m_opener, &PathOpener::usePreset);
    connect(menu, &MainMenu::runFolderRequested, this, &MainWindow::askForRunFolder);
    connect(menu, &MainMenu::importRequested, this, [this] { importProject({}); });
    connect(menu, &MainMenu::looksRequested, this, &MainWindow::showLooks);
    connect(menu, &MainMenu::rewriteRequested, m_panels.prompts().actions().rewrite, &QAction::trigger);
    connect(menu, &MainMenu::searchRequested, this, [this] {
        m_docks->showPanel(&m_panels.editor());
        m_panels.editor().focusSearch();
    });
    connect(menu, &MainMenu::queueRequested, this, &MainWindow::showQueue);
    connect(menu, &MainMenu::fullScreenRequested, &m_panels.results().player(),
            &PlayerWidget::showFullScreenView);
    connect(menu, &MainMenu::referenceRequested, this, [this] { m_docks->showPanel(&m_panels.reference()); });
    connect(menu, &MainMenu::tourRequested, this, &MainWindow::startTour);
}

void MainWindow::startFirstTour() {
    if (m_banner->asks())
        connect(m_banner, &MessageBanner::answered, this, &MainWindow::startTour,
                static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    else
        startTour();
}

void MainWindow::startTour() {
    if (findChild<Tour*>() != nullptr)
        return;
    auto* tour = new Tour(
        this,
        {{&m_panels.editor(), tr("Say what you want to see"),
          tr("Type a prompt. Every other setting has a default that works; the search box finds each of "
             "them, and everything can be undone.")},
         {m_runBar, tr("See what it takes, then run it"),
          tr("Time, tokens, work and memory follow every change. While something runs, Run queues. Nothing "
             "is lost when the machine is switched off.")},
         {&m_panels.results(), tr("Watch it form"),
          tr("The picture appears while it is made. Runs, videos, pictures and projects can be dropped "
             "here.")},
         {&m_workspaces->tabs(), tr("Four workspaces"),
          tr("Create videos, share the work between devices, compare and measure, and find past runs. Ctrl+1 "
             "to Ctrl+4 switch; View opens every panel. Help has this tour.")}});
    connect(tour, &Tour::ended, this, [this] { m_panels.editor().focusPrompt(); });
}

void MainWindow::connectDocument() {
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshRunBar);
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshModelCard);
    // How a run ended says nothing about another project, nor about another run that is shown.
    connect(&m_document, &ProjectDocument::changed, m_runBar, &RunBar::forgetOutcome);
    connect(m_opener, &PathOpener::opened, m_runBar, &RunBar::forgetOutcome);
    connect(&m_document, &ProjectDocument::replaced, this, &MainWindow::refreshRunBar);
    connect(&m_document, &ProjectDocument::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_document, &ProjectDocument::modifiedChanged, this, &QWidget::setWindowModified);
    connect(m_files, &ProjectFiles::openRequested, m_opener, &PathOpener::open);
    connect(m_opener, &PathOpener::opened, this, &MainWindow::opened);
    connect(&m_storyboardActions, &StoryboardActions::opened, this, &MainWindow::opened);
    // Queued: a dialog inside a drop would keep the program that it came from waiting.
    connect(m_opener, &PathOpener::importRequested, this, &MainWindow::importProject, Qt::QueuedConnection);
    connect(m_files, &ProjectFiles::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(m_files, &ProjectFiles::noted, m_banner, &MessageBanner::showNote);
    connect(&m_prompts, &PromptLibrary::keepingFailed, m_banner, &MessageBanner::showFailure);
    connect(&m_panels.editor(), &ProjectEditor::referenceRequested, this, [this](const QString& key) {
        m_docks->showPanel(&m_panels.reference());
        m_panels.reference().showKey(key);
    });
    auto* drawings = new DrawingOpener(m_document, *this, this);
    connect(&m_panels.editor(), &ProjectEditor::drawingRequested, drawings, &DrawingOpener::open);
    connect(drawings, &DrawingOpener::failed, m_banner, &MessageBanner::showProblem);
}

/// What the task buttons choose from, and what results can be used as.
void MainWindow::connectTasks() {
    const TaskPicker* picker = &m_panels.editor().tasks();
    TaskSwitch* tasks = &picker->taskSwitch();
    tasks->setUsedModels([this] {
        std::vector<std::string> models;
        for (int row = 0; row < std::min(m_history.rowCount(), mostAskedRuns); ++row)
            if (const auto& outline = m_history.run(m_history.index(row, 0)).state.outline)
                models.push_back(outline->model);
        return models;
    });
    const auto tasksHere = [tasks] { return tasks->tasksHere(); };
    m_panels.results().setTasks(tasksHere);
    m_panels.recent().setTasks(tasksHere);
    m_panels.history().setTasks(tasksHere);
    connect(picker, &TaskPicker::modelRequested, this, [this](const QString& offer) {
        m_docks->showPanel(&m_panels.models());
        m_panels.models().showOffer(offer);
    });
    connect(&m_panels.models(), &ModelsPanel::refreshed, tasks, &TaskSwitch::refresh);
    // What the project takes is asked first.
    connect(&m_planWatch, &PlanWatch::forecastChanged, tasks, &TaskSwitch::refresh, Qt::SingleShotConnection);
    connect(&m_document, &ProjectDocument::replaced, &m_panels.editor().variations(),
            &Variations::resumeFreshSeeds);
    connect(m_opener, &PathOpener::seedGiven, this, [this] {
        Variations& variations = m_panels.editor().variations();
        if (!variations.freshSeeds())
            return;
        variations.suspendFreshSeeds();
        m_banner->showNote(tr("“New seed for each run” is off now, as this project has a seed of its own."));
    });
}

void MainWindow::connectForecast() {
    constexpr int manyProblems = 88;
    ProblemPanel* problems = &m_panels.problems();
    m_drawer->reserve(m_docks->findDock(problems), tr("Problems (%1)").arg(manyProblems));
    connect(&m_planWatch, &PlanWatch::forecastChanged, m_consequences, &ConsequencesBar::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, problems,
            [this, problems](const ProjectForecast& forecast) {
                problems->showFindings(diagnose(m_document, forecast.problems, forecast.model.get()),
                                       forecast.notes);
                const auto count = static_cast<int>(problems->diagnoses().size());
                QDockWidget* dock = m_docks->findDock(problems);
                dock->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
                m_drawer->setMark(dock, problems->worst());
            });
    connect(&m_planWatch, &PlanWatch::forecastChanged, this, [this](const ProjectForecast& forecast) {
        m_panels.editor().setFamily(forecast.model == nullptr ? nullptr : forecast.model->family);
        m_panels.editor().showPlan(forecast.plan.get());
        m_panels.editor().promptTools().setTokens(forecast.promptTokens);
        m_panels.editor().promptTools().timedParts().setParts(forecast.promptParts);
        m_panels.editor().modelState().showForecast(forecast);
    });
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.mesh(), &MeshPanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.attention(), &AttentionPanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.noise(), &NoisePanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.yaml(), &YamlPanel::showForecast);
    connect(&m_panels.noise(), &NoisePanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.noise(), file); });
    connect(problems, &ProblemPanel::goToRequested, this, &MainWindow::goToSetting);
    connect(problems, &ProblemPanel::fixRequested, this,
            [this](const std::vector<KeyText>& fix) { m_document.setTexts(fixLabel(fix), fix); });
    connect(&m_planWatch, &PlanWatch::forecastChanged, this, &MainWindow::refreshRunBar);
}

void MainWindow::connectTarget() {
    ForesightPanel* foresight = &m_panels.foresight();
    connect(&m_target, &TargetChoice::changed, this, [this] { m_planWatch.setTarget(m_target.target()); });
    connect(&m_target, &TargetChoice::failed, m_banner, &MessageBanner::showProblem);
    connect(&m_planWatch, &PlanWatch::forecastChanged, foresight, &ForesightPanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.tune(), &TunePanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, &m_panels.bench(), &BenchPanel::showForecast);
    connect(&m_panels.compare(), &ComparePanel::runsChanged, foresight,
            [this, foresight] { foresight->setRuns(m_panels.compare().runs()); });
    connect(foresight, &ForesightPanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.foresight(), file); });
    connect(m_consequences, &ConsequencesBar::planHereRequested, &m_target, [this] { m_target.choose({}); });
}

void MainWindow::connectEngine() {
    TunePanel* tune = &m_panels.tune();
    SweepPanel* sweep = &m_panels.sweep();
    BenchPanel* bench = &m_panels.bench();
    m_engine.watch(EngineWork::Run, *m_runs, &RunPresenter::busyChanged);
    m_engine.watch(EngineWork::BlockSizes, tune->tuner(), &TileTuner::busyChanged);
    m_engine.watch(EngineWork::Sweep, sweep->runner(), &SweepRunner::busyChanged);
    m_engine.watch(EngineWork::Benchmark, bench->runner(), &BenchRunner::busyChanged);
    m_engine.watch(EngineWork::Measurement, *m_predictions, &PredictionSource::measuringChanged);
    connect(&m_engine, &EngineUse::changed, this, [this, tune, sweep, bench] {
        m_runs->setObstacle(m_engine.obstacleTo(EngineWork::Run));
        tune->setObstacle(m_engine.obstacleTo(EngineWork::BlockSizes));
        sweep->setObstacle(m_engine.obstacleTo(EngineWork::Sweep));
        bench->setObstacle(m_engine.obstacleTo(EngineWork::Benchmark));
        m_consequences->measureItem().setObstacle(m_engine.obstacleTo(EngineWork::Measurement));
    });
    new RunNotices(m_engine, m_runs->controller(), this);
}

void MainWindow::connectRuns() {
    connect(m_runBar, &RunBar::runRequested, m_launcher, &ProjectLauncher::run);
    connect(m_launcher, &ProjectLauncher::checking, m_runBar, &RunBar::setChecking);
    Variations* variations = &m_panels.editor().variations();
    connect(variations, &Variations::changed, m_launcher, [this, variations] {
        m_launcher->setVideos(variations->videos());
        m_launcher->setFreshSeeds(variations->freshSeeds());
    });
    connect(m_runBar, &RunBar::problemRequested, this, &MainWindow::goToFirstProblem);
    connect(m_launcher, &ProjectLauncher::stoppedByProblems, this, &MainWindow::goToFirstProblem);
    connect(m_launcher, &ProjectLauncher::queueWanted, this, [this] {
        runQueue();
        warnOfLostQueue();
        m_banner->showOffer(tr("%n runs wait in the queue.", nullptr, m_queue.waiting()),
                            {{tr("Show queue"), [this] { showQueue(); }}});
    });
    // A run or the queue has it now.
    connect(m_launcher, &ProjectLauncher::begun, m_files, &ProjectFiles::noteStored);
    connect(m_launcher, &ProjectLauncher::queueWanted, m_files, &ProjectFiles::noteStored);
    connect(m_runBar, &RunBar::pauseRequested, m_runs, &RunPresenter::pause);
    connect(m_runBar, &RunBar::resumeRequested, &m_panels.results(), &ResultsView::showLive);
    connect(m_runBar, &RunBar::resumeRequested, m_runs, &RunPresenter::resumeStopped);
    connect(m_runBar, &RunBar::cancelRequested, m_runs, &RunPresenter::cancel);
    connect(m_launcher, &ProjectLauncher::begun, this, &MainWindow::showRunThatBegins);
    connect(m_runs, &RunPresenter::busyChanged, &m_panels.problems(), &ProblemPanel::setEngineBusy);
}

/// Mesh and Measure stay in sight: who edits shapes there looks at lanes and times, not at the picture.
void MainWindow::showRunThatBegins() {
    ResultsView& results = m_panels.results();
    results.showLive();
    if (results.isVisible())
        return;
    const Workspace here = m_workspaces->current();
    if (here != Workspace::Mesh && here != Workspace::Measure)
        return m_docks->showPanel(&results);
    const std::vector<QDockWidget*>& drawer = m_docks->drawer();
    const QDockWidget* problems = m_docks->findDock(&m_panels.problems());
    const auto isRead = [problems](const QDockWidget* dock) { return dock != problems && dock->isVisible(); };
    if (here == Workspace::Mesh && std::ranges::none_of(drawer, isRead))
        m_drawer->open(m_docks->findDock(&results.devices()));
}

void MainWindow::connectDevices() {
    const RunController* controller = &m_runs->controller();
    ActivityPanel* activity = &m_panels.activity();
    ResultsView* results = &m_panels.results();
    const DevicesPanel* devices = &results->devices();
    MachineList* machine = &devices->machine();
    const auto showChoice = [this, machine] { machine->showChoice(m_document.project().gpus); };
    connect(machine, &MachineList::gpusChosen, this,
            [this](const QString& value) { m_document.setText(*findProjectKey(GpuChoice::key), value); });
    connect(&m_document, &ProjectDocument::changed, machine, showChoice);
    connect(&m_planWatch, &PlanWatch::forecastChanged, machine, [machine](const ProjectForecast& forecast) {
        machine->showPlacement(forecast.plan == nullptr ? nullptr : &forecast.plan->placement);
    });
    showChoice();
    connect(controller, &RunController::started, activity, &ActivityPanel::begin);
    connect(controller, &RunController::happened, activity, &ActivityPanel::follow);
    connect(m_runs, &RunPresenter::busyChanged, this, [activity, results](bool busy) {
        if (busy)
            return;
        activity->end();
        results->endLive();
    });
    connect(devices, &DevicesPanel::meshRequested, this, [this] { m_docks->showPanel(&m_panels.mesh()); });
    connect(activity, &ActivityPanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.activity(), file); });
    connect(activity, &ActivityPanel::saveLogRequested, this, &MainWindow::saveLog);
    connect(devices, &DevicesPanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.results().devices(), file); });
}

void MainWindow::connectResults() {
    const ResultsView& results = m_panels.results();
    const auto showRuns = [this] { m_docks->showPanel(&m_panels.history()); };
    connect(&results.player().exporter(), &ClipExporter::noted, m_banner, &MessageBanner::showNote);
    connect(&results.player().exporter(), &ClipExporter::written, m_banner,
            [this](const QString& sentence, const QString& file) {
                m_banner->showOffer(sentence, {showFolderAction(file)});
            });
    connect(&results.player().exporter(), &ClipExporter::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(&results.chart(), &ChartPanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.results().chart(), file); });
    connect(&results, &ResultsView::continueRequested, m_opener, &PathOpener::continueClip);
    connect(&results, &ResultsView::useRequested, m_opener, &PathOpener::useResult);
    connect(&results.chart(), &ChartPanel::runsRequested, this, showRuns);
    connect(&results.summary(), &SummaryPanel::runsRequested, this, showRuns);
}

void MainWindow::connectComparison() {
    const ComparePanel* compare = &m_panels.compare();
    connect(compare, &ComparePanel::openProjectRequested, this, &MainWindow::compareOpenProject);
    connect(compare, &ComparePanel::noted, m_banner, &MessageBanner::showNote);
    connect(compare, &ComparePanel::rateRequested, this, &MainWindow::rateRuns);
    connect(m_rating, &RateDialog::voted, compare, &ComparePanel::readVotes);
    connect(compare, &ComparePanel::runsRequested, this, [this] { m_docks->showPanel(&m_panels.history()); });
    connect(compare, &ComparePanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.compare(), file); });
    connect(compare, &ComparePanel::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(compare, &ComparePanel::repeatRequested, m_launcher, &ProjectLauncher::addFilesToQueue);
    connect(compare, &ComparePanel::repeatRequested, this, &MainWindow::runQueue);
    connect(m_runs, &RunPresenter::runShown, &m_panels.compare(), &ComparePanel::takeRepeat);
    // Also where none of them could be queued.
    connect(compare, &ComparePanel::repeatRequested, this, &MainWindow::endRepeatsWithTheQueue,
            Qt::QueuedConnection);
    connect(&m_queue, &RunQueue::changed, this, &MainWindow::endRepeatsWithTheQueue, Qt::QueuedConnection);
    connect(&m_runs->controller(), &RunController::cancelled, &m_panels.compare(), [this](bool paused) {
        if (!paused)
            m_panels.compare().endRepeats();
    });
    const ReportExporter* reports = &m_panels.compare().reports();
    connect(reports, &ReportExporter::written, this, [this](const QString& file) {
        m_banner->showOffer(tr("The report was written to %1").arg(file), {showFolderAction(file)});
    });
    connect(reports, &ReportExporter::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(reports, &ReportExporter::leftOut, m_banner, &MessageBanner::showProblem);
}

void MainWindow::endRepeatsWithTheQueue() {
    if (!m_queue.isRunning() && m_queue.waiting() == 0)
        m_panels.compare().endRepeats();
}

void MainWindow::connectHistory() {
    const HistoryPanel* panel = &m_panels.history();
    connect(panel, &HistoryPanel::describeRequested, this, [this] { goToSetting(QStringLiteral("prompt")); });
    connect(panel, &HistoryPanel::compareRequested, this, &MainWindow::compareRuns);
    connect(panel, &HistoryPanel::compareWithProjectRequested, this, [this](const QStringList& folders) {
        compareRuns(folders);
        compareOpenProject();
    });
    connect(panel, &HistoryPanel::rateRequested, this, &MainWindow::rateRuns);
    connect(m_opener, &PathOpener::compareRequested, this, &MainWindow::compareRuns);
    const RecentStrip* recent = &m_panels.recent();
    connect(&m_panels.results(), &ResultsView::shownChanged, &m_panels.recent(), &RecentStrip::markShown);
    connect(recent, &RecentStrip::openRequested, m_opener, &PathOpener::showRun);
    connect(recent, &RecentStrip::projectRequested, m_opener, &PathOpener::useProjectOfRun);
    connect(recent, &RecentStrip::partRequested, m_opener, &PathOpener::usePart);
    connect(recent, &RecentStrip::useRequested, m_opener, &PathOpener::useResult);
    connect(recent, &RecentStrip::allRequested, this, [this] { m_docks->showPanel(&m_panels.history()); });
}

/// It follows the run that is shown.
void MainWindow::connectTimeline() {
    TimelinePanel* timeline = &m_panels.timeline();
    timeline->followRuns(m_history, RunHistoryModel::FolderRole);
    connect(m_opener, &PathOpener::opened, timeline, [timeline](const QString& path) {
        if (RunFolder::isRun(path.toStdString()))
            timeline->showRun(path);
    });
    connect(m_runs, &RunPresenter::runShown, timeline, &TimelinePanel::showRun);
    connect(timeline, &TimelinePanel::runsRequested, this,
            [this] { m_docks->showPanel(&m_panels.history()); });
}

void MainWindow::compareRuns(const QStringList& folders) {
    std::vector<std::filesystem::path> paths;
    for (const QString& folder : folders)
        paths.emplace_back(folder.toStdString());
    m_panels.compare().compare(paths);
    m_docks->showPanel(&m_panels.compare());
}

void MainWindow::rateRuns(const QStringList& folders) {
    std::vector<std::filesystem::path> paths;
    for (const QString& folder : folders)
        paths.emplace_back(folder.toStdString());
    m_rating->rate(paths);
}

void MainWindow::compareOpenProject() {
    const QString name = m_document.displayName();
    const QString file = QString::fromStdString(m_document.file().string());
    m_panels.compare().addProject(
        {tr("%1 (open)", "project").arg(name), file.isEmpty() ? name : file, m_document.runnableProject()});
}

void MainWindow::connectQueue() {
    QueuePanel* panel = &m_panels.queue();
    connect(panel, &QueuePanel::addRequested, m_launcher, &ProjectLauncher::addToQueue);
    connect(panel, &QueuePanel::gridRequested, m_launcher, &ProjectLauncher::addGridToQueue);
    connect(panel, &QueuePanel::openRequested, m_opener, &PathOpener::showRun);
    connect(panel, &QueuePanel::liveRunRequested, this, [this] {
        m_panels.results().showLive();
        m_docks->showPanel(&m_panels.results());
    });
    connect(panel, &QueuePanel::projectRequested, this, [this](const Project& project) {
        m_opener->useProject(project,
                             project.name.empty() ? tr("Queue") : QString::fromStdString(project.name));
    });
    connect(panel, &QueuePanel::pathsGiven, m_launcher, &ProjectLauncher::addFilesToQueue);
    warnOfLostQueue();
    // Queued: it may ask, and a dialog inside a drop would keep the program that it came from waiting.
    connect(m_opener, &PathOpener::tableGiven, m_launcher, &ProjectLauncher::addFilesToQueue,
            Qt::QueuedConnection);
    connect(m_launcher, &ProjectLauncher::queued, this, [this] {
        warnOfLostQueue();
        m_banner->showOffer(tr("%n runs wait in the queue.", nullptr, m_queue.waiting()),
                            {{tr("Show queue"), [this] { showQueue(); }}});
    });
    connect(m_queueTimes, &QueueTimes::changed, panel,
            [this, panel] { panel->setTotal(m_queueTimes->total()); });
    connect(&m_queue, &RunQueue::keepingFailed, m_banner, &MessageBanner::showFailure);
    new QueueRunner(m_queue, *panel, *m_runs, this);
}

/// Where runs are queued, as the panel with the queue may never be opened.
void MainWindow::warnOfLostQueue() {
    if (!m_queue.isKept())
        m_banner->showFailure(m_queue.remark());
}

void MainWindow::connectStudies() {
    TunePanel* tune = &m_panels.tune();
    SweepPanel* sweep = &m_panels.sweep();
    connect(&m_panels.attention(), &AttentionPanel::tuneRequested, this, [this] {
        m_docks->showPanel(&m_panels.tune());
        m_panels.tune().setFocus();
    });
    connect(tune, &TunePanel::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(tune, &TunePanel::exportRequested, this,
            [this](const QString& file) { exportPanelChart(m_panels.tune(), file); });
    connect(sweep, &SweepPanel::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(sweep, &SweepPanel::noted, m_banner, &MessageBanner::showNote);
    const BenchPanel* bench = &m_panels.bench();
    connect(bench, &BenchPanel::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(bench, &BenchPanel::noted, m_banner, &MessageBanner::showNote);
    ModelsPanel* models = &m_panels.models();
    connect(models, &ModelsPanel::wentWrong, m_banner, &MessageBanner::showProblem);
    connect(models, &ModelsPanel::downloadFailed, m_banner, [this, models](const Problem& problem) {
        m_banner->showObstacle(problem, {{tr("Retry"), [models] { models->retryDownload(); }}});
    });
    m_banner->keepClear(&models->downloadControls());
    connect(models, &ModelsPanel::added, m_banner, &MessageBanner::showNote);
    connect(models, &ModelsPanel::noted, m_banner, &MessageBanner::showNote);
}

void MainWindow::goToSetting(const QString& key) {
    m_docks->showPanel(&m_panels.editor());
    m_panels.editor().goTo(key);
}

void MainWindow::goToFirstProblem() {
    const ProblemPanel& problems = m_panels.problems();
    // What was typed is known before the forecast.
    std::string key;
    if (m_document.hasErrors())
        key = m_document.problems().front().key;
    else if (!problems.diagnoses().empty())
        key = problems.diagnoses().front().problem.key;
    if (!key.empty())
        goToSetting(QString::fromStdString(key));
    m_drawer->open(m_docks->findDock(&problems));  // in the workspace of the setting
}

void MainWindow::showQueue() {
    m_docks->showPanel(&m_panels.queue());
}

void MainWindow::goOnWithLastSession() {
    m_session.goOn();
}

void MainWindow::runQueue() {
    m_panels.queue().setGoing(true);
}

void MainWindow::openPath(const QString& path) {
    m_opener->open(path);
}

void MainWindow::askForRunFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a run folder"),
                                                             QString::fromStdString(runsFolder().string()));
    if (!folder.isEmpty())
        openPath(folder);
}

void MainWindow::askForRunsFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose the folder for runs"),
                                                             QString::fromStdString(runsFolder().string()));
    if (folder.isEmpty())
        return;
    try {
        setRunsFolder(folder.toStdString());
        m_banner->showNote(runsFolder() == std::filesystem::path(folder.toStdString())
                               ? tr("New runs go to %1.").arg(shownPath(folder))
                               : tr("MESHREEL_RUNS wins over it: runs go to %1.")
                                     .arg(QString::fromStdString(runsFolder().string())));
        m_historyActions->refresh();
    } catch (...) {
        m_banner->showProblem(currentProblem());
    }
}

void MainWindow::importProject(const QString& config) {
    ImportDialog dialog(this);
    if (!config.isEmpty())
        dialog.setConfig(config);
    if (dialog.exec() == QDialog::Accepted &&
        mayTrust(askTrust(dialog.imported().project, {}, ProjectSource::Elsewhere), this))
        m_opener->useProject(dialog.imported().project, QFileInfo(dialog.origin()).fileName());
}

void MainWindow::showLooks() {
    const std::filesystem::path picture =
        std::filesystem::path(m_runs->folder().toStdString()) / run_file::preview;
    const bool isThere = !m_runs->folder().isEmpty() && isFile(picture);
    LooksDialog dialog(m_document, isThere ? shownPath(QString::fromStdString(picture.string())) : QString(),
                       this);
    dialog.exec();
}

template <typename Panel>
void MainWindow::exportPanelChart(const Panel& panel, const QString& file) {
    try {
        panel.exportTo(file.toStdString());
        m_banner->showOffer(tr("The chart was written to %1").arg(file), {showFolderAction(file)});
    } catch (...) {
        m_banner->showProblem(currentProblem());
    }
}

void MainWindow::saveLog(const QString& file) {
    try {
        m_panels.activity().saveLog(file.toStdString());
        m_banner->showOffer(tr("The log was written to %1.").arg(file), {showFolderAction(file)});
    } catch (...) {
        m_banner->showProblem(currentProblem());
    }
}

void MainWindow::refreshTitle() {
    setWindowTitle(tr("%1[*] – Meshreel Studio", "project").arg(m_document.displayName()));
    setWindowModified(m_document.isModified());
}

void MainWindow::refreshRunBar() {
    m_runBar->setObstacle(m_launcher->obstacle());
}

void MainWindow::refreshModelCard() {
    m_panels.modelCard().showModel(QString::fromStdString(m_document.project().model));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    event->setAccepted(m_session.end());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    if (const QStringList paths = draggedPaths(event->mimeData()); !paths.isEmpty())
        m_opener->openDropped(paths);
}

}  // namespace meshreel

#include "moc_main_window.cpp"
