// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

#include "engine/base/version.h"
#include "engine/runs/run_history.h"
#include "ui/dock_host.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/models/key_texts.h"
#include "ui/project_files.h"
#include "ui/results_view.h"
#include "ui/run_presenter.h"
#include "ui/theme/appearance.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/chart_panel.h"
#include "ui/widgets/consequences_bar.h"
#include "ui/widgets/history_panel.h"
#include "ui/widgets/key_reference.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/model_card.h"
#include "ui/widgets/problem_panel.h"
#include "ui/widgets/project_editor.h"
#include "ui/widgets/run_bar.h"
#include "ui/widgets/summary_panel.h"

namespace meshreel {

namespace {

constexpr QSize firstSize{1280, 800};
constexpr QSize toolIconSize{20, 20};
constexpr int editorWidth = 468;
constexpr int lowerHeight = 230;
constexpr int runBarWidth = 320;
constexpr int layoutVersion = 1;  ///< of the panels; another one makes stored layouts void
constexpr QLatin1String panelsKey("window/panels");
constexpr QLatin1String geometryKey("window/geometry");
constexpr QLatin1String advancedKey("editor/advanced");

QString nameOfPath(const QString& path) {
    return QFileInfo(path).fileName();
}

/// The first local file of what is dragged; empty when there is none.
QString draggedFile(const QMimeData* data) {
    const QList<QUrl> urls = data->urls();
    return urls.isEmpty() ? QString() : urls.constFirst().toLocalFile();
}

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_files(new ProjectFiles(m_document, this)),
      m_banner(new MessageBanner(this)),
      m_planWatch(m_document, this),
      m_docks(new DockHost(this)),
      m_editor(new ProjectEditor(m_document, this)),
      m_historyPanel(new HistoryPanel(m_history, this)),
      m_modelCard(new ModelCard(this)),
      m_problems(new ProblemPanel(this)),
      m_mesh(new MeshPanel(m_document, this)),
      m_reference(new KeyReference(this)),
      m_consequences(new ConsequencesBar(this)),
      m_runBar(new RunBar(this)),
      m_results(new ResultsView(this)),
      m_runs(new RunPresenter(*m_runBar, *m_results, *m_banner, this)) {
    setAcceptDrops(true);
    layOut();
    makeMenus();
    connectDocument();
    connectForecast();
    connectRuns();
    connectHistory();
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
    for (const Panel& panel :
         {Panel{"project", tr("Project"), m_editor}, Panel{"history", tr("History"), m_historyPanel},
          Panel{"model", tr("Model"), m_modelCard}, Panel{"result", tr("Result"), m_results},
          Panel{"mesh", tr("Mesh"), m_mesh}, Panel{"problems", tr("Problems"), m_problems},
          Panel{"chart", tr("Chart"), &m_results->chart()},
          Panel{"summary", tr("Timing summary"), &m_results->summary()},
          Panel{"reference", tr("Reference"), m_reference}})
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
    m_docks->addDockWidget(Qt::LeftDockWidgetArea, dock(m_editor));
    m_docks->splitDockWidget(dock(m_editor), dock(m_results), Qt::Horizontal);
    m_docks->splitDockWidget(dock(m_results), dock(m_problems), Qt::Vertical);
    stack({m_editor, m_historyPanel, m_modelCard});
    stack({m_results, m_mesh, m_reference});
    stack({m_problems, &m_results->chart(), &m_results->summary()});
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
    stop->setEnabled(false);
    connect(m_runs, &RunPresenter::busyChanged, stop, &QAction::setEnabled);
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
    menu->addSeparator();
    menu->addAction(tr("&About Meshreel"), this, &MainWindow::showAbout);
    menu->addAction(tr("About &Qt"), this, [this] { QMessageBox::aboutQt(this); });
}

void MainWindow::connectDocument() {
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshRunBar);
    connect(&m_document, &ProjectDocument::changed, this, &MainWindow::refreshModelCard);
    connect(&m_document, &ProjectDocument::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_document, &ProjectDocument::modifiedChanged, this, &QWidget::setWindowModified);
    connect(m_files, &ProjectFiles::openRequested, this, &MainWindow::openPath);
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
    connect(m_problems, &ProblemPanel::goToRequested, this, goTo);
    connect(m_problems, &ProblemPanel::cureRequested, this, [this](const Cure& cure) {
        m_document.setTexts(cureLabel(cure), {{cure.key, cure.text}});
    });
    connect(m_editor, &ProjectEditor::referenceRequested, this, [this](const QString& key) {
        m_docks->showPanel(m_reference);
        m_reference->showKey(key);
    });
}

void MainWindow::connectRuns() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::run);
    connect(m_runBar, &RunBar::cancelRequested, m_runs, &RunPresenter::cancel);
    connect(m_runs, &RunPresenter::busyChanged, m_historyPanel, &HistoryPanel::setEngineBusy);
    connect(m_runs, &RunPresenter::runsChanged, this, &MainWindow::refreshHistory);
    connect(m_runs, &RunPresenter::runShown, this, [this](const QString& folder) { m_selectedRun = folder; });
    connect(&m_results->chart(), &ChartPanel::exportRequested, this, &MainWindow::exportChartTo);
}

