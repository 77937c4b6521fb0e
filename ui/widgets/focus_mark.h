// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPainter;
class QPalette;
class QRect;
class QWidget;

namespace meshreel {

/// A line along the inside of `place`, in the accent colour. What it surrounds is left as it is, so that the
/// colours of pictures and charts can be trusted.
void outlineFocus(QPainter& painter, const QRect& place, const QPalette& palette);

/// The same around a widget that paints itself, while it has the focus and the keyboard is used.
void paintFocus(QPainter& painter, const QWidget& widget);

}  // namespace meshreel
