// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/row_table.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTableView>
#include <QTextDocument>
#include <QToolTip>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

QHeaderView* toHeader(const QAbstractItemView& view) {
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        return table->horizontalHeader();
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    return tree == nullptr ? nullptr : tree->header();
}

/// As rich text, which is broken into lines. Names, prompts and messages are in it, so none of it may be read
/// as mark-up.
QString wrapped(const QString& text) {
    return text.isEmpty() ? QString() : Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal);
}

/// Returns whether Qt would read mark-up in a tip, or show a line of it that is wider than many a screen.
bool needsWrapping(const QString& tip) {
    constexpr qsizetype readable = 100;  // letters of a line
    const QStringList lines = tip.split(QLatin1Char('\n'));
    return Qt::mightBeRichText(tip) ||
           std::ranges::any_of(lines, [](const QString& line) { return line.size() > readable; });
}

/// Shows what was cut off, and the tip, unless that says it already. Returns false when the view shows
/// everything there is.
bool tell(const QHelpEvent& event, QWidget* where, const QString& cut, const QString& tip,
          const QRect& place) {
    const bool isToldByTip = tip.contains(cut);
    if (isToldByTip && !needsWrapping(tip))
        return false;
    QToolTip::showText(event.globalPos(), (isToldByTip ? QString() : wrapped(cut)) + wrapped(tip), where,
                       place);
    return true;
}

}  // namespace

CellTips::CellTips(QAbstractItemView& view) : QObject(&view), m_view(view), m_header(toHeader(view)) {
    view.viewport()->installEventFilter(this);
    if (m_header != nullptr)
        m_header->viewport()->installEventFilter(this);
}

bool CellTips::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return false;
    const auto& help = *static_cast<const QHelpEvent*>(event);
    return watched == m_view.viewport() ? tellCell(help) : tellHeading(help);
}

bool CellTips::tellCell(const QHelpEvent& event) const {
    const QModelIndex cell = m_view.indexAt(event.pos());
    if (!cell.isValid())
        return false;
    const QRect place = m_view.visualRect(cell);
    const bool isCut = m_view.sizeHintForIndex(cell).width() > place.width();
    return tell(event, m_view.viewport(), isCut ? cell.data().toString() : QString(),
                cell.data(Qt::ToolTipRole).toString(), place);
}

bool CellTips::tellHeading(const QHelpEvent& event) const {
    const int section = m_header->logicalIndexAt(event.pos());
    if (section < 0)
        return false;
    const auto text = [&](int role) {
        return m_header->model()->headerData(section, m_header->orientation(), role).toString();
    };
    const bool isCut = m_header->sectionSizeHint(section) > m_header->sectionSize(section);
    return tell(event, m_header->viewport(), isCut ? text(Qt::DisplayRole) : QString(), text(Qt::ToolTipRole),
                {});
}

void makeRoomForHeadings(QHeaderView& header) {
    for (int column = 0; column < header.count(); ++column)
        if (header.sectionSize(column) < header.sectionSizeHint(column))
            header.resizeSection(column, header.sectionSizeHint(column));
}

void makeRoomForCells(const QAbstractItemView& view, QHeaderView& header) {
    for (int column = 0; column < header.count(); ++column)
        if (header.sectionSize(column) < view.sizeHintForColumn(column))
            header.resizeSection(column, view.sizeHintForColumn(column));
}

FillingColumn::FillingColumn(QHeaderView& header, int column, int least)
    : QObject(&header), m_header(header), m_column(column), m_firstLeast(least), m_least(least) {
    header.setStretchLastSection(false);
    header.viewport()->installEventFilter(this);
    connect(&header, &QHeaderView::sectionResized, this, [this] {
        fit();
        fitLater();
    });
    connect(&header, &QHeaderView::sectionCountChanged, this, &FillingColumn::fit);
    fit();
}

FillingColumn* FillingColumn::of(const QHeaderView& header, int column) {
    for (auto* filling : header.findChildren<FillingColumn*>(QString(), Qt::FindDirectChildrenOnly))
        if (filling->m_column == column)
            return filling;
    return nullptr;
}

void FillingColumn::setLeast(int least) {
    m_least = least;
    fit();
}

void FillingColumn::resetLeast() {
    setLeast(m_firstLeast);
}

bool FillingColumn::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() == QEvent::Resize)
        fit();
    return false;
}

/// QHeaderView::resizeSections() signals every section first and sets the sizes of all afterwards.
void FillingColumn::fitLater() {
    if (std::exchange(m_isFitting, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            fit();
            m_isFitting = false;
        },
        Qt::QueuedConnection);
}

