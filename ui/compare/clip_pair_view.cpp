// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/clip_pair_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/theme/look.h"
#include "ui/widgets/focus_mark.h"

namespace meshreel {

namespace {

constexpr int paneGap = 4;
constexpr double wipeStep = 0.02;
constexpr double wipeReach = 10;  ///< pixels within which the line can be taken
constexpr double lineWidth = 2;
constexpr int plateAlpha = 150;

}  // namespace

ClipPairView::ClipPairView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Two videos"));
    setToolTip(tr(
        "The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and "
        "full stop move the wipe."));
    setAccessibleDescription(toolTip());
}

void ClipPairView::setMode(Mode mode) {
    m_mode = mode;
    m_zoom.fit();
    unsetCursor();
    update();
}

void ClipPairView::setNames(const QString& first, const QString& second) {
    m_firstName = first;
    m_secondName = second;
    update();
}

void ClipPairView::setPictures(const QImage& first, const QImage& second, const QImage& difference) {
    m_first = first;
    m_second = second;
    m_difference = difference;
    update();
}

void ClipPairView::setWipe(double share) {
    m_wipe = std::clamp(share, 0.0, 1.0);
    update();
}

QSize ClipPairView::minimumSizeHint() const {
    return {240, 120};
}

bool ClipPairView::event(QEvent* event) {
    if (dragsWipe(*event)) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool near = std::abs(mouse->position().x() - m_wipe * width()) <= wipeReach;
        if (mouse->buttons().testFlag(Qt::LeftButton) && (near || cursor().shape() == Qt::SplitHCursor)) {
            setWipe(mouse->position().x() / width());
            event->accept();
            return true;
        }
        setCursor(near ? Qt::SplitHCursor : Qt::ArrowCursor);
    }
    if (!m_first.isNull() && m_zoom.takeEvent(*event, m_first.size(), paneUnder(*event))) {
        event->accept();
        update();
        return true;
    }
    return QWidget::event(event);
}

bool ClipPairView::dragsWipe(const QEvent& event) const {
    return m_mode == Mode::Wipe &&
           (event.type() == QEvent::MouseMove || event.type() == QEvent::MouseButtonPress);
}

void ClipPairView::keyPressEvent(QKeyEvent* event) {
    if (m_mode == Mode::Wipe && (event->key() == Qt::Key_Comma || event->key() == Qt::Key_Period))
        setWipe(m_wipe + (event->key() == Qt::Key_Comma ? -wipeStep : wipeStep));
    else if (!m_first.isNull() && m_zoom.takeKey(*event, m_first.size(), paneSize()))
        update();
    else
        QWidget::keyPressEvent(event);
}

QSize ClipPairView::paneSize() const {
    return m_mode == Mode::SideBySide ? QSize((width() - paneGap) / 2, height()) : size();
}

QRect ClipPairView::secondPane() const {
    const QSize size = paneSize();
    return {QPoint(width() - size.width(), 0), size};
}

QRect ClipPairView::paneUnder(const QEvent& event) const {
    const QRect second = secondPane();
    if (event.isSinglePointEvent() &&
        static_cast<const QSinglePointEvent&>(event).position().x() >= second.left())
        return second;
    return {QPoint(), paneSize()};
}

void ClipPairView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), stageColor());
    const QRect left(QPoint(), paneSize());
    switch (m_mode) {
        case Mode::SideBySide:
            paintPane(painter, left, m_first, m_firstName);
            paintPane(painter, secondPane(), m_second, m_secondName);
            break;
        case Mode::Wipe:
            paintWipe(painter);
            break;
        case Mode::Difference:
            paintPane(
                painter, left, m_difference,
                m_difference.isNull() ? tr("Videos of two sizes have no difference") : tr("Difference"));
            break;
    }
    paintFocus(painter, *this);
}

void ClipPairView::paintPane(QPainter& painter, const QRect& pane, const QImage& picture,
                             const QString& name) const {
    painter.save();
    painter.setClipRect(pane, Qt::IntersectClip);
    painter.translate(pane.topLeft());
    if (!picture.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, m_zoom.isFitted());
        painter.drawImage(m_zoom.target(picture.size(), pane.size()), picture);
    }
    const QString shown = fontMetrics().elidedText(name, Qt::ElideMiddle, pane.width() - 4 * spacing);
    const QRect plate(spacing, spacing, fontMetrics().horizontalAdvance(shown) + 2 * spacing,
                      fontMetrics().height() + tightSpacing);
    if (!shown.isEmpty()) {
        painter.fillRect(plate, QColor(0, 0, 0, plateAlpha));
        painter.setPen(Qt::white);
        painter.drawText(plate, Qt::AlignCenter, shown);
    }
    painter.restore();
}

void ClipPairView::paintWipe(QPainter& painter) const {
    const double line = m_wipe * width();
    painter.save();
    painter.setClipRect(QRectF(0, 0, line, height()));
    paintPane(painter, rect(), m_first, m_firstName);
    painter.restore();
    painter.save();
    painter.setClipRect(QRectF(line, 0, width() - line, height()));
    paintPane(painter, rect(), m_second, {});
    const QString shown = fontMetrics().elidedText(m_secondName, Qt::ElideMiddle, width() - 4 * spacing);
    const QRect plate(width() - spacing - fontMetrics().horizontalAdvance(shown) - 2 * spacing, spacing,
                      fontMetrics().horizontalAdvance(shown) + 2 * spacing,
                      fontMetrics().height() + tightSpacing);
    painter.fillRect(plate, QColor(0, 0, 0, plateAlpha));
    painter.setPen(Qt::white);
    painter.drawText(plate, Qt::AlignCenter, shown);
    painter.restore();
    painter.setPen(QPen(palette().color(QPalette::Highlight), lineWidth));
    painter.drawLine(QPointF(line, 0), QPointF(line, height()));
}

}  // namespace meshreel
