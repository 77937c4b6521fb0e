// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/devices_panel.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolTip>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/lane_chart.h"
#include "ui/running/device_lane_model.h"
#include "ui/theme/look.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr int troughAlpha = 28;
constexpr int verticalMargin = 3;
constexpr int leastWidth = 160;

/// What was done between two pixels.
void fillColumn(QPainter& painter, const QRect& column, const DeviceTime& time, double seconds) {
    double below = 0;
    int bottom = column.bottom() + 1;
    for (const LaneActivityColumn& activity : DeviceLaneModel::activities()) {
        below += time.*activity.seconds;
        const int top =
            column.bottom() + 1 - static_cast<int>(std::lround(below / seconds * column.height()));
        painter.fillRect(QRect(column.left(), top, column.width(), bottom - top),
                         ChartStyle::series(activity.color));
        bottom = top;
    }
}

}  // namespace

LaneDelegate::LaneDelegate(const DeviceLaneModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

QRect LaneDelegate::laneArea(const QRect& cell) {
    return cell.adjusted(spacing, verticalMargin, -spacing, -verticalMargin);
}

void LaneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const QRect lane = laneArea(option.rect);
    QColor trough = option.palette.color(QPalette::Text);
    trough.setAlpha(troughAlpha);
    painter->fillRect(lane, trough);
    const double end = m_model.expectedSeconds();
    if (end <= 0)
        return;
    const auto device = static_cast<std::size_t>(index.row());
    int left = lane.left();
    DeviceTime time;
    double seconds = 0;
    for (const LaneStretch& stretch : m_model.history().stretches()) {
        time += stretch.devices[device];
        seconds += stretch.seconds;
        const double share = (stretch.start + stretch.seconds) / end;
        const int right = lane.left() + static_cast<int>(std::lround(share * lane.width()));
        if (right == left || seconds <= 0)
            continue;
        fillColumn(*painter, QRect(left, lane.top(), right - left, lane.height()), time, seconds);
        left = right;
        time = {};
        seconds = 0;
    }
}

QSize LaneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {leastWidth, option.fontMetrics.height() + 2 * verticalMargin};
}

bool LaneDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                             const QModelIndex& index) {
    const QRect lane = laneArea(option.rect);
    if (event->type() != QEvent::ToolTip || lane.width() <= 0)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    const double seconds =
        static_cast<double>(event->pos().x() - lane.left()) / lane.width() * m_model.expectedSeconds();
    const LaneStretch* stretch = m_model.history().stretchAt(seconds);
    if (stretch == nullptr)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    QToolTip::showText(event->globalPos(), m_model.stretchText(*stretch, index.row()), view);
    return true;
}

LaneReader::LaneReader(const DeviceLaneModel& model, QTreeView& view)
    : QObject(&view), m_model(model), m_view(view) {
    view.installEventFilter(this);
    view.setWhatsThis(tr("Comma and full stop go from step to step in the lane of the current row."));
    connect(&model, &QAbstractItemModel::modelReset, this, [this] { m_told = -1; });
}

bool LaneReader::eventFilter(QObject* /*watched*/, QEvent* event) {
    return event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event)->key());
}

bool LaneReader::takeKey(int key) {
    const bool isBack = key == Qt::Key_Comma;
    const auto count = static_cast<int>(m_model.history().stretches().size());
    if ((!isBack && key != Qt::Key_Period) || count == 0)
        return false;
    if (!m_view.currentIndex().isValid())
        m_view.setCurrentIndex(m_model.index(0, 0));
    tell(std::clamp(m_told + (isBack ? -1 : 1), 0, count - 1));
    return true;
}

void LaneReader::tell(int stretch) {
    m_told = stretch;
    const LaneStretch& told = m_model.history().stretches()[static_cast<std::size_t>(stretch)];
    const QModelIndex cell = m_view.currentIndex().siblingAtColumn(DeviceLaneModel::Lane);
    const QString words = m_model.stretchText(told, cell.row());
    const QRect lane = LaneDelegate::laneArea(m_view.visualRect(cell));
    const double share = (told.start + told.seconds / 2) / m_model.expectedSeconds();
    const QPoint place(lane.left() + static_cast<int>(std::lround(share * lane.width())), lane.center().y());
    QToolTip::showText(m_view.viewport()->mapToGlobal(place), words, m_view.viewport());
    m_view.setAccessibleDescription(words);
}

