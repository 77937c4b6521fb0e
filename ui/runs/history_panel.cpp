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
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/runs/filter_bar.h"
#include "ui/runs/names_edit.h"
#include "ui/runs/run_filter.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_preview.h"
#include "ui/runs/run_tiles.h"
#include "ui/runs/use_menu.h"
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
constexpr int starWidth = 40;
constexpr int measuredRows = 100;  ///< below the visible ones, of thousands
/// A seed that is set for each run is one of an int.
constexpr QLatin1String longestSeed("2147483647");
constexpr int tagsWidth = 70;
constexpr int noteWidth = 70;

QString wrapHelp(const QString& text, const QString& help) {
    return QStringLiteral("<b>%1</b><br>%2").arg(text.toHtmlEscaped(), help.toHtmlEscaped());
}

}  // namespace

HistoryPanel::HistoryPanel(RunHistoryModel& runs, QWidget* parent)
    : QWidget(parent),
      m_runs(runs),
      m_shown(new RunFilter(runs, this)),
      m_filters(new FilterBar(*m_shown, this)),
      m_stage(new QStackedWidget(this)),
      m_table(new QTreeView(this)),
      m_tiles(new RunTiles(this)),
      m_empty(new EmptyState({}, this)),
      m_preview(new RunPreview(this)),
      m_asTiles(new QToolButton(this)),
      m_asTable(new QToolButton(this)),
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
      m_rate(addOwnAction("rate", tr("Rate"),
                          tr("See the videos of the selected runs in pairs, without their settings, and say "
                             "which is better; of one run, all of its prompt"),
                          QKeySequence(Qt::Key_R), &HistoryPanel::rate)),
      m_copySummaries(addGroupAction("edit-copy", tr("Copy timing summaries"),
                                     tr("Copy those of the selected runs in the published layout"),
                                     &HistoryPanel::copySummariesRequested)),
      m_copyBest(addGroupAction("edit-copy", tr("Copy best configurations"),
                                tr("Copy the fastest of the selected runs, by attention mode and number of "
                                   "devices, as a Markdown table"),
                                &HistoryPanel::copyBestRequested)),
      m_export(addGroupAction("export", tr("Export videos"),
                              tr("Copy the videos of the selected runs into a folder"),
                              &HistoryPanel::exportRequested)),
      m_trash(addGroupAction("trash", tr("Move to trash"),
                             tr("Move the folders of the selected runs to the trash"),
                             &HistoryPanel::trashRequested)),
      m_look(addOwnAction("full-screen", tr("Large preview"),
                          tr("Play the run large, with its settings; the arrow keys go on to the next one"),
                          QKeySequence(Qt::Key_Space), &HistoryPanel::openPreview)),
      m_star(addOwnAction("star", tr("Star"), tr("Give the selected runs a star, or take it away"),
                          QKeySequence(Qt::Key_S), &HistoryPanel::toggleStar)),
      m_tags(addOwnAction("tag", tr("Tags…"), tr("Change the tags of the selected runs"),
                          QKeySequence(Qt::Key_T), &HistoryPanel::editTags)),
      m_boards(addOwnAction("tiles", tr("Boards…"),
                            tr("Put the selected runs on boards: collections with a name"),
                            QKeySequence(Qt::Key_B), &HistoryPanel::editBoards)),
      m_use(new UseMenu(UseMenu::Frames::Ends, this)),
      m_only(new PartMenu(this)) {
    setUpTable();
    setUpTiles();
    setUpPreview();
    for (QWidget* page : std::initializer_list<QWidget*>{m_tiles, m_table, m_empty})
        m_stage->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHeader());
    layout->addWidget(m_stage, 1);
    connectModels();
    setView(View::Table);
}

