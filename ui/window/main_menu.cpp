// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_menu.h"

#include <QAction>
#include <QActionGroup>
#include <QMainWindow>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QUndoGroup>

#include "engine/base/sentence.h"
#include "engine/base/version.h"
#include "engine/estimates/machine_rates.h"
#include "engine/project/presets.h"
#include "ui/project/consequences.h"
#include "ui/project/prediction_source.h"
#include "ui/project/project_document.h"
#include "ui/project/rate_refinement.h"
#include "ui/queue/queue_times.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/run_presenter.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/theme/appearance.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/values/engine_use.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"
#include "ui/window/project_launcher.h"
#include "ui/window/workspaces.h"

namespace meshreel {

namespace {

QString toText(const std::filesystem::path& path) {
    return QString::fromStdString(path.string());
}

}  // namespace

namespace {

/// Returns its purpose; its name if it states none.
QString purposeOf(const PresetProject& preset) {
    const QString told = engineText(preset.description);
    const QString purpose = told.endsWith(QLatin1Char('.')) ? told.chopped(1) : told;
    return purpose.isEmpty() ? toText(preset.file.stem())
                             : QString(purpose).replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace

PresetMenu::PresetMenu(QWidget* parent) : QMenu(tr("New from &preset"), parent) {
    connect(this, &QMenu::aboutToShow, this, &PresetMenu::fill);
}

void PresetMenu::fill() {
    if (!isEmpty())
        return;
    QMenu* models = nullptr;
    std::vector<Sentence> unreadable;
    for (const PresetProject& preset : presetProjects(presetFolder(), &unreadable)) {
        const QString model = QString::fromStdString(preset.model);
        if (models == nullptr || models->title() != model) {
            models = addMenu(model);
            models->setToolTipsVisible(true);
        }
        const QString file = toText(preset.file);
        QAction* action = models->addAction(purposeOf(preset), this, [this, file] { emit chosen(file); });
        action->setToolTip(asPlainText(toText(preset.file.filename())));
    }
    for (const Sentence& damage : unreadable)
        addAction(sentenceText(damage).replace(QLatin1Char('&'), QLatin1String("&&")))->setEnabled(false);
    if (isEmpty())
        addAction(tr("None is installed"))->setEnabled(false);
}

namespace {

constexpr QSize toolIconSize{18, 18};

}  // namespace

MainMenu::MainMenu(const MenuTargets& targets, QMainWindow& window)
    : QObject(&window),
      m_targets(targets),
      m_window(window),
      m_undo(targets.undo.createUndoAction(this, tr("&Undo"))),
      m_redo(targets.undo.createRedoAction(this, tr("&Redo"))) {
    m_undo->setIcon(themedIcon(QStringLiteral("edit-undo")));
    m_redo->setIcon(themedIcon(QStringLiteral("edit-redo")));
    m_undo->setShortcut(QKeySequence::Undo);
    m_redo->setShortcut(QKeySequence::Redo);
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeRunMenu();
    makeHelpMenu();
    makeToolBar();
}

QMenu* MainMenu::addMenu(const QString& title) {
    return m_window.menuBar()->addMenu(title);
}

void MainMenu::makeFileMenu() {
    const ProjectFiles::Actions& files = m_targets.files.actions();
    QMenu* menu = addMenu(tr("&File"));
    auto* presets = new PresetMenu(&m_window);
    connect(presets, &PresetMenu::chosen, this, &MainMenu::presetRequested);
    menu->addAction(files.startNew);
    menu->addMenu(presets);
    menu->addAction(m_targets.storyboards.actions().startNew);
    menu->addAction(tr("&Looks…"), this, &MainMenu::looksRequested);
    menu->addAction(files.open);
    menu->addAction(tr("Open run &folder…"), this, &MainMenu::runFolderRequested);
    menu->addAction(tr("&Import from MaxDiffusion…"), this, &MainMenu::importRequested);
    menu->addAction(tr("Choose the folder for r&uns…"), this, &MainMenu::runsFolderRequested);
    menu->addMenu(files.recent);
    menu->addSeparator();
    menu->addActions({files.save, files.saveAs});
    menu->addActions({m_targets.storyboards.actions().save, m_targets.storyboards.actions().saveAs});
    menu->addSeparator();
    menu->addAction(tr("&Quit"), QKeySequence::Quit, &m_window, &QWidget::close);
}

void MainMenu::makeEditMenu() {
    QMenu* menu = addMenu(tr("&Edit"));
    menu->addActions({m_undo, m_redo});
    menu->addSeparator();
    menu->addAction(themedIcon(QStringLiteral("search")), tr("&Find setting"), QKeySequence::Find, this,
                    &MainMenu::searchRequested);
    menu->addAction(tr("Re&write the prompt…"), this, &MainMenu::rewriteRequested);
}

void MainMenu::makeViewMenu() {
    QMenu* menu = addMenu(tr("&View"));
    m_targets.workspaces.fillMenu(menu->addMenu(tr("&Workspace")));
    menu->addSeparator();
    m_targets.docks.fillMenu(menu);
    menu->addSeparator();
    menu->addAction(tr("F&ull screen"), QKeySequence(Qt::Key_F11), this, &MainMenu::fullScreenRequested);
    menu->addAction(tr("&Reset layout"), &m_targets.workspaces, &Workspaces::reset);
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

void MainMenu::makeRunMenu() {
    RunPresenter* runs = &m_targets.runs;
    ProjectLauncher* launcher = &m_targets.launcher;
    PredictionSource* predictions = &m_targets.predictions;
    QMenu* menu = addMenu(tr("&Run"));
    QAction* start =
        menu->addAction(themedIcon(QStringLiteral("play")), tr("&Run"), launcher, &ProjectLauncher::run);
    start->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter),
                         QKeySequence(Qt::CTRL | Qt::Key_R)});
    QAction* stop = menu->addAction(themedIcon(QStringLiteral("cancel")), tr("&Cancel"),
                                    QKeySequence(Qt::CTRL | Qt::Key_Period), runs, &RunPresenter::cancel);
    QAction* pause =
        menu->addAction(themedIcon(QStringLiteral("pause")), tr("&Pause after this step"),
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), runs, &RunPresenter::pause);
    stop->setEnabled(false);
    pause->setEnabled(false);
    connect(runs, &RunPresenter::busyChanged, stop, &QAction::setEnabled);
    connect(runs, &RunPresenter::pausableChanged, pause, &QAction::setEnabled);
    menu->addSeparator();
    menu->addAction(tr("Add to &queue"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), launcher,
                    &ProjectLauncher::addToQueue);
    menu->addAction(tr("Add a &grid to the queue…"), launcher, &ProjectLauncher::addGridToQueue);
    menu->addAction(tr("Add a &table to the queue…"), launcher, &ProjectLauncher::addTableToQueue);
    menu->addSeparator();
    QAction* measure = menu->addAction(tr("&Measure this machine"), predictions, &PredictionSource::measure);
    measure->setToolTip(tr("Times what videos are made of, for predicting how long runs take"));
    connect(&m_targets.engine, &EngineUse::changed, measure,
            [this, measure] { measure->setDisabled(m_targets.engine.atHand().has_value()); });
    RateRefinement* refinement = &m_targets.refinement;
    QAction* refine =
        menu->addAction(tr("Keep measuring when &idle"), refinement, &RateRefinement::setWanted);
    refine->setCheckable(true);
    refine->setChecked(refinement->isWanted());
    refine->setToolTip(tr("Adds rounds to the measurement of this machine while nothing runs"));
    connect(refinement, &RateRefinement::wantedChanged, refine, &QAction::setChecked);
    connect(runs, &RunPresenter::mayBeginChanged, start,
            [runs, start](bool may) { start->setEnabled(may || runs->isBusy()); });
}

