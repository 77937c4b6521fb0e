// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/frame_view.h"

#include <QIcon>
#include <QPainter>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QSize preferredSize{480, 360};
constexpr QSize smallestSize{160, 120};
constexpr int placeholderIconSize = 72;
constexpr double placeholderOpacity = 0.6;

}  // namespace

FrameView::FrameView(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void FrameView::setImage(const QImage& image) {
    m_image = image;
    update();
}

void FrameView::setPlaceholder(const QString& text) {
    m_placeholder = text;
    update();
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
    if (!m_image.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        QRect target(QPoint(), m_image.size().scaled(size(), Qt::KeepAspectRatio));
        target.moveCenter(rect().center());
        painter.drawImage(target, m_image);
        return;
    }
    QRect text = rect().adjusted(panelMargin, panelMargin, -panelMargin, -panelMargin);
    QRect icon(0, 0, placeholderIconSize, placeholderIconSize);
    icon.moveCenter(text.center());
    icon.translate(0, -placeholderIconSize / 2);
    painter.setOpacity(placeholderOpacity);
    painter.drawPixmap(icon,
                       tintedPixmap(QStringLiteral("film"), icon.size() * devicePixelRatioF(), Qt::white));
    painter.setPen(Qt::white);
    text.setTop(icon.bottom() + spacing);
    painter.drawText(text, Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, m_placeholder);
}

}  // namespace meshreel
