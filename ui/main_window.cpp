// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/version.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_history.h"
#include "ui/activity/activity_panel.h"
#include "ui/activity/devices_panel.h"
#include "ui/attention/attention_panel.h"
#include "ui/catalogue/models_panel.h"
#include "ui/compare/compare_panel.h"
#include "ui/desktop/run_notices.h"
#include "ui/dock_host.h"
#include "ui/importing/import_dialog.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/models/key_texts.h"
#include "ui/noise/noise_panel.h"
#include "ui/path_opener.h"
#include "ui/player/clip_exporter.h"
#include "ui/player/player_widget.h"
#include "ui/project_files.h"
#include "ui/prompts/prompt_panel.h"
#include "ui/prompts/prompt_variants.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/queue_runner.h"
#include "ui/report/report_exporter.h"
#include "ui/results_view.h"
#include "ui/run_presenter.h"
#include "ui/sweep/sweep_panel.h"
#include "ui/theme/appearance.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/tour/tour.h"
#include "ui/tune/tune_panel.h"
#include "ui/widgets/chart_panel.h"
#include "ui/widgets/consequences_bar.h"
#include "ui/widgets/history_panel.h"
#include "ui/widgets/key_reference.h"
#include "ui/widgets/measure_item.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/model_card.h"
#include "ui/widgets/path_edit.h"
#include "ui/widgets/problem_panel.h"
#include "ui/widgets/project_editor.h"
#include "ui/widgets/run_bar.h"
#include "ui/widgets/summary_panel.h"
#include "ui/yaml/yaml_panel.h"

namespace meshreel {

namespace {

constexpr QSize firstSize{1280, 800};
constexpr QSize toolIconSize{20, 20};
constexpr int editorWidth = 468;
constexpr int lowerHeight = 230;
constexpr int runBarWidth = 320;
constexpr int layoutVersion = 6;  ///< of the panels; another one makes stored layouts void
constexpr const char* queueFile = "queue.json";
constexpr const char* promptsFile = "prompts.json";
constexpr QLatin1String panelsKey("window/panels");
constexpr QLatin1String geometryKey("window/geometry");
constexpr QLatin1String advancedKey("editor/advanced");

QString nameOfPath(const QString& path) {
    return QFileInfo(path).fileName();
}

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_queue(userDataFolder() / queueFile),
      m_prompts(userDataFolder() / promptsFile),
      m_files(new ProjectFiles(m_document, this)),
      m_banner(new MessageBanner(this)),
      m_planWatch(m_document, this),
      m_predictions(new PredictionSource(this)),
      m_docks(new DockHost(this)),
      m_editor(new ProjectEditor(m_document, this)),
      m_historyPanel(new HistoryPanel(m_history, this)),
      m_modelCard(new ModelCard(this)),
      m_problems(new ProblemPanel(this)),
      m_mesh(new MeshPanel(m_document, this)),
      m_attention(new AttentionPanel(m_document, this)),
      m_noise(new NoisePanel(m_document, this)),
      m_yaml(new YamlPanel(m_document, this)),
      m_compare(new ComparePanel(this)),
      m_tune(new TunePanel(m_document, this)),
      m_sweep(new SweepPanel(this)),
      m_models(new ModelsPanel(m_document, this)),
      m_queuePanel(new QueuePanel(m_queue, this)),
      m_promptPanel(new PromptPanel(m_prompts, m_document, this)),
      m_activity(new ActivityPanel(this)),
      m_devices(new DevicesPanel(this)),
      m_reference(new KeyReference(this)),
      m_consequences(new ConsequencesBar(this)),
      m_runBar(new RunBar(this)),
      m_results(new ResultsView(this)),
      m_runs(new RunPresenter(*m_runBar, *m_results, *m_banner, this)),
      m_opener(
          new PathOpener({m_document, *m_files, *m_runs, *m_results, *m_editor, *m_docks, *m_banner}, this)) {
    setAcceptDrops(true);
    layOut();
    makeMenus();
    connectDocument();
    connectForecast();
    connectPrediction();
    connectRuns();
    connectHistory();
    connectQueue();
    connectStudies();
    restoreLayout();
    refreshTitle();
    refreshRunBar();
    refreshModelCard();
    refreshHistory();
    m_editor->setFocus();
}

MainWindow::~MainWindow() = default;

void MainWindow::layOut() {
    addPanels();
    arrangePanels();

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, 0, 0);
    foot->addWidget(m_consequences, 1);
    m_runBar->setFixedWidth(runBarWidth);
    foot->addWidget(m_runBar);

