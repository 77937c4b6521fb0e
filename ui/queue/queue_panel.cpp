// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_panel.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.h"
#include "engine/events/run_event.h"
#include "engine/runs/run_folder.h"
#include "ui/project/consequences.h"
#include "ui/queue/run_queue.h"
#include "ui/running/run_controller.h"
#include "ui/runs/run_presenter.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr QSize toolIconSize{18, 18};
constexpr QSize thumbnailSize{36, 22};
constexpr int leastTitle = 200;         ///< a few words of the prompt
constexpr int measuredRows = 100;       ///< rows below the visible ones; a queue may hold a thousand
constexpr int turnMilliseconds = 1000;  ///< until the turn is asked for again that another program has

bool any(const QueuedRun& /*run*/) {
    return true;
}

bool isAtRest(const QueuedRun& run) {
    return run.state != QueuedRun::State::Running;
}

bool hasEnded(const QueuedRun& run) {
    return isAtRest(run) && run.state != QueuedRun::State::Waiting;
}

/// Whether a GPU computed the run, which a project may leave to the plan.
bool ranOnGpu(const QueuedRun& run) {
    const std::string& folder = run.folder;
    if (run.project.gpus.isNone() || !RunFolder::isRun(folder))
        return false;
    try {
        return RunFolder::open(folder).object(run_file::environment).contains("gpu");
    } catch (const Error&) {
        return false;  // it failed before it began
    }
}

/// The GPU may be why: the CPU has more memory, and half of the video needs less of the GPU's.
bool failedOnGpu(const QueuedRun& run) {
    return run.state == QueuedRun::State::Failed && ranOnGpu(run);
}

bool failedAndMayBeShorter(const QueuedRun& run) {
    return failedOnGpu(run) && RunQueue::canBeShorter(run.project);
}

bool wasStopped(const QueuedRun& run) {
    return hasEnded(run) && run.state != QueuedRun::State::Done && !run.folder.empty();
}

}  // namespace

QueuePanel::QueuePanel(RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      m_queue(queue),
      m_table(new QTreeView(this)),
      m_empty(new EmptyState(tr("Nothing is queued: add the project as it is now, or once for every "
                                "combination of some settings."),
                             this)),
      m_remark(new QLabel(queue.remark(), this)),
      m_waiting(new QLabel(this)) {
    setAcceptDrops(true);
    makeActions();
    setUpTable();
    m_empty->addButton(m_actions.add);
    m_empty->addButton(m_actions.addGrid);
    m_remark->setTextFormat(Qt::PlainText);
    m_remark->setWordWrap(true);
    m_remark->setMargin(panelMargin);
    m_remark->setVisible(!m_remark->text().isEmpty());

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(m_remark);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_waiting);
    m_waiting->setTextFormat(Qt::PlainText);
    m_waiting->setContentsMargins(panelMargin, tightSpacing, panelMargin, tightSpacing);

    connect(&m_queue, &RunQueue::changed, this, &QueuePanel::updateActions);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &QueuePanel::updateActions);
    connect(m_table, &QTreeView::activated, this, &QueuePanel::activate);
    updateActions();
}

bool QueuePanel::isGoing() const {
    return m_actions.go->isChecked();
}

void QueuePanel::setGoing(bool going) {
    m_actions.go->setChecked(going);
}

void QueuePanel::setTotal(std::optional<double> seconds) {
    m_total = seconds;
    updateActions();
}

QString QueuePanel::remark() const {
    return m_remark->text();
}

void QueuePanel::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void QueuePanel::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    if (const QStringList paths = draggedPaths(event->mimeData()); !paths.isEmpty())
        emit pathsGiven(paths);
}

