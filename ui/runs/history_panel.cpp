// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/history_panel.h"

#include <QAction>
#include <QApplication>
#include <QDateTime>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/runs/run_folder.h"
#include "ui/runs/run_history_model.h"
#include "ui/theme/look.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr QSize pictureSize{92, 56};  ///< a wide video fills it
constexpr int dotDiameter = 8;

QColor statusColour(RunStatus status, const QPalette& palette) {
    switch (status) {
        case RunStatus::Done:
            return {0x2e, 0x9d, 0x5b};
        case RunStatus::Running:
            return palette.color(QPalette::Highlight);
        case RunStatus::Cancelled:
            return {0xd9, 0x8a, 0x1f};
        case RunStatus::Failed:
        case RunStatus::Crashed:
            break;
    }
    return errorColor(palette);
}

/// Draws the whole picture, without bars beside it.
void drawPicture(QPainter* painter, QRect frame, const QPixmap& picture, const QPalette& palette) {
    if (picture.isNull()) {
        painter->fillRect(frame, palette.color(QPalette::AlternateBase));
        themedIcon(QStringLiteral("film"))
            .paint(painter, frame.adjusted(spacing, spacing, -spacing, -spacing), Qt::AlignCenter,
                   QIcon::Disabled);
        return;
    }
    QRect target(QPoint(), picture.size().scaled(frame.size(), Qt::KeepAspectRatio));
    target.moveCenter(frame.center());
    painter->drawPixmap(target, picture);
}

}  // namespace

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);

    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRect inner = option.rect.adjusted(spacing, spacing, -spacing, -spacing);
    const QRect picture(inner.topLeft(), pictureSize);
    const auto mirrored = [&](const QRect& place) {
        return QStyle::visualRect(option.direction, option.rect, place);
    };
    drawPicture(painter, mirrored(picture), index.data(Qt::DecorationRole).value<QPixmap>(), option.palette);

    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const QColor ink = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    const QColor muted = selected ? ink : mutedColor(option.palette);
    const int line = option.fontMetrics.lineSpacing();
    QRect text(picture.right() + 1 + panelMargin, inner.top(), 0, line);
    text.setRight(inner.right());
    text.moveTop(inner.top() + (pictureSize.height() - 3 * line) / 2);
    const auto drawLine = [&](const QColor& colour, const QString& content, int indent) {
        const QRect box = text.adjusted(indent, 0, 0, 0);
        painter->setPen(colour);
        painter->drawText(
            mirrored(box),
            QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter) | Qt::AlignAbsolute,
            option.fontMetrics.elidedText(content, Qt::ElideRight, box.width()));
        text.translate(0, line);
    };
    drawLine(ink, index.data(Qt::DisplayRole).toString(), 0);
    const QRect dot(text.left(), text.center().y() - dotDiameter / 2 + 1, dotDiameter, dotDiameter);
    painter->setBrush(statusColour(static_cast<RunStatus>(index.data(RunHistoryModel::StatusRole).toInt()),
                                   option.palette));
    painter->setPen(Qt::NoPen);
    painter->drawEllipse(mirrored(dot));
    drawLine(ink, index.data(RunHistoryModel::StatusTextRole).toString(), dotDiameter + spacing);
    drawLine(muted, index.data(RunHistoryModel::DetailRole).toString(), 0);
    painter->restore();
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {3 * pictureSize.width(),
            std::max(pictureSize.height(), 3 * option.fontMetrics.lineSpacing()) + 2 * spacing};
}

namespace {

constexpr QSize toolIconSize{18, 18};
constexpr int leastRunWidth = 260;  ///< a picture and a few words of the prompt
constexpr int durationWidth = 80;
constexpr int stepsWidth = 60;
constexpr int differsWidth = 150;
constexpr int tagsWidth = 70;
constexpr int noteWidth = 70;

QString wrapHelp(const QString& text, const QString& help) {
    return QStringLiteral("<b>%1</b><br>%2").arg(text.toHtmlEscaped(), help.toHtmlEscaped());
}

}  // namespace