    auto* centre = new QWidget(this);
    auto* rows = new QVBoxLayout(centre);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_banner);
    rows->addWidget(m_docks, 1);
    rows->addLayout(foot);
    setCentralWidget(centre);
}

void MainWindow::addPanels() {
    struct Panel {
        const char* name;
        QString title;
        QWidget* widget;
    };
    for (const Panel& panel : {Panel{"project", tr("Project"), m_editor},
                               Panel{"model", tr("Model"), m_modelCard},
                               Panel{"result", tr("Result"), m_results},
                               Panel{"mesh", tr("Mesh"), m_mesh},
                               Panel{"attention", tr("Attention"), m_attention},
                               Panel{"text", tr("Text"), m_yaml},
                               Panel{"runs", tr("Runs"), m_historyPanel},
                               Panel{"compare", tr("Compare"), m_compare},
                               Panel{"problems", tr("Problems"), m_problems},
                               Panel{"chart", tr("Chart"), &m_results->chart()},
                               Panel{"summary", tr("Timing summary"), &m_results->summary()},
                               Panel{"queue", tr("Queue"), m_queuePanel},
                               Panel{"activity", tr("Activity"), m_activity},
                               Panel{"reference", tr("Reference"), m_reference},
                               Panel{"noise", tr("Noise"), m_noise},
                               Panel{"prompts", tr("Prompts"), m_promptPanel},
                               Panel{"tune", tr("Tune"), m_tune},
                               Panel{"sweep", tr("Sweep"), m_sweep},
                               Panel{"models", tr("Models"), m_models},
                               Panel{"devices", tr("Devices"), m_devices}})
        m_docks->addPanel(QLatin1String(panel.name), panel.title, panel.widget);
}

void MainWindow::arrangePanels() {
    const auto dock = [this](const QWidget* panel) { return m_docks->dockOf(panel); };
    const auto stack = [&](std::initializer_list<const QWidget*> panels) {
        const QWidget* first = *panels.begin();
        for (const QWidget* panel : panels) {
            dock(panel)->setFloating(false);
            dock(panel)->show();
            if (panel != first)
                m_docks->tabifyDockWidget(dock(first), dock(panel));
        }
        dock(first)->raise();
    };
    // In the order of reading; docks are not mirrored by themselves.
    QWidget* first = m_editor;
    QWidget* second = m_results;
    if (isRightToLeft())
        std::swap(first, second);
    m_docks->addDockWidget(Qt::LeftDockWidgetArea, dock(first));
    m_docks->splitDockWidget(dock(first), dock(second), Qt::Horizontal);
    m_docks->splitDockWidget(dock(m_results), dock(m_problems), Qt::Vertical);
    stack({m_editor, m_promptPanel, m_modelCard});
    stack({m_results, m_mesh, m_attention, m_noise, m_yaml, m_historyPanel, m_compare, m_tune, m_sweep,
           m_models, m_reference});
    stack({m_problems, &m_results->chart(), &m_results->summary(), m_activity, m_devices, m_queuePanel});
    m_docks->resizeDocks({dock(m_editor), dock(m_results)}, {editorWidth, firstSize.width() - editorWidth},
                         Qt::Horizontal);
    m_docks->resizeDocks({dock(m_results), dock(m_problems)}, {firstSize.height() - lowerHeight, lowerHeight},
                         Qt::Vertical);
}

void MainWindow::makeMenus() {
    const ProjectFiles::Actions& files = m_files->actions();
    QAction* undo = m_document.undoStack().createUndoAction(this, tr("&Undo"));
    QAction* redo = m_document.undoStack().createRedoAction(this, tr("&Redo"));
    undo->setIcon(themedIcon(QStringLiteral("edit-undo")));
    redo->setIcon(themedIcon(QStringLiteral("edit-redo")));
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcut(QKeySequence::Redo);

    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addActions({files.startNew, files.open});
    file->addAction(tr("Open run &folder…"), this, &MainWindow::askForRunFolder);
    file->addAction(tr("&Import from MaxDiffusion…"), this, &MainWindow::importProject);
    file->addMenu(files.recent);
    file->addSeparator();
    file->addActions({files.save, files.saveAs});
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    edit->addActions({undo, redo});
    edit->addSeparator();
    edit->addAction(themedIcon(QStringLiteral("search")), tr("&Find setting"), QKeySequence::Find, this,
                    [this] {
                        m_docks->showPanel(m_editor);
                        m_editor->focusSearch();
                    });
    makeViewMenu();
    makeRunMenu();
    makeHelpMenu();

    QToolBar* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setIconSize(toolIconSize);
    bar->addActions({files.startNew, files.open, files.save});
    bar->addSeparator();
    bar->addActions({undo, redo});
}