void FillingColumn::fit() {
    if (m_column >= m_header.count())
        return;
    const int others = m_header.length() - m_header.sectionSize(m_column);
    const int wanted =
        std::max({m_header.viewport()->width() - others, m_header.sectionSizeHint(m_column), m_least});
    if (wanted != m_header.sectionSize(m_column))
        m_header.resizeSection(m_column, wanted);  // comes here again, and finds it done
}

namespace {

constexpr int widthStep = 16;  ///< device-independent pixels

/// Stays open, as a width is found in several steps.
class StayingMenu : public QMenu {
  public:
    using QMenu::QMenu;

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        const bool chooses =
            event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
        if (!chooses || !act(activeAction()))
            QMenu::keyPressEvent(event);
    }

    void mouseReleaseEvent(QMouseEvent* event) override {
        if (!act(actionAt(event->position().toPoint())))
            QMenu::mouseReleaseEvent(event);
    }

  private:
    static bool act(QAction* action) {
        if (action == nullptr)
            return false;
        action->trigger();
        return true;
    }
};

}  // namespace

ColumnMenu::ColumnMenu(QAbstractItemView& view, QHeaderView& header, Choice choice)
    : QMenu(tr("Columns"), &header), m_view(view), m_header(header), m_choice(choice) {
    if (choice == Choice::Shown)
        rememberFirst();
    else
        connect(&header, &QHeaderView::sectionCountChanged, this, [this] { m_first.clear(); });
    view.addAction(menuAction());
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { popup(m_header.viewport()->mapToGlobal(place)); });
    connect(this, &QMenu::aboutToShow, this, &ColumnMenu::fill);
}

void ColumnMenu::fill() {
    clear();
    qDeleteAll(findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    QMenu* widths = this;
    if (m_choice == Choice::Shown) {
        addChoices();
        addSeparator();
        widths = addMenu(m_header.sectionsMovable() ? tr("Widths and order") : tr("Widths"));
    }
    for (int place = 0; place < m_header.count(); ++place)
        if (const int column = m_header.logicalIndex(place); !m_header.isSectionHidden(column))
            addColumn(*widths, column);
    addSeparator();
    addAction(tr("Resize to contents"), this, [this] {
        for (int column = 0; column < m_header.count(); ++column)
            fitToContents(column);
    });
    addAction(tr("Reset columns"), this, &ColumnMenu::restoreFirst)->setEnabled(!m_first.isEmpty());
}

void ColumnMenu::addChoices() {
    for (int column = 1; column < m_header.count(); ++column) {
        QAction* shown = addAction(titleOf(column));
        shown->setCheckable(true);
        shown->setChecked(!m_header.isSectionHidden(column));
        connect(shown, &QAction::toggled, this, [this, column](bool show) { showColumn(column, show); });
    }
}

void ColumnMenu::addColumn(QMenu& menu, int column) {
    auto* steps = new StayingMenu(titleOf(column), &menu);
    menu.addMenu(steps);
    steps->addAction(tr("&Wider"), this,
                     [this, column] { setWidth(column, m_header.sectionSize(column) + widthStep); });
    steps->addAction(tr("&Narrower"), this,
                     [this, column] { setWidth(column, m_header.sectionSize(column) - widthStep); });
    steps->addAction(tr("As wide as its &contents"), this, [this, column] { fitToContents(column); });
    if (!m_header.sectionsMovable())
        return;
    steps->addSeparator();
    QAction* left = steps->addAction(tr("To the &left"), this, [this, column] { move(column, -1); });
    QAction* right = steps->addAction(tr("To the &right"), this, [this, column] { move(column, 1); });
    const auto refresh = [this, column, left, right] {
        left->setEnabled(placeBeside(column, -1) >= 0);
        right->setEnabled(placeBeside(column, 1) >= 0);
    };
    connect(&m_header, &QHeaderView::sectionMoved, steps, refresh);
    refresh();
}

void ColumnMenu::rememberFirst() {
    if (m_first.isEmpty())
        m_first = m_header.saveState();
}

void ColumnMenu::showColumn(int column, bool shown) {
    rememberFirst();
    m_header.setSectionHidden(column, !shown);
    makeRoomForHeadings(m_header);
}

void ColumnMenu::setWidth(int column, int width) {
    rememberFirst();
    if (FillingColumn* filling = FillingColumn::of(m_header, column))
        return filling->setLeast(width);
    m_header.setSectionResizeMode(column, QHeaderView::Interactive);
    if (m_header.stretchLastSection() && placeBeside(column, m_header.isRightToLeft() ? -1 : 1) < 0)
        m_header.setStretchLastSection(false);
    m_header.resizeSection(column, std::max(width, m_header.minimumSectionSize()));
}

void ColumnMenu::fitToContents(int column) {
    if (!m_header.isSectionHidden(column))
        setWidth(column, std::max(m_header.sectionSizeHint(column), m_view.sizeHintForColumn(column)));
}

void ColumnMenu::move(int column, int places) {
    rememberFirst();
    if (const int place = placeBeside(column, places); place >= 0)
        m_header.moveSection(m_header.visualIndex(column), place);
}

/// Returns the place of the next visible column; -1 at the end.
int ColumnMenu::placeBeside(int column, int places) const {
    const int step = m_header.isRightToLeft() ? -places : places;
    int place = m_header.visualIndex(column) + step;
    while (place >= 0 && place < m_header.count() && m_header.isSectionHidden(m_header.logicalIndex(place)))
        place += step;
    return place < m_header.count() ? place : -1;
}

void ColumnMenu::restoreFirst() {
    m_header.restoreState(m_first);
    for (int column = 0; column < m_header.count(); ++column)
        if (FillingColumn* filling = FillingColumn::of(m_header, column))
            filling->resetLeast();
}

QString ColumnMenu::titleOf(int column) const {
    QString title = m_header.model()->headerData(column, Qt::Horizontal).toString();
    return title.replace(QLatin1Char('&'), QLatin1String("&&"));
}

GrowingColumns::GrowingColumns(QAbstractItemView& view, QHeaderView& header, std::vector<int> columns,
                               int filling, int least)
    : QObject(&header),
      m_view(view),
      m_header(header),
      m_columns(std::move(columns)),
      m_filling(filling),
      m_least(least) {
    m_soon.setSingleShot(true);
    m_soon.callOnTimeout(this, &GrowingColumns::grow);
    header.viewport()->installEventFilter(this);
    const auto soon = [this] { m_soon.start(); };
    connect(view.model(), &QAbstractItemModel::rowsInserted, this, soon);
    connect(view.model(), &QAbstractItemModel::modelReset, this, soon);
    connect(view.model(), &QAbstractItemModel::dataChanged, this, soon);
}

void GrowingColumns::takeOver() {
    m_widths.clear();
    m_theirs.clear();
    m_soon.start();
}

bool GrowingColumns::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
        m_soon.start();
    return false;
}