DevicesPanel::DevicesPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_sentence(new QLabel(this)),
      m_view(new QTreeView(this)),
      m_export(new ExportButton(QStringLiteral("devices"), this)) {
    const QPushButton* mesh =
        m_empty->addButton(themedIcon(QStringLiteral("grid")), tr("Set up several devices"));
    connect(mesh, &QPushButton::clicked, this, &DevicesPanel::meshRequested);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(makeLanes());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stage);
    refresh();
}

QWidget* DevicesPanel::makeLanes() {
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_view->setModel(&m_model);
    m_view->setItemDelegateForColumn(DeviceLaneModel::Lane, new LaneDelegate(m_model, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Lanes of the devices"));
    new CellTips(*m_view);
    new LaneReader(m_model, *m_view);
    QHeaderView* columns = m_view->header();
    columns->setStretchLastSection(false);
    columns->setSectionsMovable(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(DeviceLaneModel::Lane, QHeaderView::Stretch);
    new ColumnMenu(*m_view, *columns);
    connect(m_export, &ExportButton::exportRequested, this, &DevicesPanel::exportRequested);
    auto* header = new QHBoxLayout;
    header->setSpacing(spacing);
    header->addWidget(m_sentence, 1);
    header->addWidget(m_export, 0, Qt::AlignTop);
    auto* lanes = new QWidget(this);
    auto* column = new QVBoxLayout(lanes);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(header);
    column->addWidget(m_view, 1);
    return lanes;
}

void DevicesPanel::restart(Subject subject) {
    m_subject = subject;
    m_model.clear();
    refresh();
}

void DevicesPanel::begin() {
    restart(Subject::RunAtHand);
}

void DevicesPanel::addSteps(const std::vector<StepDeviceTimes>& steps) {
    m_model.add(steps);
    refresh();
}

void DevicesPanel::showProgress(const Progress& progress) {
    m_model.setStepsLeft(progress.steps - progress.stepsDone);
}

void DevicesPanel::end() {
    if (m_subject == Subject::RunAtHand)
        m_subject = Subject::Nothing;
    m_model.setStepsLeft(0);
    refresh();
}

void DevicesPanel::showRun(const std::vector<StepDeviceTimes>& steps) {
    restart(Subject::PastRun);
    addSteps(steps);
}

void DevicesPanel::clear() {
    restart(Subject::Nothing);
}

void DevicesPanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, deviceLaneSheet(m_model.steps()));
}

QString DevicesPanel::words() const {
    return showsLanes() ? m_sentence->text() : m_empty->sentence();
}

bool DevicesPanel::showsLanes() const {
    return m_stage->currentWidget() != m_empty;
}

void DevicesPanel::refresh() {
    m_stage->setCurrentIndex(m_model.rowCount() > 1 ? 1 : 0);
    m_empty->setSentence(emptySentence());
    m_sentence->setText(m_model.sentence());
    m_view->setAccessibleDescription(m_sentence->text());
}

QString DevicesPanel::emptySentence() const {
    if (m_model.rowCount() == 1)
        return tr("This run has one device, which computes all the time.");
    switch (m_subject) {
        case Subject::RunAtHand:
            return tr("The lanes of the devices begin when the first step has ended.");
        case Subject::PastRun:
            return tr(
                "This run did not record how its devices spent their steps: an earlier version made it, "
                "or it ended before its first step did. What its trace tells is drawn by Compare, as "
                "Devices of one run.");
        case Subject::Nothing:
            break;
    }
    return tr(
        "How much each device computes, exchanges and waits is drawn here while a run of several "
        "devices goes on, or when a past one is opened.");
}

}  // namespace meshreel