void MainWindow::makeRunMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    QAction* start = menu->addAction(themedIcon(QStringLiteral("play")), tr("&Run"),
                                     QKeySequence(Qt::CTRL | Qt::Key_R), this, &MainWindow::run);
    QAction* stop = menu->addAction(themedIcon(QStringLiteral("cancel")), tr("&Cancel"),
                                    QKeySequence(Qt::CTRL | Qt::Key_Period), m_runs, &RunPresenter::cancel);
    QAction* pause =
        menu->addAction(themedIcon(QStringLiteral("pause")), tr("&Pause after this step"),
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), m_runs, &RunPresenter::pause);
    for (QAction* action : {stop, pause}) {
        action->setEnabled(false);
        connect(m_runs, &RunPresenter::busyChanged, action, &QAction::setEnabled);
    }
    menu->addSeparator();
    menu->addAction(tr("Add to &queue"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), this,
                    &MainWindow::addToQueue);
    menu->addAction(tr("Add a &grid to the queue…"), this, &MainWindow::addGridToQueue);
    menu->addSeparator();
    QAction* measure =
        menu->addAction(tr("&Measure this machine"), m_predictions, &PredictionSource::measure);
    measure->setToolTip(tr("Times what videos are made of, for predicting how long runs take"));
    connect(m_runs, &RunPresenter::busyChanged, measure, &QAction::setDisabled);
    connect(m_predictions, &PredictionSource::measuringChanged, measure, &QAction::setDisabled);
    connect(m_runs, &RunPresenter::busyChanged, start, &QAction::setDisabled);
}

void MainWindow::makeViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    m_docks->fillMenu(menu);
    menu->addSeparator();
    menu->addAction(tr("&Reset layout"), this, &MainWindow::arrangePanels);
    QMenu* appearance = menu->addMenu(tr("&Appearance"));
    auto* group = new QActionGroup(appearance);
    const auto add = [&](const QString& title, Appearance choice) {
        QAction* action = appearance->addAction(title, this, [choice] { chooseAppearance(choice); });
        action->setCheckable(true);
        action->setChecked(choice == chosenAppearance());
        group->addAction(action);
    };
    add(tr("As the &system"), Appearance::System);
    add(tr("&Light"), Appearance::Light);
    add(tr("&Dark"), Appearance::Dark);
}

void MainWindow::makeHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    menu->addAction(tr("&Project keys"), QKeySequence::HelpContents, this,
                    [this] { m_docks->showPanel(m_reference); });
    menu->addAction(tr("&Tour"), this, &MainWindow::startTour);
    menu->addSeparator();
    menu->addAction(tr("&About Meshreel"), this, &MainWindow::showAbout);
    menu->addAction(tr("About &Qt"), this, [this] { QMessageBox::aboutQt(this); });
}

void MainWindow::startTour() {
    if (findChild<Tour*>() != nullptr)
        return;
    auto* tour = new Tour(
        this,
        {{m_editor, tr("Say what you want to see"),
          tr("Type a prompt. Every other setting has a default that works; the search box finds each of "
             "them, and everything can be undone.")},
         {m_consequences, tr("See what it takes, before it runs"),
          tr("Time, tokens, work and memory follow every change. Problems, above, says what cannot run and "
             "mends it with a click.")},
         {m_runBar, tr("Run it"),
          tr("Runs can be paused, resumed and queued. Nothing is lost when the machine is switched off.")},
         {m_results, tr("Watch it form"),
          tr("The picture appears while it is made. Runs, videos, pictures and projects can be dropped "
             "here.")},
         {menuBar(), tr("Everything else is a panel"),
          tr("View opens them: devices and attention, runs and comparisons, charts and the queue. Help has "
             "this tour.")}});
    connect(tour, &Tour::ended, m_editor, [this] { m_editor->setFocus(); });
}

void MainWindow::connectDocument() {
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshRunBar);
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshModelCard);
    connect(&m_document, &ProjectDocument::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_document, &ProjectDocument::modifiedChanged, this, &QWidget::setWindowModified);
    connect(m_files, &ProjectFiles::openRequested, m_opener, &PathOpener::open);
    connect(m_opener, &PathOpener::opened, this, &MainWindow::opened);
    connect(m_files, &ProjectFiles::troubled, m_banner, &MessageBanner::showTrouble);
    connect(m_files, &ProjectFiles::noted, m_banner, &MessageBanner::showNote);
}