void MainWindow::connectHistory() {
    connect(m_historyPanel, &HistoryPanel::openRequested, this, &MainWindow::openRunFolder);
    connect(m_historyPanel, &HistoryPanel::projectRequested, this, &MainWindow::useProjectOfRun);
    connect(m_historyPanel, &HistoryPanel::resumeRequested, m_runs,
            [this](const QString& folder) { m_runs->resume(folder, false); });
    connect(m_historyPanel, &HistoryPanel::resumeElsewhereRequested, m_runs,
            [this](const QString& folder) { m_runs->resume(folder, true); });
    connect(m_historyPanel, &HistoryPanel::decodeRequested, m_runs, &RunPresenter::decodeAgain);
    connect(m_historyPanel, &HistoryPanel::revealRequested, this,
            [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    connect(m_historyPanel, &HistoryPanel::refreshRequested, this, &MainWindow::refreshHistory);
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
    Project project = m_document.runnableProject();
    if (project.name.empty())
        project.name = m_document.file().stem().string();
    m_runs->generate(project);
}

void MainWindow::openPath(const QString& path) {
    try {
        switch (kindOf(path.toStdString())) {
            case MediaKind::ProjectFile:
                if (m_files->mayReplaceProject() && m_files->load(path))
                    emit opened(path);
                break;
            case MediaKind::Run:
                if (useProjectOfRun(path))
                    openRunFolder(path);
                break;
            case MediaKind::Video:
                openVideoFile(path);
                break;
        }
    } catch (...) {
        m_banner->showTrouble(Trouble::ofCurrentException());
    }
}

void MainWindow::openRunFolder(const QString& path) {
    m_background.run(
        [folder = path.toStdString()] { return openRun(folder); },
        [this, path](const OpenedRun& run) {
            if (m_runs->isBusy()) {
                m_banner->showNote(tr("A run is going on; others can be looked at when it ends."));
                return;
            }
            m_results->showRun(run);
            emit opened(path);
        },
        [this](const Trouble& trouble) { m_banner->showTrouble(trouble); });
}

void MainWindow::openVideoFile(const QString& path) {
    m_background.run([file = path.toStdString()] { return openVideo(file); },
                     [this, path](const OpenedVideo& video) {
                         if (!m_files->mayReplaceProject())
                             return;
                         useProject(video.project, path);
                         if (!m_runs->isBusy())
                             m_results->showVideoFile(nameOfPath(path), video.clip);
                         emit opened(path);
                     },
                     [this](const Trouble& trouble) { m_banner->showTrouble(trouble); });
}

void MainWindow::useProject(const Project& project, const QString& path) {
    m_document.adopt(project, nameOfPath(path));
    m_docks->showPanel(m_editor);
    m_banner->hide();
}

bool MainWindow::useProjectOfRun(const QString& folder) {
    try {
        const OpenedRun run = readRun(folder.toStdString());
        if (!m_files->mayReplaceProject())
            return false;
        useProject(run.project, folder);
        return true;
    } catch (...) {
        m_banner->showTrouble(Trouble::ofCurrentException());
        return false;
    }
}

void MainWindow::askForRunFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a run folder"),
                                                             QString::fromStdString(runsFolder().string()));
    if (!folder.isEmpty())
        openPath(folder);
}

void MainWindow::exportChartTo(const QString& file) {
    try {
        m_results->chart().exportTo(file.toStdString());
        m_banner->showNote(tr("The chart was written to %1").arg(file));
    } catch (...) {
        m_banner->showTrouble(Trouble::ofCurrentException());
    }
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
                              tr("Stop the run and quit? It can be resumed later from the History tab.")) !=
            QMessageBox::Yes) {
        event->ignore();
        return;
    }
    saveLayout();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openPath(draggedFile(event->mimeData()));
}

}  // namespace meshreel