void MainMenu::makeHelpMenu() {
    QMenu* menu = addMenu(tr("&Help"));
    menu->addAction(tr("&Project keys"), QKeySequence::HelpContents, this, &MainMenu::referenceRequested);
    menu->addAction(tr("&Tour"), this, &MainMenu::tourRequested);
    menu->addSeparator();
    menu->addAction(tr("&About Meshreel"), this, &MainMenu::showAbout)->setMenuRole(QAction::AboutRole);
    menu->addAction(tr("About &Qt"), this, [this] { QMessageBox::aboutQt(&m_window); });
}

QWidget* MainMenu::makeQueueBadge(QWidget* parent) {
    auto* badge = new QToolButton(parent);
    badge->setObjectName(QStringLiteral("queueBadge"));
    badge->setAutoRaise(true);
    badge->setToolTip(tr("Show the queue"));
    RunQueue* queue = &m_targets.queue;
    const QueueTimes* times = &m_targets.queueTimes;
    const auto refresh = [badge, queue, times] {
        const int waiting = queue->waiting();
        QString text = waiting == 0 ? tr("Queue") : tr("Queue: %n waiting", nullptr, waiting);
        if (const std::optional<double> total = times->total(); total && waiting > 0)
            text = tr("%1 · %2", "how many wait, how long they take").arg(text, roughDuration(*total));
        badge->setText(text);
        QFont font = badge->font();
        font.setBold(waiting > 0);
        badge->setFont(font);
    };
    refresh();
    connect(queue, &RunQueue::changed, badge, refresh);
    connect(times, &QueueTimes::changed, badge, refresh);
    connect(badge, &QToolButton::clicked, this, &MainMenu::queueRequested);
    return badge;
}

void MainMenu::makeToolBar() {
    const ProjectFiles::Actions& files = m_targets.files.actions();
    QToolBar* bar = m_window.addToolBar(tr("Workspaces"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setIconSize(toolIconSize);
    bar->addWidget(&m_targets.workspaces.tabs());
    auto* between = new QWidget(bar);
    between->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(between);
    bar->addActions({files.startNew, files.open, files.save});
    bar->addSeparator();
    bar->addActions({m_undo, m_redo});
    bar->addSeparator();
    bar->addWidget(makeQueueBadge(bar));
}

void MainMenu::showAbout() {
    const auto text = [](std::string_view view) { return QString::fromStdString(std::string(view)); };
    const MachineIdentity machine = MachineIdentity::ofThis();
    QMessageBox::about(
        &m_window, tr("About Meshreel"),
        tr("<h3>Meshreel %1</h3><p>Video generation with Wan models on your own processors.</p>"
           "<p>Commit %2. Free software under the GNU General Public License, version 3 or later.</p>")
                .arg(text(versionNumber()), text(versionCommit())) +
            tr("<p>This machine: %1, %n CPU(s), computing with %2.</p>", nullptr, machine.cpus)
                .arg(text(machine.cpu), text(machine.isa)));
}

}  // namespace meshreel

#include "moc_main_menu.cpp"