void MainWindow::connectForecast() {
    const auto goTo = [this](const QString& key) {
        m_docks->showPanel(m_editor);
        m_editor->goTo(key);
    };
    connect(&m_planWatch, &PlanWatch::forecastChanged, m_consequences, &ConsequencesBar::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, this, [this](const ProjectForecast& forecast) {
        m_problems->showDiagnoses(diagnose(m_document, forecast.problems, forecast.model.get()));
        const auto count = static_cast<int>(m_problems->diagnoses().size());
        m_docks->dockOf(m_problems)
            ->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
    });
    connect(&m_planWatch, &PlanWatch::forecastChanged, m_mesh, &MeshPanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, m_attention, &AttentionPanel::showForecast);
    connect(&m_planWatch, &PlanWatch::forecastChanged, m_noise, &NoisePanel::showForecast);
    connect(m_problems, &ProblemPanel::goToRequested, this, goTo);
    connect(m_problems, &ProblemPanel::cureRequested, this, [this](const Cure& cure) {
        m_document.setTexts(cureLabel(cure), {{cure.key, cure.text}});
    });
    connect(m_editor, &ProjectEditor::referenceRequested, this, [this](const QString& key) {
        m_docks->showPanel(m_reference);
        m_reference->showKey(key);
    });
}

void MainWindow::connectPrediction() {
    connect(m_predictions, &PredictionSource::basisChanged, this,
            [this] { m_planWatch.setBasis(m_predictions->basis()); });
    connect(m_predictions, &PredictionSource::measuringChanged, m_consequences,
            &ConsequencesBar::setMeasuring);
    connect(m_predictions, &PredictionSource::failed, m_banner, &MessageBanner::showTrouble);
    MeasureItem& item = m_consequences->measureItem();
    connect(m_predictions, &PredictionSource::timed, &item, &MeasureItem::showTimed);
    connect(&item, &MeasureItem::measureRequested, m_predictions, &PredictionSource::measure);
    connect(&item, &MeasureItem::cancelRequested, m_predictions, &PredictionSource::cancelMeasuring);
    connect(m_runs, &RunPresenter::busyChanged, &item, [this, &item](bool busy) {
        item.setAllowed(!busy);
        if (busy && m_predictions->isMeasuring()) {
            m_predictions->cancelMeasuring();
            m_banner->showNote(tr("Measuring this machine was stopped, as a run begins."));
        }
        if (!busy)
            m_predictions->refresh();  // with the run that ended now
    });
    m_predictions->refresh();
}

void MainWindow::connectRuns() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::run);
    connect(m_runBar, &RunBar::pauseRequested, m_runs, &RunPresenter::pause);
    connect(m_runBar, &RunBar::resumeRequested, m_runs, &RunPresenter::resumeStopped);
    connect(m_runBar, &RunBar::cancelRequested, m_runs, &RunPresenter::cancel);
    connect(m_runs, &RunPresenter::busyChanged, m_historyPanel, &HistoryPanel::setEngineBusy);
    connect(m_runs, &RunPresenter::runsChanged, this, &MainWindow::refreshHistory);
    connect(&m_runs->controller(), &RunController::started, m_activity, &ActivityPanel::begin);
    connect(&m_runs->controller(), &RunController::logged, m_activity, &ActivityPanel::addLines);
    connect(&m_runs->controller(), &RunController::started, m_devices, &DevicesPanel::begin);
    connect(&m_runs->controller(), &RunController::devicesWorked, m_devices, &DevicesPanel::addSteps);
    connect(&m_runs->controller(), &RunController::progressed, m_devices, &DevicesPanel::showProgress);
    connect(m_devices, &DevicesPanel::meshRequested, this, [this] { m_docks->showPanel(m_mesh); });
    connect(m_runs, &RunPresenter::busyChanged, this, [this](bool busy) {
        if (busy)
            return;
        m_activity->end();
        m_devices->end();
    });
    new RunNotices(*m_runs, this);
    connect(m_runs, &RunPresenter::runShown, this, [this](const QString& folder) { m_selectedRun = folder; });
    connect(&m_results->player().exporter(), &ClipExporter::noted, m_banner, &MessageBanner::showNote);
    connect(&m_results->player().exporter(), &ClipExporter::troubled, m_banner, &MessageBanner::showTrouble);
    connect(&m_results->chart(), &ChartPanel::exportRequested, this,
            [this](const QString& file) { exportChartOf(m_results->chart(), file); });
    connect(m_compare, &ComparePanel::exportRequested, this,
            [this](const QString& file) { exportChartOf(*m_compare, file); });
    const auto showRuns = [this] { m_docks->showPanel(m_historyPanel); };
    connect(m_compare, &ComparePanel::runsRequested, this, showRuns);
    connect(&m_results->chart(), &ChartPanel::runsRequested, this, showRuns);
    connect(&m_results->summary(), &SummaryPanel::runsRequested, this, showRuns);
    connect(m_compare, &ComparePanel::troubled, m_banner, &MessageBanner::showTrouble);
    connect(&m_compare->reports(), &ReportExporter::written, this, [this](const QString& file) {
        m_banner->showNote(tr("The report was written to %1").arg(file));
    });
    connect(&m_compare->reports(), &ReportExporter::troubled, m_banner, &MessageBanner::showTrouble);
}