HistoryPanel::HistoryPanel(RunHistoryModel& runs, QWidget* parent)
    : QWidget(parent),
      m_runs(runs),
      m_shown(new QSortFilterProxyModel(this)),
      m_search(new QLineEdit(this)),
      m_table(new QTreeView(this)),
      m_empty(new EmptyState({}, this)),
      m_describe(m_empty->addButton(themedIcon(QStringLiteral("film")), tr("Describe a video"))),
      m_clearSearch(m_empty->addButton(themedIcon(QStringLiteral("close")), tr("Show all runs"))),
      m_open(addAction("play", tr("Open"), tr("Show the chart, summary and video of the run"),
                       &HistoryPanel::openRequested)),
      m_project(addAction("use-project", tr("Load these settings"), tr("Edit a copy of the run's project"),
                          &HistoryPanel::projectRequested)),
      m_resume(addAction("resume", tr("Resume"), tr("Go on from the last finished step"),
                         &HistoryPanel::resumeRequested)),
      m_resumeElsewhere(
          addAction("resume", tr("Resume on a different machine"),
                    tr("Resume although the processor, build or number of workers has changed; the last bits "
                       "of the result may differ"),
                    &HistoryPanel::resumeElsewhereRequested)),
      m_decode(addAction("decode", tr("Decode again"), tr("Make the video again from the kept latents"),
                         &HistoryPanel::decodeRequested)),
      m_reveal(addAction("folder", tr("Show folder"), tr("Open the run's folder in the file manager"),
                         &HistoryPanel::revealRequested)),
      m_compare(addGroupAction("compare", tr("Compare"),
                               tr("Show the selected runs in one chart, with the settings that differ"),
                               &HistoryPanel::compareRequested)),
      m_compareWithProject(addGroupAction("compare", tr("Compare with the open project"),
                                          tr("Show in which settings the selected runs and the project being "
                                             "edited differ"),
                                          &HistoryPanel::compareWithProjectRequested)),
      m_copySummaries(addGroupAction("edit-copy", tr("Copy timing summaries"),
                                     tr("Copy those of the selected runs in the published layout"),
                                     &HistoryPanel::copySummariesRequested)),
      m_copyBest(addGroupAction("edit-copy", tr("Copy best configurations"),
                                tr("Copy the fastest of the selected runs, by attention mode and number of "
                                   "devices, as a Markdown table"),
                                &HistoryPanel::copyBestRequested)),
      m_trash(addGroupAction("trash", tr("Move to trash"),
                             tr("Move the folders of the selected runs to the trash"),
                             &HistoryPanel::trashRequested)) {
    m_shown->setSourceModel(&m_runs);
    m_shown->setSortRole(RunHistoryModel::SortRole);
    m_shown->setFilterRole(RunHistoryModel::SearchRole);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    setUpTable();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHeader());
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_table, 1);

    connect(m_describe, &QPushButton::clicked, this, &HistoryPanel::describeRequested);
    connect(m_clearSearch, &QPushButton::clicked, m_search, &QLineEdit::clear);
    connect(m_search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_search, &QLineEdit::textChanged, this, &HistoryPanel::updateActions);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HistoryPanel::updateActions);
    // Connects to the model below, which reports a batch at once; by then the view has followed.
    connect(&m_runs, &QAbstractItemModel::rowsInserted, this, &HistoryPanel::updateActions);
    connect(&m_runs, &QAbstractItemModel::rowsRemoved, this, &HistoryPanel::updateActions);
    connect(&m_runs, &QAbstractItemModel::dataChanged, this, &HistoryPanel::updateActions);
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (!index.flags().testFlag(Qt::ItemIsEditable))
            m_open->trigger();
    });
    updateActions();
}

