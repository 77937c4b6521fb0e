// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/focus_mark.h"

#include <QPainter>
#include <QStyleOptionFocusRect>
#include <QWidget>

namespace meshreel {

void paintFocus(QPainter& painter, const QWidget& widget) {
    if (!widget.hasFocus())
        return;
    QStyleOptionFocusRect option;
    option.initFrom(&widget);
    option.rect = widget.rect().adjusted(1, 1, -1, -1);
    widget.style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, &widget);
}

}  // namespace meshreel