void MainWindow::connectQueue() {
    connect(m_queuePanel, &QueuePanel::addRequested, this, &MainWindow::addToQueue);
    connect(m_queuePanel, &QueuePanel::gridRequested, this, &MainWindow::addGridToQueue);
    connect(&m_queue, &RunQueue::keepingFailed, m_banner, &MessageBanner::showNote);
    new QueueRunner(m_queue, *m_queuePanel, *m_runs, this);
}

void MainWindow::connectStudies() {
    connect(m_runs, &RunPresenter::busyChanged, m_tune, &TunePanel::setEngineBusy);
    connect(m_runs, &RunPresenter::busyChanged, m_sweep, &SweepPanel::setEngineBusy);
    connect(m_tune, &TunePanel::troubled, m_banner, &MessageBanner::showTrouble);
    connect(m_tune, &TunePanel::exportRequested, this,
            [this](const QString& file) { exportChartOf(*m_tune, file); });
    connect(m_sweep, &SweepPanel::troubled, m_banner, &MessageBanner::showTrouble);
    connect(m_models, &ModelsPanel::troubled, m_banner, &MessageBanner::showTrouble);
    connect(m_sweep, &SweepPanel::noted, m_banner, &MessageBanner::showNote);
}

void MainWindow::connectHistory() {
    connect(m_historyPanel, &HistoryPanel::openRequested, m_opener, &PathOpener::showRun);
    connect(m_historyPanel, &HistoryPanel::projectRequested, m_opener, &PathOpener::useProjectOfRun);
    connect(m_historyPanel, &HistoryPanel::resumeRequested, m_runs,
            [this](const QString& folder) { m_runs->resume(folder, false); });
    connect(m_historyPanel, &HistoryPanel::resumeElsewhereRequested, m_runs,
            [this](const QString& folder) { m_runs->resume(folder, true); });
    connect(m_historyPanel, &HistoryPanel::decodeRequested, m_runs, &RunPresenter::decodeAgain);
    connect(m_historyPanel, &HistoryPanel::revealRequested, this,
            [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    connect(m_historyPanel, &HistoryPanel::describeRequested, this, [this] {
        m_docks->showPanel(m_editor);
        m_editor->goTo(QStringLiteral("prompt"));
    });
    connect(m_historyPanel, &HistoryPanel::refreshRequested, this, &MainWindow::refreshHistory);
    connect(m_historyPanel, &HistoryPanel::compareRequested, this, [this](const QStringList& folders) {
        std::vector<std::filesystem::path> paths;
        for (const QString& folder : folders)
            paths.emplace_back(folder.toStdString());
        m_compare->compare(paths);
        m_docks->showPanel(m_compare);
    });
    connect(m_historyPanel, &HistoryPanel::trashRequested, this, &MainWindow::moveToTrash);
    connect(&m_history, &RunHistoryModel::notesFailed, m_banner, &MessageBanner::showNote);
    connect(&m_prompts, &PromptLibrary::keepingFailed, m_banner, &MessageBanner::showNote);
}

void MainWindow::restoreLayout() {
    const QSettings settings;
    resize(firstSize);
    restoreGeometry(settings.value(geometryKey).toByteArray());
    m_docks->restoreState(settings.value(panelsKey).toByteArray(), layoutVersion);
    m_editor->setShowsAdvanced(settings.value(advancedKey).toBool());
}

void MainWindow::saveLayout() const {
    QSettings settings;
    settings.setValue(geometryKey, saveGeometry());
    settings.setValue(panelsKey, m_docks->saveState(layoutVersion));
    settings.setValue(advancedKey, m_editor->showsAdvanced());
}

void MainWindow::run() {
    if (m_document.hasErrors())
        return;
    m_docks->showPanel(m_results);
    m_runs->generate(projectToRun());
}

Project MainWindow::projectToRun() const {
    Project project = m_document.runnableProject();
    if (project.name.empty())
        project.name = m_document.file().stem().string();
    return project;
}

void MainWindow::addToQueue() {
    if (m_document.hasErrors()) {
        m_banner->showNote(tr("The Problems panel tells what keeps this project from running."));
        return;
    }
    m_queue.add(projectToRun());
    m_docks->showPanel(m_queuePanel);
}

void MainWindow::addGridToQueue() {
    GridDialog dialog(projectToRun(), this);
    const ProjectKey& prompt = *findProjectKey("prompt");
    if (promptVariants(m_document.text(prompt)).size() > 1)
        dialog.setAxis(0, prompt, m_document.text(prompt));
    if (dialog.exec() != QDialog::Accepted)
        return;
    for (const Project& project : dialog.projects())
        m_queue.add(project);
    m_docks->showPanel(m_queuePanel);
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

void MainWindow::importProject() {
    ImportDialog dialog(this);
    if (dialog.exec() == QDialog::Accepted)
        m_opener->useProject(dialog.imported().project, nameOfPath(dialog.origin()));
}

template <typename Panel>
void MainWindow::exportChartOf(const Panel& panel, const QString& file) {
    try {
        panel.exportTo(file.toStdString());
        m_banner->showNote(tr("The chart was written to %1").arg(file));
    } catch (...) {
        m_banner->showTrouble(Trouble::ofCurrentException());
    }
}

void MainWindow::moveToTrash(const QStringList& folders) {
    QStringList refused;
    for (const QString& folder : folders)
        if (!QFile::moveToTrash(folder))
            refused += nameOfPath(folder);
    m_banner->showNote(refused.isEmpty()
                           ? tr("Moved to the trash: %n runs", nullptr, static_cast<int>(folders.size()))
                           : tr("The system has no trash for %1; use Show folder and delete there.")
                                 .arg(refused.join(QStringLiteral(", "))));
    refreshHistory();
}

void MainWindow::refreshHistory() {
    m_background.run([] { return listRuns(runsFolder()); },
                     [this](std::vector<RunSummary> runs) {
                         const QString selected = m_selectedRun.isEmpty() ? m_historyPanel->selectedFolder()
                                                                          : std::exchange(m_selectedRun, {});
                         m_history.setRuns(std::move(runs));
                         m_historyPanel->select(selected);
                     },
                     [this](const Trouble& trouble) { m_banner->showTrouble(trouble); });
}

void MainWindow::refreshTitle() {
    setWindowTitle(tr("%1[*] – Meshreel Studio", "project").arg(m_document.displayName()));
    setWindowModified(m_document.isModified());
}

void MainWindow::refreshRunBar() {
    const std::vector<ProjectProblem>& problems = m_document.problems();
    if (!m_document.hasErrors()) {
        m_runBar->setObstacle({});
        return;
    }
    const ProjectProblem& first = problems.front();
    const QString title = titleOfKey(first.key);
    const QString message = QString::fromStdString(first.message);
    m_runBar->setObstacle(title.isEmpty() ? message
                                          : tr("%1: %2", "field and its problem").arg(title, message));
}

void MainWindow::refreshModelCard() {
    m_modelCard->showModel(QString::fromStdString(m_document.project().model));
}

void MainWindow::showAbout() {
    const auto text = [](std::string_view view) { return QString::fromStdString(std::string(view)); };
    QMessageBox::about(
        this, tr("About Meshreel"),
        tr("<h3>Meshreel %1</h3><p>Video generation with Wan models on your own processors.</p>"
           "<p>Commit %2. Free software under the GNU General Public License, version 3 or later.</p>")
            .arg(text(versionNumber()), text(versionCommit())));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_files->mayReplaceProject()) {
        event->ignore();
        return;
    }
    if (m_runs->isBusy() &&
        QMessageBox::question(this, tr("A run is going on"),
                              tr("Stop the run and quit? It can be resumed later from the Runs panel.")) !=
            QMessageBox::Yes) {
        event->ignore();
        return;
    }
    saveLayout();
    event->accept();
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
