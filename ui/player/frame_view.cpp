// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/frame_view.h"

#include <QEvent>
#include <QIcon>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double mostZoom = 32;
constexpr double ratioOfANotch = 1.25;
constexpr double ratioOfAKey = 1.5;
constexpr double shareOfAKey = 0.1;     ///< of the widget, by which a key moves
constexpr double anglesOfANotch = 120;  ///< QWheelEvent's eighths of a degree

}  // namespace

void PictureZoom::fit() {
    m_factor = 1;
    m_offset = {};
}

void PictureZoom::zoom(double ratio, QPointF at, QSize picture, QSize widget) {
    const double factor = std::clamp(m_factor * ratio, 1.0, mostZoom);
    const QPointF fromCentre = at - QRectF(QPointF(), widget).center();
    m_offset = fromCentre - (fromCentre - m_offset) * (factor / m_factor);
    m_factor = factor;
    keepInSight(picture, widget);
}

void PictureZoom::move(QPointF by, QSize picture, QSize widget) {
    m_offset += by;
    keepInSight(picture, widget);
}

QRectF PictureZoom::target(QSize picture, QSize widget) const {
    const QSizeF fitted = QSizeF(picture).scaled(widget, Qt::KeepAspectRatio) * m_factor;
    QRectF target(QPointF(), fitted);
    target.moveCenter(QRectF(QPointF(), widget).center() + m_offset);
    return target;
}

bool PictureZoom::takeEvent(const QEvent& event, QSize picture, const QRect& pane) {
    switch (event.type()) {
        case QEvent::Wheel: {
            const auto& wheel = static_cast<const QWheelEvent&>(event);
            zoom(std::pow(ratioOfANotch, wheel.angleDelta().y() / anglesOfANotch),
                 wheel.position() - pane.topLeft(), picture, pane.size());
            return true;
        }
        case QEvent::MouseButtonPress:
            m_last = static_cast<const QMouseEvent&>(event).position();
            return false;
        case QEvent::MouseMove: {
            const auto& mouse = static_cast<const QMouseEvent&>(event);
            if (!mouse.buttons().testFlag(Qt::LeftButton) || isFitted())
                return false;
            move(mouse.position() - m_last, picture, pane.size());
            m_last = mouse.position();
            return true;
        }
        case QEvent::MouseButtonDblClick:
            fit();
            return true;
        default:
            return false;
    }
}

bool PictureZoom::takeKey(const QKeyEvent& event, QSize picture, QSize widget) {
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if ((modifiers & ~Qt::ShiftModifier) != 0)
        return false;
    const QPointF centre = QRectF(QPointF(), widget).center();
    switch (event.key()) {
        case Qt::Key_Plus:
            zoom(ratioOfAKey, centre, picture, widget);
            return true;
        case Qt::Key_Minus:
            zoom(1 / ratioOfAKey, centre, picture, widget);
            return true;
        case Qt::Key_0:
            fit();
            return true;
        default:
            return modifiers == Qt::ShiftModifier && takeArrow(event.key(), picture, widget);
    }
}

bool PictureZoom::takeArrow(int key, QSize picture, QSize widget) {
    const double across = widget.width() * shareOfAKey;
    const double down = widget.height() * shareOfAKey;
    switch (key) {
        case Qt::Key_Left:
            move({across, 0}, picture, widget);
            return true;
        case Qt::Key_Right:
            move({-across, 0}, picture, widget);
            return true;
        case Qt::Key_Up:
            move({0, down}, picture, widget);
            return true;
        case Qt::Key_Down:
            move({0, -down}, picture, widget);
            return true;
        default:
            return false;
    }
}

void PictureZoom::keepInSight(QSize picture, QSize widget) {
    const QSizeF size = target(picture, widget).size();
    const double across = std::max(0.0, (size.width() - widget.width()) / 2);
    const double down = std::max(0.0, (size.height() - widget.height()) / 2);
    m_offset = {std::clamp(m_offset.x(), -across, across), std::clamp(m_offset.y(), -down, down)};
}

namespace {

constexpr QSize preferredSize{480, 360};
constexpr QSize smallestSize{160, 120};
constexpr int placeholderIconSize = 72;
constexpr double placeholderOpacity = 0.6;

}  // namespace

FrameView::FrameView(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(
        tr("The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0)."));
    setAccessibleDescription(toolTip());
}

void FrameView::setImage(const QImage& image) {
    if (image.size() != m_image.size())
        m_zoom.fit();
    m_image = image;
    update();
}

void FrameView::setPlaceholder(const QString& text) {
    m_placeholder = text;
    update();
}

bool FrameView::takeKey(const QKeyEvent& event) {
    if (m_image.isNull() || !m_zoom.takeKey(event, m_image.size(), size()))
        return false;
    update();
    return true;
}

void FrameView::keyPressEvent(QKeyEvent* event) {
    if (!takeKey(*event))
        QWidget::keyPressEvent(event);
}

bool FrameView::event(QEvent* event) {
    if (!m_image.isNull() && m_zoom.takeEvent(*event, m_image.size(), rect())) {
        event->accept();
        update();
        return true;
    }
    return QWidget::event(event);
}

QSize FrameView::sizeHint() const {
    return preferredSize;
}

QSize FrameView::minimumSizeHint() const {
    return smallestSize;
}

void FrameView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), stageColor());
    if (m_image.isNull())
        paintPlaceholder(painter);
    else
        paintPicture(painter);
    paintFocus(painter, *this);
}

void FrameView::paintPicture(QPainter& painter) const {
    painter.setRenderHint(QPainter::SmoothPixmapTransform, m_zoom.isFitted());  // else pixels are looked at
    painter.drawImage(m_zoom.target(m_image.size(), size()), m_image);
}

void FrameView::paintPlaceholder(QPainter& painter) const {
    painter.save();
    QRect text = rect().adjusted(panelMargin, panelMargin, -panelMargin, -panelMargin);
    QRect icon(0, 0, placeholderIconSize, placeholderIconSize);
    icon.moveCenter(text.center());
    icon.translate(0, -placeholderIconSize / 2);
    painter.setOpacity(placeholderOpacity);
    painter.drawPixmap(icon, tintedPixmap(QStringLiteral("film"), icon.size(), Qt::white));
    painter.setPen(Qt::white);
    text.setTop(icon.bottom() + spacing);
    painter.drawText(text, Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, m_placeholder);
    painter.restore();
}

}  // namespace meshreel