void GrowingColumns::grow() {
    if (!m_view.isVisible())
        return;  // it will be shown
    for (const int column : m_columns) {
        const int width = m_header.sectionSize(column);
        if (m_widths.value(column, width) != width)
            m_theirs.insert(column);
        if (m_header.isSectionHidden(column) || m_theirs.contains(column))
            continue;
        const int wanted = std::max(m_header.sectionSizeHint(column), m_view.sizeHintForColumn(column));
        const int spare = std::max(0, m_header.sectionSize(m_filling) - m_least);
        if (wanted > width && spare > 0)
            m_header.resizeSection(column, width + std::min(wanted - width, spare));
        m_widths.insert(column, m_header.sectionSize(column));
    }
}

SortMenu::SortMenu(QHeaderView& header) : QMenu(tr("Sort by"), &header), m_header(header) {
    connect(this, &QMenu::aboutToShow, this, &SortMenu::fill);
}

void SortMenu::fill() {
    clear();
    for (int place = 0; place < m_header.count(); ++place)
        if (const int column = m_header.logicalIndex(place); !m_header.isSectionHidden(column))
            addColumn(column);
    addSeparator();
    addOrder(tr("Ascending"), Qt::AscendingOrder);
    addOrder(tr("Descending"), Qt::DescendingOrder);
    if (m_header.isSortIndicatorClearable())
        addAction(tr("Not sorted"), this, [this] { m_header.setSortIndicator(-1, Qt::AscendingOrder); });
}

void SortMenu::addColumn(int column) {
    const QString title = m_header.model()->headerData(column, Qt::Horizontal).toString();
    QAction* action = addAction(
        title, this, [this, column] { m_header.setSortIndicator(column, m_header.sortIndicatorOrder()); });
    action->setCheckable(true);
    action->setChecked(m_header.sortIndicatorSection() == column);
}

void SortMenu::addOrder(const QString& title, Qt::SortOrder order) {
    QAction* action = addAction(
        title, this, [this, order] { m_header.setSortIndicator(m_header.sortIndicatorSection(), order); });
    action->setCheckable(true);
    action->setChecked(m_header.sortIndicatorOrder() == order);
    action->setEnabled(m_header.sortIndicatorSection() >= 0);
}

void setUpRowTable(QTableView& table, ColumnMenu::Choice columns) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + spacing);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    new CellTips(table);
    new ColumnMenu(table, *table.horizontalHeader(), columns);
}

}  // namespace meshreel

#include "moc_row_table.cpp"
