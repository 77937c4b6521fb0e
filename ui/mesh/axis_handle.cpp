// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/axis_handle.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "ui/mesh/factoring_model.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double pixelsPerStep = 32;  ///< of dragging, from one legal number to the next
constexpr double handleRadius = 5;
constexpr int gripWidth = 10;
constexpr int gripDots = 3;
constexpr int mostListed = 10;
constexpr int largestShown = 256;

QString axisText(MeshAxis axis, int extent) {
    return QStringLiteral("%1 %2").arg(QString::fromStdString(std::string(nameOf(axis)))).arg(extent);
}

}  // namespace

AxisHandle::AxisHandle(MeshAxis axis, Edge edge, QWidget* parent)
    : QAbstractSlider(parent), m_axis(axis), m_edge(edge) {
    setOrientation(edge == Edge::Right ? Qt::Horizontal : Qt::Vertical);
    setCursor(edge == Edge::Right ? Qt::SizeHorCursor : Qt::SizeVerCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSingleStep(1);  // legalBeyond() makes it the next legal number
    connect(this, &QAbstractSlider::valueChanged, this, [this](int asked) { take(legalBeyond(asked)); });
    describe();
}

void AxisHandle::setExtents(const std::vector<int>& legal, int extent) {
    if (m_dragged)
        endDrag();
    m_legal = legal;
    m_extent = extent;
    const QSignalBlocker quiet(this);
    setRange(legal.front(), legal.back());
    setValue(extent);
    describe();
    update();
}

QSize AxisHandle::sizeHint() const {
    const QFontMetrics metrics(font());
    const QSize level(metrics.horizontalAdvance(axisText(m_axis, largestShown)) + gripWidth + 2 * spacing,
                      metrics.height() + tightSpacing);
    return m_edge == Edge::Lower ? level : level.transposed();
}

QString AxisHandle::words() const {
    return axisText(m_axis, shownExtent());
}

void AxisHandle::describe() {
    QStringList numbers;
    for (const int number : m_legal)
        if (numbers.size() < mostListed)
            numbers += QString::number(number);
    if (m_legal.size() > mostListed)
        numbers += QStringLiteral("… %1").arg(m_legal.back());
    const QString name =
        tr("Devices along the %1 axis").arg(QString::fromStdString(std::string(nameOf(m_axis))));
    const QString help =
        m_legal.size() > 1
            ? tr("Drag, or press the arrow keys. Legal here: %1").arg(numbers.join(QStringLiteral(", ")))
            : tr("Only %1 is legal here").arg(m_legal.front());
    setAccessibleName(name);
    setAccessibleDescription(help);
    setToolTip(QStringLiteral("<p>%1</p><p>%2</p>").arg(name, help));
}

int AxisHandle::legalBeyond(int asked) const {
    if (asked > m_extent) {
        const auto next = std::ranges::lower_bound(m_legal, asked);
        return next == m_legal.end() ? m_legal.back() : *next;
    }
    const auto above = std::ranges::upper_bound(m_legal, asked);
    return above == m_legal.begin() ? m_legal.front() : *std::prev(above);
}

void AxisHandle::take(int extent) {
    {
        const QSignalBlocker quiet(this);
        setValue(extent);
    }
    update();
    if (extent == m_extent)
        return;
    m_extent = extent;
    emit chosen(extent);
}

void AxisHandle::endDrag() {
    m_dragged = false;
    update();
    emit aimed(m_extent);
}

bool AxisHandle::event(QEvent* event) {
    // A shortcut of the window must not take the key that ends a drag.
    if (event->type() == QEvent::ShortcutOverride && m_dragged &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QAbstractSlider::event(event);
}

void AxisHandle::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_edge == Edge::Right) {
        painter.translate(width(), 0);
        painter.rotate(90);
    }
    const QRectF pill =
        QRectF(QPointF(0, 0), m_edge == Edge::Right ? size().transposed() : size()).adjusted(1, 1, -1, -1);
    const bool lit = m_dragged || hasFocus() || underMouse();
    painter.setPen(QPen(lit ? palette().color(QPalette::Highlight) : palette().color(QPalette::Mid),
                        hasFocus() ? 2 : 1));
    painter.setBrush(palette().color(QPalette::Button));
    painter.drawRoundedRect(pill, handleRadius, handleRadius);
    const QColor ink = m_legal.size() > 1 ? palette().color(QPalette::ButtonText) : mutedColor(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (int dot = 0; dot < gripDots; ++dot)
        painter.drawEllipse(
            QPointF(pill.left() + gripWidth * 0.8, pill.center().y() + (dot - gripDots / 2) * 4.0), 1, 1);
    painter.setPen(ink);
    const QRectF room = pill.adjusted(gripWidth, 0, 0, 0);
    const bool fits = fontMetrics().horizontalAdvance(words()) <= room.width();
    painter.drawText(room, Qt::AlignCenter, fits ? words() : QString::number(shownExtent()));
}

void AxisHandle::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QAbstractSlider::mousePressEvent(event);
    m_dragged = true;
    m_aimed = m_extent;
    m_grip = event->globalPosition().toPoint();
    update();
}

void AxisHandle::mouseMoveEvent(QMouseEvent* event) {
    if (!m_dragged)
        return;
    const QPoint moved = event->globalPosition().toPoint() - m_grip;
    const double outwards = m_edge == Edge::Right ? moved.x() : moved.y();
    const auto from = static_cast<double>(std::ranges::lower_bound(m_legal, m_extent) - m_legal.begin());
    const double place =
        std::clamp(std::round(from + outwards / pixelsPerStep), 0.0, static_cast<double>(m_legal.size() - 1));
    const int extent = m_legal[static_cast<std::size_t>(place)];
    if (extent == m_aimed)
        return;
    m_aimed = extent;
    update();
    emit aimed(extent);
}

void AxisHandle::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_dragged || event->button() != Qt::LeftButton)
        return;
    const int extent = m_aimed;
    endDrag();
    take(extent);
}

void AxisHandle::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            if (m_dragged)
                return endDrag();
            return event->ignore();
        case Qt::Key_Left:
        case Qt::Key_Up:
            return triggerAction(SliderSingleStepSub);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return triggerAction(SliderSingleStepAdd);
        default:
            QAbstractSlider::keyPressEvent(event);
    }
}

void AxisHandle::wheelEvent(QWheelEvent* event) {
    event->ignore();  // turning over the drawing must not change the project
}

}  // namespace meshreel
