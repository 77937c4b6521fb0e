// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"

#include <QPalette>

namespace meshreel {

namespace {

constexpr float gridOpacity = 0.14F;
constexpr float fillOpacity = 0.25F;

QColor withOpacity(QColor color, float opacity) {
    color.setAlphaF(opacity);
    return color;
}

ChartStyle styleOf(const QColor& ground, const QColor& text) {
    const bool dark = ground.lightness() < text.lightness();
    const QColor line = dark ? QColor(0x5c, 0xc8, 0xd7) : QColor(0x0b, 0x6e, 0x8a);
    const QColor reference = dark ? QColor(0xff, 0xb4, 0x54) : QColor(0xb4, 0x5f, 0x06);
    return {ground, text, withOpacity(text, gridOpacity), line, withOpacity(line, fillOpacity), reference};
}

}  // namespace

ChartStyle ChartStyle::of(const QPalette& palette) {
    return styleOf(palette.color(QPalette::Base), palette.color(QPalette::Text));
}

ChartStyle ChartStyle::print() {
    return styleOf(Qt::white, QColor(0x20, 0x20, 0x20));
}

}  // namespace meshreel
