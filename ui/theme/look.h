// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>

class QFont;
class QPainter;
class QPalette;
class QRect;
class QString;
class QWidget;

namespace meshreel {

/// Returns a colour on the straight line between both; `share` from 0 (all `from`) to 1 (all `to`).
QColor mixedColor(const QColor& from, const QColor& to, double share);

/// Distances of every layout, in device-independent pixels.
inline constexpr int tightSpacing = 4;
inline constexpr int spacing = 8;
inline constexpr int panelMargin = 12;

/// Returns whether the palette draws light text on a dark ground.
bool isDark(const QPalette& palette);

/// Returns the colour behind pictures, with light and dark palettes: near black, on which colours are judged
/// best.
QColor stageColor();

/// Red that reads well on the palette's window colour.
QColor errorColor(const QPalette& palette);

/// Amber that reads well on the palette's window colour.
QColor warningColor(const QPalette& palette);

/// Text of lesser weight: units, limits, captions.
QColor mutedColor(const QPalette& palette);

/// Text of usual weight.
QColor textColor(const QPalette& palette);

/// Draws a widget's words in a colour of the program's palette, one of those above, in every appearance from
/// now on. Another call gives another colour.
void keepInk(QWidget& words, QColor (*ink)(const QPalette&));

/// Returns the fixed-pitch font of the system, to stand beside the application font.
QFont monospaceFont();

/// A line along the inside of `place`, in the accent colour. What it surrounds is left as it is, so that the
/// colours of pictures and charts can be trusted.
void outlineFocus(QPainter& painter, const QRect& place, const QPalette& palette);

/// Paints the focus around a widget that paints itself, while it has the focus and the keyboard is used.
void paintFocus(QPainter& painter, const QWidget& widget);

/// Returns a line icon of resources/icons/actions, drawn in the palette's text colour of the moment (dimmed
/// when disabled).
QIcon themedIcon(const QString& name);

/// Returns the picture in one colour, whatever the palette; `size` in device-independent pixels, as sharp as
/// the sharpest screen.
QPixmap tintedPixmap(const QString& name, QSize size, const QColor& ink);

}  // namespace meshreel
