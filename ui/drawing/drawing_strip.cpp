// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_strip.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/media/drawing.h"
#include "ui/drawing/drawing_document.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int stripEdge = 10;
constexpr int railTop = 9;
constexpr int railThickness = 8;
constexpr double markRadius = 6.5;
constexpr double markReach = 8;
constexpr int usualStrip = 420;
constexpr int leastStrip = 160;
constexpr double strongShare = 0.16;

QPolygonF diamondAt(QPointF middle) {
    QPolygonF diamond;
    diamond << middle + QPointF(0, -markRadius) << middle + QPointF(markRadius, 0)
            << middle + QPointF(0, markRadius) << middle + QPointF(-markRadius, 0);
    return diamond;
}

}  // namespace

DrawingStrip::DrawingStrip(DrawingDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Keyframes along the clip"));
    connect(&m_document, &DrawingDocument::changed, this, &DrawingStrip::describe);
    connect(&m_document, &DrawingDocument::frameChanged, this, &DrawingStrip::describe);
    describe();
}

QSize DrawingStrip::sizeHint() const {
    return {usualStrip, railTop + railThickness + QFontMetrics(font()).height() + tightSpacing};
}

QSize DrawingStrip::minimumSizeHint() const {
    return {leastStrip, sizeHint().height()};
}

QPointF DrawingStrip::placeOf(std::int64_t frame) const {
    const std::int64_t last = m_document.canvas().frames - 1;
    const double part =
        last > 0 ? static_cast<double>(std::min(frame, last)) / static_cast<double>(last) : 0.0;
    return {stripEdge + part * (width() - 2 * stripEdge), railTop + railThickness / 2.0};
}

std::int64_t DrawingStrip::frameAt(double x) const {
    const double part = std::clamp((x - stripEdge) / std::max(1, width() - 2 * stripEdge), 0.0, 1.0);
    return std::llround(part * static_cast<double>(m_document.canvas().frames - 1));
}

std::optional<std::int64_t> DrawingStrip::keyframeAt(QPointF place) const {
    std::optional<std::int64_t> nearest;
    double most = markReach;
    for (const std::int64_t frame : m_document.chosenKeyframes())
        if (const double away = std::abs(placeOf(frame).x() - place.x()); away <= most) {
            most = away;
            nearest = frame;
        }
    return nearest;
}

void DrawingStrip::describe() {
    QStringList frames;
    for (const std::int64_t frame : m_document.chosenKeyframes())
        frames += QLocale().toString(static_cast<qlonglong>(frame));
    const QString now = tr("Frame %1").arg(m_document.frame());
    setAccessibleDescription(
        frames.isEmpty() ? now : tr("%1; keyframes at %2").arg(now, frames.join(QStringLiteral(", "))));
    update();
}

void DrawingStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPalette colours = palette();
    const QColor ink = colours.color(QPalette::WindowText);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixedColor(colours.color(QPalette::Window), ink, strongShare));
    painter.drawRoundedRect(QRectF(stripEdge - railThickness / 2.0, railTop,
                                   width() - 2.0 * stripEdge + railThickness, railThickness),
                            railThickness / 2.0, railThickness / 2.0);
    const double now = placeOf(m_document.frame()).x();
    painter.setPen(QPen(ink, 2));
    painter.drawLine(QPointF(now, 1), QPointF(now, railTop + railThickness + tightSpacing));
    for (const std::int64_t frame : m_document.chosenKeyframes()) {
        const std::int64_t shown = m_dragged == frame ? m_aimed : frame;
        const bool isHere = shown == m_document.frame();
        painter.setPen(QPen(colours.color(QPalette::Highlight), 2));
        painter.setBrush(isHere ? colours.color(QPalette::Highlight) : colours.color(QPalette::Window));
        painter.drawPolygon(diamondAt(placeOf(shown)));
    }
    const std::int64_t last = m_document.canvas().frames - 1;
    const int baseline = height() - QFontMetrics(font()).descent() - 1;
    painter.setPen(mutedColor(colours));
    const QString begin = QStringLiteral("0");
    const QString end = QLocale().toString(static_cast<qlonglong>(last));
    painter.drawText(QPointF(0, baseline), begin);
    painter.drawText(QPointF(width() - QFontMetrics(font()).horizontalAdvance(end), baseline), end);
    paintFocus(painter, *this);
}

bool DrawingStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::optional<std::int64_t> keyframe = keyframeAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           keyframe ? tr("Keyframe at frame %1: drag it along").arg(*keyframe)
                                    : tr("Click to go to a frame"),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void DrawingStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = keyframeAt(event->position());
    if (m_dragged) {
        m_aimed = *m_dragged;
        emit seekRequested(static_cast<int>(*m_dragged));
    } else {
        m_isSeeking = true;
        emit seekRequested(static_cast<int>(frameAt(event->position().x())));
    }
}

void DrawingStrip::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragged) {
        m_aimed = frameAt(event->position().x());
        update();
    } else if (m_isSeeking) {
        emit seekRequested(static_cast<int>(frameAt(event->position().x())));
    } else {
        setCursor(keyframeAt(event->position()) ? Qt::OpenHandCursor : Qt::ArrowCursor);
    }
}

void DrawingStrip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    m_isSeeking = false;
    if (const std::optional<std::int64_t> from = std::exchange(m_dragged, std::nullopt);
        from && *from != m_aimed) {
        m_document.moveKeyframe(*from, m_aimed);
        emit seekRequested(static_cast<int>(m_aimed));
    }
    update();
}

void DrawingStrip::goToNeighbour(bool behind) {
    std::optional<std::int64_t> found;
    for (const std::int64_t frame : m_document.chosenKeyframes()) {
        if (frame < m_document.frame() && !behind)
            found = frame;
        else if (frame > m_document.frame() && behind && !found)
            found = frame;
    }
    if (found)
        emit seekRequested(static_cast<int>(*found));
}

void DrawingStrip::moveBy(std::int64_t frames) {
    const std::int64_t from = m_document.frame();
    const std::int64_t to = std::clamp<std::int64_t>(from + frames, 0, m_document.canvas().frames - 1);
    const std::vector<std::int64_t> keyframes = m_document.chosenKeyframes();
    // Over another keyframe it would take its place.
    if (std::ranges::count(keyframes, from) == 0 || std::ranges::count(keyframes, to) > 0)
        return;
    m_document.moveKeyframe(from, to);
    emit seekRequested(static_cast<int>(to));
}

void DrawingStrip::keyPressEvent(QKeyEvent* event) {
    const bool moves = event->modifiers().testFlag(Qt::ShiftModifier);
    const auto go = [&](int frames) {
        if (moves)
            moveBy(frames);
        else
            emit seekRequested(static_cast<int>(m_document.frame()) + frames);
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return go(-1);
        case Qt::Key_Right:
            return go(1);
        case Qt::Key_Up:
            return goToNeighbour(false);
        case Qt::Key_Down:
            return goToNeighbour(true);
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            return m_document.removeKeyframe();
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace meshreel

#include "moc_drawing_strip.cpp"
