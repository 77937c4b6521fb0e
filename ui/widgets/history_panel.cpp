// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/history_panel.h"

#include <QAction>
#include <QLabel>
#include <QListView>
#include <QToolBar>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/run_delegate.h"

namespace meshreel {

HistoryPanel::HistoryPanel(RunHistoryModel& runs, QWidget* parent)
    : QWidget(parent),
      m_runs(runs),
      m_list(new QListView(this)),
      m_empty(new QLabel(tr("No runs yet. Press Run to make the first one."), this)),
      m_open(addAction("play", tr("Open"), tr("Show the chart, summary and video of the run"),
                       &HistoryPanel::openRequested)),
      m_project(addAction("use-project", tr("Use its project"), tr("Edit a copy of the run's project"),
                          &HistoryPanel::projectRequested)),
      m_resume(addAction("resume", tr("Resume"), tr("Go on from the last finished step"),
                         &HistoryPanel::resumeRequested)),
      m_resumeElsewhere(
          addAction("resume", tr("Resume on a different machine"),
                    tr("Go on although the processor, build or number of workers changed; the result may "
                       "differ in its last bits"),
                    &HistoryPanel::resumeElsewhereRequested)),
      m_decode(addAction("decode", tr("Decode again"), tr("Make the video again from the kept latents"),
                         &HistoryPanel::decodeRequested)),
      m_reveal(addAction("folder", tr("Show folder"), tr("Open the run's folder in the file manager"),
                         &HistoryPanel::revealRequested)) {
    m_list->setModel(&m_runs);
    m_list->setItemDelegate(new RunDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setUniformItemSizes(true);
    m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_list->setAccessibleName(tr("Runs"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(panelMargin);

    auto* tools = new QToolBar(this);
    tools->setIconSize(QSize(18, 18));
    for (QAction* action : {m_open, m_project, m_resume, m_decode, m_reveal}) {
        tools->addAction(action);
        m_list->addAction(action);
    }
    m_list->insertAction(m_decode, m_resumeElsewhere);
    tools->addSeparator();
    QAction* refresh =
        tools->addAction(themedIcon(QStringLiteral("refresh")), tr("Read the runs folder again"));
    connect(refresh, &QAction::triggered, this, &HistoryPanel::refreshRequested);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tools);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);

    connect(m_list->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HistoryPanel::updateActions);
    connect(&m_runs, &QAbstractItemModel::modelReset, this, &HistoryPanel::updateActions);
    connect(m_list, &QListView::activated, m_open, &QAction::trigger);
    updateActions();
}

void HistoryPanel::setEngineBusy(bool busy) {
    m_engineBusy = busy;
    updateActions();
}

void HistoryPanel::select(const QString& folder) {
    m_list->setCurrentIndex(m_runs.indexOf(folder));
}

QString HistoryPanel::selectedFolder() const {
    return m_list->currentIndex().data(RunHistoryModel::FolderRole).toString();
}

QAction* HistoryPanel::addAction(const char* icon, const QString& text, const QString& help,
                                 void (HistoryPanel::*request)(const QString&)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(QStringLiteral("<b>%1</b><br>%2").arg(text.toHtmlEscaped(), help.toHtmlEscaped()));
    connect(action, &QAction::triggered, this, [this, request] { emit(this->*request)(selectedFolder()); });
    return action;
}

void HistoryPanel::updateActions() {
    const QModelIndex current = m_list->currentIndex();
    const bool any = current.isValid();
    const RunStatus status = any ? m_runs.run(current).state.status : RunStatus::Running;
    const bool stopped = any && status != RunStatus::Running && !m_engineBusy;
    for (QAction* action : {m_open, m_project, m_reveal})
        action->setEnabled(any);
    for (QAction* action : {m_resume, m_resumeElsewhere})
        action->setEnabled(stopped && status != RunStatus::Done);
    m_decode->setEnabled(stopped && status == RunStatus::Done);
    const bool empty = m_runs.rowCount() == 0;
    m_empty->setVisible(empty);
    m_list->setVisible(!empty);
}

}  // namespace meshreel
