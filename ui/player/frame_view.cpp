// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/frame_view.h"

#include <QEvent>
#include <QIcon>
#include <QKeyEvent>
#include <QPainter>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/focus_mark.h"

namespace meshreel {

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