void HistoryPanel::connectModels() {
    connect(m_describe, &QPushButton::clicked, this, &HistoryPanel::describeRequested);
    connect(m_clearSearch, &QPushButton::clicked, m_filters, &FilterBar::clear);
    connect(m_use, &UseMenu::requested, this, &HistoryPanel::useRequested);
    connect(m_only, &PartMenu::requested, this,
            [this](RunPart part) { emit partRequested(selectedFolder(), part); });
    connect(m_shown, &RunFilter::choiceChanged, this, &HistoryPanel::updateActions);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HistoryPanel::updateActions);
    // Connects to the model below, which reports a batch at once; by then the views have followed.
    for (const auto& change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&m_runs, change, this, &HistoryPanel::updateActions);
    connect(&m_runs, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (roles != QList<int>{Qt::DecorationRole})  // a picture that came
                    updateActions();
            });
    connect(&m_runs, &RunHistoryModel::aboutToUpdate, this, &HistoryPanel::keepPlace);
    connect(&m_runs, &RunHistoryModel::updated, this, &HistoryPanel::restorePlace);
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (!index.flags().testFlag(Qt::ItemIsEditable))
            m_open->trigger();
    });
    connect(m_table, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == RunHistoryModel::Star)
            giveStar({m_shown->mapToSource(index)});
    });
    connect(m_tiles, &QListView::activated, m_open, &QAction::trigger);
    connect(m_tiles, &RunTiles::starRequested, this,
            [this](const QModelIndex& index) { giveStar({m_shown->mapToSource(index)}); });
}

void HistoryPanel::setUpTiles() {
    m_tiles->setModel(m_shown);
    const std::unique_ptr<QItemSelectionModel> own(m_tiles->selectionModel());
    m_tiles->setSelectionModel(m_table->selectionModel());
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                // Both views have one current row; tiles are cells of the first column.
                if (current.isValid() && current.column() != RunHistoryModel::Run && view() == View::Tiles)
                    m_table->selectionModel()->setCurrentIndex(current.siblingAtColumn(RunHistoryModel::Run),
                                                               QItemSelectionModel::NoUpdate);
            });
}

void HistoryPanel::setUpPreview() {
    connect(m_preview, &RunPreview::stepRequested, this, &HistoryPanel::stepPreview);
    connect(m_preview, &RunPreview::openRequested, this, [this](const QString& folder) {
        m_preview->reject();
        emit openRequested(folder);
    });
    connect(m_preview, &RunPreview::starRequested, this,
            [this](const QString& folder) { giveStar({m_runs.indexOf(folder)}); });
}

QLineEdit& HistoryPanel::search() const {
    return m_filters->search();
}

QWidget* HistoryPanel::makeViewSwitch() {
    auto* pair = new QWidget(this);
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    struct Choice {
        QToolButton* button;
        const char* icon;
        QString name;
        View view;
    };
    for (const Choice& choice : {Choice{m_asTiles, "tiles", tr("Show runs as tiles"), View::Tiles},
                                 Choice{m_asTable, "table", tr("Show runs as a table"), View::Table}}) {
        choice.button->setIcon(themedIcon(QLatin1String(choice.icon)));
        choice.button->setCheckable(true);
        choice.button->setAutoRaise(true);
        choice.button->setFocusPolicy(Qt::TabFocus);
        choice.button->setAccessibleName(choice.name);
        choice.button->setToolTip(choice.name);
        // Not in a group, which would take Tab from all but the checked one.
        connect(choice.button, &QToolButton::clicked, this, [this, view = choice.view] { setView(view); });
        row->addWidget(choice.button);
    }
    return pair;
}

QWidget* HistoryPanel::makeHeader() {
    auto* refresh = new QToolButton(this);
    refresh->setIcon(themedIcon(QStringLiteral("refresh")));
    refresh->setAccessibleName(tr("Refresh"));
    refresh->setToolTip(tr("Read the runs folder again"));
    refresh->setAutoRaise(true);
    refresh->setFocusPolicy(Qt::TabFocus);
    connect(refresh, &QToolButton::clicked, this, &HistoryPanel::refreshRequested);
    m_filters->addControl(makeViewSwitch());
    m_filters->addControl(refresh);
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(panelMargin, tightSpacing, tightSpacing, tightSpacing);
    column->setSpacing(tightSpacing);
    column->addWidget(m_filters);
    addToolBar(header);
    return header;
}