QWidget* HistoryPanel::makeHeader() {
    m_search->setPlaceholderText(tr("Search runs"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    for (QAction* action : {m_open, m_compare, m_project, m_resume, m_decode, m_reveal, m_trash}) {
        tools->addAction(action);
        m_table->addAction(action);
    }
    m_table->insertAction(m_decode, m_resumeElsewhere);
    m_table->insertAction(m_project, m_compareWithProject);
    m_table->insertAction(m_project, m_copySummaries);
    m_table->insertAction(m_project, m_copyBest);
    m_table->addAction((new SortMenu(*m_table->header()))->menuAction());
    new ColumnMenu(*m_table, *m_table->header(), ColumnMenu::Choice::Shown);
    m_trash->setShortcut(QKeySequence::Delete);
    m_trash->setShortcutContext(Qt::WidgetShortcut);
    auto* refresh = new QToolButton(this);
    refresh->setIcon(themedIcon(QStringLiteral("refresh")));
    refresh->setText(tr("Refresh"));
    refresh->setToolTip(tr("Read the runs folder again"));
    refresh->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    refresh->setAutoRaise(true);
    connect(refresh, &QToolButton::clicked, this, &HistoryPanel::refreshRequested);
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(panelMargin, tightSpacing, tightSpacing, tightSpacing);
    column->setSpacing(tightSpacing);
    auto* row = new QHBoxLayout;
    row->addWidget(m_search, 1);
    row->addWidget(refresh);
    column->addLayout(row);
    column->addWidget(tools);
    return header;
}

void HistoryPanel::setUpTable() {
    m_table->setModel(m_shown);
    m_table->setItemDelegateForColumn(RunHistoryModel::Run, new RunDelegate(m_table));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunHistoryModel::Started, Qt::DescendingOrder);
    m_table->setAccessibleName(tr("Runs"));
    new CellTips(*m_table);
    const QFontMetrics metrics = m_table->fontMetrics();
    const QDateTime wide(QDate(2026, 12, 28), QTime(20, 48, 58));
    m_table->header()->resizeSection(RunHistoryModel::Started,
                                     metrics.horizontalAdvance(momentText(wide)) + 2 * panelMargin);
    m_table->header()->resizeSection(RunHistoryModel::Duration, durationWidth);
    m_table->header()->resizeSection(RunHistoryModel::Steps, stepsWidth);
    m_table->header()->resizeSection(RunHistoryModel::StepSeconds, stepsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Seed, stepsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Differs, differsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Tags, tagsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Note, noteWidth);
    m_table->header()->moveSection(m_table->header()->visualIndex(RunHistoryModel::Seed), 1);
    m_table->header()->moveSection(m_table->header()->visualIndex(RunHistoryModel::Differs), 2);
    makeRoomForHeadings(*m_table->header());
    m_table->header()->setSectionResizeMode(RunHistoryModel::Run, QHeaderView::Fixed);
    new FillingColumn(*m_table->header(), RunHistoryModel::Run, leastRunWidth);
    for (const int column : {RunHistoryModel::Status, RunHistoryModel::Size, RunHistoryModel::Model,
                             RunHistoryModel::Attention, RunHistoryModel::Devices, RunHistoryModel::Mesh})
        m_table->hideColumn(column);
}

void HistoryPanel::setEngineBusy(bool busy) {
    m_engineBusy = busy;
    updateActions();
}

void HistoryPanel::select(const QString& folder) {
    m_table->setCurrentIndex(m_shown->mapFromSource(m_runs.indexOf(folder)));
}

void HistoryPanel::offer(const QString& folder) {
    const bool atWork = m_table->selectionModel()->selectedRows().size() > 1 ||
                        m_table->isPersistentEditorOpen(m_table->currentIndex());
    if (!atWork)
        select(folder);
}

QByteArray HistoryPanel::columns() const {
    return m_table->header()->saveState();
}

void HistoryPanel::setColumns(const QByteArray& columns) {
    m_table->header()->restoreState(columns);
}

QString HistoryPanel::selectedFolder() const {
    return m_table->currentIndex().data(RunHistoryModel::FolderRole).toString();
}

QStringList HistoryPanel::selectedFolders() const {
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    std::ranges::sort(rows, {}, &QModelIndex::row);
    QStringList folders;
    for (const QModelIndex& row : rows)
        folders += row.data(RunHistoryModel::FolderRole).toString();
    return folders;
}

QAction* HistoryPanel::addAction(const char* icon, const QString& text, const QString& help,
                                 void (HistoryPanel::*request)(const QString&)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(wrapHelp(text, help));
    connect(action, &QAction::triggered, this, [this, request] { emit(this->*request)(selectedFolder()); });
    return action;
}

QAction* HistoryPanel::addGroupAction(const char* icon, const QString& text, const QString& help,
                                      void (HistoryPanel::*request)(const QStringList&)) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(wrapHelp(text, help));
    connect(action, &QAction::triggered, this, [this, request] { emit(this->*request)(selectedFolders()); });
    return action;
}

void HistoryPanel::updateActions() {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    const auto status = [](const QModelIndex& row) {
        return static_cast<RunStatus>(row.data(RunHistoryModel::StatusRole).toInt());
    };
    const bool one = rows.size() == 1;
    const bool stopped = one && status(rows.first()) != RunStatus::Running && !m_engineBusy;
    const bool done = one && status(rows.first()) == RunStatus::Done;
    for (QAction* action : {m_open, m_project, m_reveal})
        action->setEnabled(one);
    for (QAction* action : {m_resume, m_resumeElsewhere})
        action->setEnabled(stopped && !done);
    m_decode->setEnabled(stopped && done);
    for (QAction* action : {m_compare, m_compareWithProject, m_copySummaries, m_copyBest})
        action->setEnabled(!rows.empty());
    m_trash->setEnabled(!rows.empty() && std::ranges::none_of(rows, [&](const QModelIndex& row) {
        return status(row) == RunStatus::Running;
    }));
    const bool anyRuns = m_runs.rowCount() > 0;
    m_empty->setSentence(anyRuns ? tr("No run matches “%1”.").arg(m_search->text())
                                 : tr("There are no runs yet: describe a video and press Run."));
    m_describe->setVisible(!anyRuns);
    m_clearSearch->setVisible(anyRuns);
    m_empty->setVisible(m_shown->rowCount() == 0);
    m_table->setVisible(m_shown->rowCount() > 0);
}

}  // namespace meshreel

#include "moc_history_panel.cpp"
