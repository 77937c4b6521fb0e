// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/queue/run_queue.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/cell_tips.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_tool_bar.h"
#include "ui/widgets/table_columns.h"

namespace meshreel {

namespace {

constexpr QSize toolIconSize{18, 18};
constexpr int titleWidth = 320;

}  // namespace

QueuePanel::QueuePanel(RunQueue& queue, QWidget* parent)
    : QWidget(parent),
      m_queue(queue),
      m_table(new QTreeView(this)),
      m_empty(new EmptyState(tr("Nothing is queued: add the project as it is now, or once for every "
                                "combination of some settings."),
                             this)),
      m_remark(new QLabel(queue.remark(), this)) {
    makeActions();
    setUpTable();
    m_empty->addButton(m_actions.add);
    m_empty->addButton(m_actions.addGrid);
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

    connect(&m_queue, &RunQueue::changed, this, &QueuePanel::updateActions);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &QueuePanel::updateActions);
    updateActions();
}

bool QueuePanel::isGoing() const {
    return m_actions.go->isChecked();
}

void QueuePanel::setGoing(bool going) {
    m_actions.go->setChecked(going);
}

QString QueuePanel::remark() const {
    return m_remark->text();
}

void QueuePanel::makeActions() {
    m_actions.add = new QAction(themedIcon(QStringLiteral("add")), tr("Add"), this);
    m_actions.add->setToolTip(tr("Add the project as it is now (Ctrl+Shift+R)"));
    m_actions.addGrid = new QAction(themedIcon(QStringLiteral("grid")), tr("Add a grid…"), this);
    m_actions.addGrid->setToolTip(
        tr("Add the project once for every combination of some settings: seeds, prompts, sizes, …"));
    m_actions.go = new QAction(themedIcon(QStringLiteral("play")), tr("Run the queue"), this);
    m_actions.go->setCheckable(true);
    m_actions.go->setToolTip(tr("Runs one after the other; switched off, the one at hand still ends"));
    m_actions.up = rowAction("up", tr("Earlier"), &RunQueue::moveUp);
    m_actions.down = rowAction("down", tr("Later"), &RunQueue::moveDown);
    m_actions.resume = rowAction("resume", tr("Resume"), &RunQueue::resume);
    m_actions.retry = rowAction("refresh", tr("Run again"), &RunQueue::retry);
    m_actions.remove = rowAction("trash", tr("Remove from the queue"), &RunQueue::remove);
    m_actions.clear = new QAction(themedIcon(QStringLiteral("check")), tr("Remove what is done"), this);
    m_actions.up->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Up));
    m_actions.down->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Down));
    m_actions.remove->setShortcut(QKeySequence::Delete);
    for (QAction* action : {m_actions.up, m_actions.down, m_actions.remove})
        action->setShortcutContext(Qt::WidgetShortcut);  // of the table, to which they are added
    connect(m_actions.add, &QAction::triggered, this, &QueuePanel::addRequested);
    connect(m_actions.addGrid, &QAction::triggered, this, &QueuePanel::gridRequested);
    connect(m_actions.go, &QAction::toggled, this, &QueuePanel::goingChanged);
    connect(m_actions.clear, &QAction::triggered, &m_queue, &RunQueue::clearFinished);
}

QAction* QueuePanel::rowAction(const char* icon, const QString& text, void (RunQueue::*act)(int)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    connect(action, &QAction::triggered, this, [this, act] { actOnCurrent(act); });
    return action;
}

QWidget* QueuePanel::makeTools() {
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    const Actions& all = m_actions;
    tools->addActions({all.add, all.addGrid, all.go});
    for (QAction* action : {all.add, all.addGrid, all.go})
        if (auto* button = qobject_cast<QToolButton*>(tools->widgetForAction(action)))
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
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
    m_table->setAccessibleName(tr("Queue"));
    new CellTips(*m_table);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addActions({m_actions.up, m_actions.down, m_actions.resume, m_actions.retry, m_actions.remove});
    m_table->header()->resizeSection(RunQueue::Title, titleWidth);
    makeRoomForHeadings(*m_table->header());
}

void QueuePanel::actOnCurrent(void (RunQueue::*act)(int)) {
    if (const QModelIndex current = m_table->currentIndex(); current.isValid())
        (m_queue.*act)(current.row());
}

void QueuePanel::updateActions() {
    using State = QueuedRun::State;
    const QModelIndex current = m_table->currentIndex();
    const bool any = current.isValid() && current.row() < m_queue.rowCount();
    const State state = any ? m_queue.at(current.row()).state : State::Running;
    const bool ended = any && state != State::Running && state != State::Waiting;
    m_actions.up->setEnabled(any && current.row() > 0);
    m_actions.down->setEnabled(any && current.row() + 1 < m_queue.rowCount());
    m_actions.resume->setEnabled(ended && state != State::Done &&
                                 !m_queue.at(current.row()).folder.isEmpty());
    m_actions.retry->setEnabled(ended);
    m_actions.remove->setEnabled(any && state != State::Running);
    m_actions.clear->setEnabled(m_queue.count(State::Done) > 0);
    m_empty->setVisible(m_queue.rowCount() == 0);
    m_table->setVisible(m_queue.rowCount() > 0);
}

}  // namespace meshreel