void HistoryPanel::addToolBar(QWidget* header) {
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tools->addActions(
        {m_open, m_look, m_compare, m_rate, m_project, m_resume, m_decode, m_export, m_reveal, m_trash});
    auto* sorting = new SortMenu(*m_table->header());
    for (QWidget* view : std::initializer_list<QWidget*>{m_table, m_tiles})
        view->addActions({m_open, m_look, m_star, m_tags, m_boards, m_compare, m_compareWithProject, m_rate,
                          m_copySummaries, m_copyBest, m_project, m_only->menuAction(), m_use->menuAction(),
                          m_resume, m_resumeElsewhere, m_decode, m_export, m_reveal, m_trash,
                          sorting->menuAction()});
    new ColumnMenu(*m_table, *m_table->header(), ColumnMenu::Choice::Shown);
    m_trash->setShortcut(QKeySequence::Delete);
    m_trash->setShortcutContext(Qt::WidgetShortcut);
    header->layout()->addWidget(tools);
}

void HistoryPanel::setUpTable() {
    m_table->setModel(m_shown);
    m_table->setItemDelegateForColumn(RunHistoryModel::Run, new RunDelegate(m_table));
    m_table->setItemDelegateForColumn(RunHistoryModel::Tags,
                                      new NamesDelegate([this] { return m_runs.allTags(); }, m_table));
    m_table->setItemDelegateForColumn(RunHistoryModel::Boards,
                                      new NamesDelegate([this] { return m_runs.allBoards(); }, m_table));
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
    m_table->header()->resizeSection(RunHistoryModel::Seed,
                                     metrics.horizontalAdvance(longestSeed) + 2 * panelMargin);
    m_table->header()->resizeSection(RunHistoryModel::Star, starWidth);
    m_table->header()->resizeSection(RunHistoryModel::Boards, tagsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Differs, differsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Tags, tagsWidth);
    m_table->header()->resizeSection(RunHistoryModel::Note, noteWidth);
    int place = 1;
    for (const int column : {RunHistoryModel::Star, RunHistoryModel::Seed, RunHistoryModel::Differs})
        m_table->header()->moveSection(m_table->header()->visualIndex(column), place++);
    makeRoomForHeadings(*m_table->header());
    m_table->header()->setSectionResizeMode(RunHistoryModel::Run, QHeaderView::Fixed);
    new FillingColumn(*m_table->header(), RunHistoryModel::Run, leastRunWidth);
    m_table->header()->setResizeContentsPrecision(measuredRows);
    m_growing = new GrowingColumns(
        *m_table, *m_table->header(),
        {RunHistoryModel::Seed, RunHistoryModel::Started, RunHistoryModel::Duration, RunHistoryModel::Steps,
         RunHistoryModel::StepSeconds, RunHistoryModel::Status, RunHistoryModel::Size, RunHistoryModel::Model,
         RunHistoryModel::Attention, RunHistoryModel::Devices, RunHistoryModel::Mesh},
        RunHistoryModel::Run, leastRunWidth);
    for (const int column :
         {RunHistoryModel::Status, RunHistoryModel::Size, RunHistoryModel::Model, RunHistoryModel::Attention,
          RunHistoryModel::Devices, RunHistoryModel::Mesh, RunHistoryModel::Boards})
        m_table->hideColumn(column);
}

void HistoryPanel::setEngineBusy(bool busy) {
    m_engineBusy = busy;
    updateActions();
}

void HistoryPanel::setView(View view) {
    const bool hadFocus = currentView().hasFocus();
    m_asTiles->setChecked(view == View::Tiles);
    m_asTable->setChecked(view == View::Table);
    updateActions();
    QAbstractItemView& shown = currentView();
    if (const QModelIndex current = shown.currentIndex(); current.isValid()) {
        m_table->selectionModel()->setCurrentIndex(current.siblingAtColumn(RunHistoryModel::Run),
                                                   QItemSelectionModel::NoUpdate);
        shown.scrollTo(current.siblingAtColumn(RunHistoryModel::Run));
    }
    if (hadFocus)
        shown.setFocus();
}

