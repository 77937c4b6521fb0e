// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPainter;
class QWidget;

namespace meshreel {

/// Marks a widget that paints itself while it has the focus of the keyboard.
void paintFocus(QPainter& painter, const QWidget& widget);

}  // namespace meshreel
