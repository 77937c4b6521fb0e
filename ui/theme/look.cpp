// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/look.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QPalette>

#include "ui/theme/mixed_color.h"

namespace meshreel {

namespace {

constexpr double mutedShare = 0.38;  ///< how far muted text moves from the text to the window colour

constexpr double monospaceScale = 0.9;  ///< fixed-pitch faces look larger than others of the same size

}  // namespace

bool isDark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor stageColor() {
    return {0x1b, 0x1d, 0x21};
}

QColor errorColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0x8a, 0x80) : QColor(0xb7, 0x1c, 0x1c);
}

QColor warningColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0xb7, 0x4d) : QColor(0xa8, 0x5b, 0x00);
}

QColor mutedColor(const QPalette& palette) {
    return mixedColor(palette.color(QPalette::WindowText), palette.color(QPalette::Window), mutedShare);
}

QFont monospaceFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    // Fixed-pitch faces for CJK draw the summary's box characters twice as wide.
    font.setFamilies({QStringLiteral("DejaVu Sans Mono"), font.family()});
    font.setPointSizeF(QApplication::font().pointSizeF() * monospaceScale);
    return font;
}

}  // namespace meshreel