HistoryPanel::View HistoryPanel::view() const {
    return m_asTiles->isChecked() ? View::Tiles : View::Table;
}

QAbstractItemView& HistoryPanel::currentView() const {
    return view() == View::Tiles ? static_cast<QAbstractItemView&>(*m_tiles)
                                 : static_cast<QAbstractItemView&>(*m_table);
}

void HistoryPanel::select(const QString& folder) {
    const QModelIndex run = m_shown->mapFromSource(m_runs.indexOf(folder));
    m_table->setCurrentIndex(run);
    currentView().scrollTo(run);
}

/// What is looked at stays where it is when runs come above it; at the top of the list they are seen coming.
void HistoryPanel::keepPlace() {
    const QAbstractItemView& view = currentView();
    const QModelIndex first = view.indexAt({spacing, spacing});
    m_topRow = view.verticalScrollBar()->value() > 0 ? first : QModelIndex();
    m_topOffset = view.visualRect(first).top();
}

void HistoryPanel::restorePlace() {
    const QPersistentModelIndex top = std::exchange(m_topRow, QPersistentModelIndex());
    QAbstractItemView& view = currentView();
    if (top.isValid() && view.isVisible()) {
        const int moved = view.visualRect(top).top() - m_topOffset;  // lays out what waits for it
        if (moved != 0)
            view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() + moved);
    }
    if (m_preview->isVisible())
        showInPreview();
}

QModelIndexList HistoryPanel::selectedRuns() const {
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    std::ranges::sort(rows, {}, &QModelIndex::row);
    for (QModelIndex& row : rows)
        row = m_shown->mapToSource(row);
    return rows;
}

void HistoryPanel::toggleStar() {
    giveStar(selectedRuns());
}

/// To all of them, unless all have it: then it is taken away.
void HistoryPanel::giveStar(const QModelIndexList& runs) {
    const bool all = std::ranges::all_of(
        runs, [](const QModelIndex& run) { return run.data(RunHistoryModel::StarRole).toBool(); });
    QList<QPersistentModelIndex> kept(runs.begin(), runs.end());  // with the filter, rows go meanwhile
    for (const QPersistentModelIndex& run : kept)
        if (!m_runs.setData(run, !all, RunHistoryModel::StarRole))
            break;  // the reason is told once
    if (m_preview->isVisible())
        m_preview->showStar(m_runs.indexOf(m_preview->folder()).data(RunHistoryModel::StarRole).toBool());
}

void HistoryPanel::editTags() {
    editNames(&RunNotes::tags, tr("Tags of the selected runs"), m_runs.allTags());
}

void HistoryPanel::editBoards() {
    editNames(&RunNotes::boards, tr("Boards of the selected runs"), m_runs.allBoards());
}

/// Shows the names that all of them have. What is added there is given to each, what is removed taken from
/// each; other names stay.
void HistoryPanel::editNames(std::vector<std::string> RunNotes::*names, const QString& title,
                             const QStringList& known) {
    const QModelIndexList runs = selectedRuns();
    if (runs.isEmpty())
        return;
    QStringList shared;
    for (const std::string& name : m_runs.run(runs.first()).notes.*names)
        if (std::ranges::all_of(runs, [&](const QModelIndex& run) {
                return std::ranges::count(m_runs.run(run).notes.*names, name) > 0;
            }))
            shared += QString::fromStdString(name);
    auto* popup = new NamesPopup({.title = title, .present = shared, .known = known}, this);
    const QList<QPersistentModelIndex> kept(runs.begin(), runs.end());
    connect(popup, &NamesPopup::entered, this, [this, kept, shared, names](const QStringList& entered) {
        for (const QPersistentModelIndex& run : kept) {
            const bool done = m_runs.changeNotes(run, [&](RunNotes& notes) {
                std::vector<std::string>& own = notes.*names;
                std::erase_if(own, [&](const std::string& name) {
                    const QString text = QString::fromStdString(name);
                    return shared.contains(text) && !entered.contains(text);
                });
                for (const QString& name : entered)
                    if (!std::ranges::count(own, name.toStdString()))
                        own.push_back(name.toStdString());
            });
            if (!done)
                break;  // the reason is told once
        }
    });
    QAbstractItemView& view = currentView();
    const QRect place = view.visualRect(view.currentIndex()).intersected(view.viewport()->rect());
    popup->showAt(view.viewport()->mapToGlobal(place.isEmpty() ? QPoint() : place.center()));
}

