// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/focus_mark.h"

#include <QPainter>
#include <QWidget>

namespace meshreel {

namespace {

constexpr int markWidth = 2;  ///< pixels; seen beside every picture

}  // namespace

void outlineFocus(QPainter& painter, const QRect& place, const QPalette& palette) {
    // Not the style's PE_FrameFocusRect, which Fusion also fills: a tint over pictures.
    const QRegion outline = QRegion(place) - place.adjusted(markWidth, markWidth, -markWidth, -markWidth);
    for (const QRect& side : outline)
        painter.fillRect(side, palette.color(QPalette::Active, QPalette::Highlight));
}

void paintFocus(QPainter& painter, const QWidget& widget) {
    if (widget.hasFocus() && widget.window()->testAttribute(Qt::WA_KeyboardFocusChange))
        outlineFocus(painter, widget.rect(), widget.palette());
}

}  // namespace meshreel
