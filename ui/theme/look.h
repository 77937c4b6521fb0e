// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

class QFont;
class QPalette;

namespace meshreel {

/// Distances of every layout, in device-independent pixels.
inline constexpr int tightSpacing = 4;
inline constexpr int spacing = 8;
inline constexpr int panelMargin = 12;

/// Whether the palette draws light text on a dark ground.
bool isDark(const QPalette& palette);

/// Behind pictures, light palette or dark: near black, as colours are judged best.
QColor stageColor();

/// Red that reads well on the palette's window colour.
QColor errorColor(const QPalette& palette);

/// Amber that reads well on the palette's window colour.
QColor warningColor(const QPalette& palette);

/// Text of lesser weight: units, limits, captions.
QColor mutedColor(const QPalette& palette);

/// The fixed-pitch font of the system, to stand beside the application font.
QFont monospaceFont();

}  // namespace meshreel