void HistoryPanel::openPreview() {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return;
    if (!m_table->selectionModel()->isRowSelected(m_table->currentIndex().row()))
        m_table->selectionModel()->setCurrentIndex(rows.first(), QItemSelectionModel::NoUpdate);
    showInPreview();
    m_preview->raise();
    m_preview->activateWindow();
}

void HistoryPanel::stepPreview(int by) {
    const int row = m_table->currentIndex().row() + by;
    if (row < 0 || row >= m_shown->rowCount())
        return;
    const QModelIndex next = m_shown->index(row, RunHistoryModel::Run);
    m_table->selectionModel()->setCurrentIndex(
        next, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    currentView().scrollTo(next);
    showInPreview();
}

/// The current run; without one, all that were there are gone.
void HistoryPanel::showInPreview() {
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid())
        return m_preview->reject();
    m_preview->showRun(m_runs.run(m_shown->mapToSource(current)), current.row() + 1, m_shown->rowCount());
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
    m_growing->takeOver();
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

QAction* HistoryPanel::addOwnAction(const char* icon, const QString& text, const QString& help,
                                    const QKeySequence& key, void (HistoryPanel::*act)()) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(wrapHelp(text, help));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);  // of the views: elsewhere the key is a letter
    connect(action, &QAction::triggered, this, act);
    return action;
}

/// One run stands for all of its prompt that are shown.
void HistoryPanel::rate() {
    QStringList folders = selectedFolders();
    if (folders.size() == 1) {
        const std::string prompt = m_runs.run(m_runs.indexOf(folders.first())).prompt;
        folders.clear();
        for (int row = 0; row < m_shown->rowCount(); ++row) {
            const RunSummary& run = m_runs.run(m_shown->mapToSource(m_shown->index(row, 0)));
            if (run.prompt == prompt && run.state.status == RunStatus::Done)
                folders += QString::fromStdString(run.folder.string());
        }
    }
    emit rateRequested(folders);
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
    for (QAction* action : {m_open, m_project, m_reveal, m_only->menuAction()})
        action->setEnabled(one);
    const bool hasVideo = one && m_runs.run(m_shown->mapToSource(rows.first())).video.has_value();
    m_use->setClip(hasVideo ? rows.first().data(RunHistoryModel::FolderRole).toString() : QString());
    for (QAction* action : {m_resume, m_resumeElsewhere})
        action->setEnabled(stopped && !done);
    m_decode->setEnabled(stopped && done);
    for (QAction* action : {m_compare, m_compareWithProject, m_rate, m_copySummaries, m_copyBest, m_export,
                            m_look, m_star, m_tags, m_boards})
        action->setEnabled(!rows.empty());
    m_trash->setEnabled(!rows.empty() && std::ranges::none_of(rows, [&](const QModelIndex& row) {
        return status(row) == RunStatus::Running;
    }));
    const bool anyRuns = m_runs.rowCount() > 0;
    const QString words = m_shown->choice().words;
    m_empty->setSentence(!anyRuns          ? tr("There are no runs yet: describe a video and press Run.")
                         : words.isEmpty() ? tr("No run passes these filters.")
                                           : tr("No run matches “%1”.").arg(words));
    m_describe->setVisible(!anyRuns);
    m_clearSearch->setVisible(anyRuns);
    m_filters->showCount();
    m_stage->setCurrentWidget(m_shown->rowCount() == 0 ? m_empty : static_cast<QWidget*>(&currentView()));
}

}  // namespace meshreel

#include "moc_history_panel.cpp"