void QueuePanel::makeActions() {
    m_actions.add = new QAction(themedIcon(QStringLiteral("add")), tr("Add"), this);
    m_actions.add->setToolTip(tr("Add the project as it is now (Ctrl+Shift+R)"));
    m_actions.addGrid = new QAction(themedIcon(QStringLiteral("grid")), tr("Add a grid…"), this);
    m_actions.addGrid->setToolTip(
        tr("Add the project once for every combination of some settings: seeds, prompts, sizes, …"));
    m_actions.addFiles =
        new QAction(themedIcon(QStringLiteral("document-open")), tr("Add project files…"), this);
    m_actions.addFiles->setToolTip(
        tr("Project files, and tables (CSV) whose columns are keys and whose rows are runs of the project"));
    m_actions.go = new QAction(themedIcon(QStringLiteral("play")), tr("Run the queue"), this);
    m_actions.go->setCheckable(true);
    m_actions.go->setToolTip(
        tr("Runs one after the other; when switched off, the current one still finishes"));
    m_actions.open =
        rowAction("film", tr("Open"), tr("Show the chart, summary and video of the run"), &QueuePanel::open);
    m_actions.project =
        rowAction("use-project", tr("Load these settings"),
                  tr("Edit a copy of the project as it is in the queue"), &QueuePanel::useProject);
    m_actions.up = rowsAction("up", tr("Earlier"), &RunQueue::moveUp, any);
    m_actions.down = rowsAction("down", tr("Later"), &RunQueue::moveDown, any);
    m_actions.resume = rowsAction("resume", tr("Resume"), &RunQueue::resume, wasStopped);
    m_actions.retry = rowsAction("refresh", tr("Run again"), &RunQueue::retry, hasEnded);
    m_actions.onCpu = rowsAction("refresh", tr("Run again on the CPU"), &RunQueue::retryOnCpu, failedOnGpu);
    m_actions.shorter = rowsAction("refresh", tr("Run again with half the frames"), &RunQueue::retryShorter,
                                   failedAndMayBeShorter);
    m_actions.remove = new QAction(themedIcon(QStringLiteral("trash")), tr("Remove from the queue"), this);
    m_actions.clear = new QAction(themedIcon(QStringLiteral("check")), tr("Remove what is done"), this);
    m_actions.up->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Up));
    m_actions.down->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Down));
    m_actions.remove->setShortcut(QKeySequence::Delete);
    for (QAction* action : {m_actions.up, m_actions.down, m_actions.remove})
        action->setShortcutContext(Qt::WidgetShortcut);  // of the table, to which they are added
    connect(m_actions.add, &QAction::triggered, this, &QueuePanel::addRequested);
    connect(m_actions.addGrid, &QAction::triggered, this, &QueuePanel::gridRequested);
    connect(m_actions.addFiles, &QAction::triggered, this, &QueuePanel::askForFiles);
    connect(m_actions.go, &QAction::toggled, this, &QueuePanel::goingChanged);
    connect(m_actions.remove, &QAction::triggered, this, &QueuePanel::removeChosen);
    connect(m_actions.clear, &QAction::triggered, &m_queue, &RunQueue::clearFinished);
}

QAction* QueuePanel::rowsAction(const char* icon, const QString& text, void (RunQueue::*act)(const Rows&),
                                bool (*suits)(const QueuedRun&)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    connect(action, &QAction::triggered, this, [this, act, suits] { (m_queue.*act)(chosenRows(suits)); });
    return action;
}

QAction* QueuePanel::rowAction(const char* icon, const QString& text, const QString& help,
                               void (QueuePanel::*act)(const QueuedRun&)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(help);
    connect(action, &QAction::triggered, this, [this, act] {
        if (const Rows rows = chosenRows(any); rows.size() == 1)
            (this->*act)(m_queue.at(rows.front()));
    });
    return action;
}

QWidget* QueuePanel::makeTools() {
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const Actions& all = m_actions;
    tools->addActions({all.go, all.add, all.addGrid, all.addFiles});
    tools->addSeparator();
    tools->addActions({all.open, all.project});
    tools->addSeparator();
    tools->addActions({all.up, all.down, all.resume, all.retry, all.remove, all.clear});
    return tools;
}

void QueuePanel::setUpTable() {
    m_table->setModel(&m_queue);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setAlternatingRowColors(true);
    m_table->setIconSize(thumbnailSize);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setAccessibleName(tr("Queue"));
    new CellTips(*m_table);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->addActions({m_actions.open, m_actions.project, m_actions.up, m_actions.down, m_actions.resume,
                         m_actions.retry, m_actions.onCpu, m_actions.shorter, m_actions.remove});
    QHeaderView& header = *m_table->header();
    header.setStretchLastSection(false);
    header.setResizeContentsPrecision(measuredRows);
    header.setSectionResizeMode(QHeaderView::ResizeToContents);
    header.setSectionResizeMode(RunQueue::Title, QHeaderView::Fixed);
    new FillingColumn(header, RunQueue::Title, leastTitle);
    new ColumnMenu(*m_table, header);
}

QueuePanel::Rows QueuePanel::chosenRows(bool (*suits)(const QueuedRun&)) const {
    Rows rows;
    for (const QModelIndex& cell : m_table->selectionModel()->selectedRows())
        if (suits(m_queue.at(cell.row())))
            rows.push_back(cell.row());
    std::ranges::sort(rows);
    return rows;
}

void QueuePanel::removeChosen() {
    const Rows rows = chosenRows(isAtRest);
    if (rows.empty())
        return;
    m_queue.remove(rows);
    const int next = std::min(rows.front(), m_queue.rowCount() - 1);
    m_table->setCurrentIndex(m_queue.index(next, 0));
}

void QueuePanel::askForFiles() {
    const QStringList files = QFileDialog::getOpenFileNames(this, tr("Add projects to the queue"), QString(),
                                                            tr("Projects and tables (*.yaml *.yml *.csv)"));
    if (!files.isEmpty())
        emit pathsGiven(files);
}

void QueuePanel::open(const QueuedRun& run) {
    if (!isAtRest(run) && !m_queue.runsElsewhere(run))
        emit liveRunRequested();
    else if (!run.folder.empty())
        emit openRequested(QString::fromStdString(run.folder));
}

void QueuePanel::useProject(const QueuedRun& run) {
    emit projectRequested(run.project);
}

void QueuePanel::activate(const QModelIndex& cell) {
    const QueuedRun& run = m_queue.at(cell.row());
    if (isAtRest(run) && run.folder.empty())
        useProject(run);
    else
        open(run);
}

void QueuePanel::updateActions() {
    const Rows rows = chosenRows(any);
    const auto count = static_cast<int>(rows.size());
    const bool one = count == 1;
    m_actions.open->setEnabled(
        one && (!m_queue.at(rows.front()).folder.empty() || !isAtRest(m_queue.at(rows.front()))));
    m_actions.project->setEnabled(one);
    m_actions.up->setEnabled(count > 0 && rows.back() >= count);
    m_actions.down->setEnabled(count > 0 && rows.front() < m_queue.rowCount() - count);
    m_actions.resume->setEnabled(!chosenRows(wasStopped).empty());
    m_actions.retry->setEnabled(!chosenRows(hasEnded).empty());
    m_actions.onCpu->setVisible(!chosenRows(failedOnGpu).empty());
    m_actions.shorter->setVisible(!chosenRows(failedAndMayBeShorter).empty());
    m_actions.remove->setEnabled(!chosenRows(isAtRest).empty());
    m_actions.clear->setEnabled(m_queue.count(QueuedRun::State::Done) > 0);
    const int waiting = m_queue.waiting();
    m_waiting->setVisible(waiting > 0);
    m_waiting->setText(
        m_total ? tr("%n runs wait, about %1 in all", nullptr, waiting).arg(roughDuration(*m_total))
                : tr("%n runs wait", nullptr, waiting));
    m_table->setColumnHidden(RunQueue::Settings, !m_queue.tellsSettings());
    m_empty->setVisible(m_queue.rowCount() == 0);
    m_table->setVisible(m_queue.rowCount() > 0);
}

QueueRunner::QueueRunner(RunQueue& queue, QueuePanel& panel, RunPresenter& runs, QObject* parent)
    : QObject(parent), m_queue(queue), m_panel(panel), m_runs(runs) {
    hearRuns();
    m_again.setSingleShot(true);
    m_again.setInterval(turnMilliseconds);
    connect(&m_again, &QTimer::timeout, this, &QueueRunner::startNext);
    // Queued: a run that ended has informed all receivers before the next one begins.
    connect(&panel, &QueuePanel::goingChanged, this, &QueueRunner::startNext, Qt::QueuedConnection);
    connect(&queue, &RunQueue::changed, this, &QueueRunner::startNext, Qt::QueuedConnection);
    connect(&runs, &RunPresenter::mayBeginChanged, this, &QueueRunner::startNext, Qt::QueuedConnection);
}

void QueueRunner::hearRuns() {
    RunController& controller = m_runs.controller();
    connect(&controller, &RunController::takenUp, this,
            [this](const OpenedRun& run) { takeUp(QString::fromStdString(run.folder.string())); });
    onEvent<FolderReady>(controller, this, [this](const FolderReady& ready) {
        m_queue.setFolder(QString::fromStdString(ready.folder.string()));
    });
    connect(&controller, &RunController::finished, this, [this] { end(QueuedRun::State::Done); });
    connect(&controller, &RunController::cancelled, this, [this](bool paused) {
        const bool wasGoing = m_panel.isGoing() && m_queue.isRunning();
        m_pausedWith = paused && wasGoing ? m_queue.runningFolder() : QString();
        m_panel.setGoing(false);
        end(paused ? QueuedRun::State::Waiting : QueuedRun::State::Cancelled);
    });
    connect(&controller, &RunController::failed, this, [this](const Problem& problem) {
        end(QueuedRun::State::Failed,
            sentenceText(problem.message) + QLatin1Char('\n') + sentenceText(problem.hint()));
    });
}

void QueueRunner::takeUp(const QString& folder) {
    if (m_queue.takeUp(folder) && folder == m_pausedWith)
        m_panel.setGoing(true);
}

void QueueRunner::end(QueuedRun::State state, const QString& remark) {
    if (m_runs.controller().pauseAsked())
        m_panel.setGoing(false);
    m_queue.end(state, remark);
}

void QueueRunner::startNext() {
    if (!m_panel.isGoing() || !m_runs.mayBegin())
        return;
    m_pausedWith.clear();
    const std::optional<QueuedRun> next = m_queue.start();
    if (!next && m_queue.waiting() > 0 && m_queue.isBusyElsewhere())
        m_again.start();
    else if (!next)
        m_panel.setGoing(false);
    else if (next->folder.empty() || !RunFolder::isRun(next->folder))
        m_runs.generate(next->project);
    else
        m_runs.resume(QString::fromStdString(next->folder), false);
}

}  // namespace meshreel

#include "moc_queue_panel.cpp"
