// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/ring_look.h"

#include <QPalette>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/theme/mixed_color.h"

namespace meshreel {

namespace {

constexpr std::array shades{0.0, 0.42};  ///< how far towards the text
constexpr std::array hatches{Qt::NoBrush, Qt::BDiagPattern, Qt::DiagCrossPattern, Qt::FDiagPattern,
                             Qt::VerPattern};
constexpr int hatchAlpha = 150;

/// WCAG 2.1, relative luminance.
double luminanceOf(const QColor& color) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

RingLook ringLook(int ring, const QPalette& palette) {
    const auto round = static_cast<std::size_t>(ring / ChartStyle::seriesColors);
    QColor lines = palette.color(QPalette::Base);
    lines.setAlpha(hatchAlpha);
    return {.color = mixedColor(ChartStyle::series(ring), palette.color(QPalette::WindowText),
                                shades.at(round % shades.size())),
            .hatch = hatches.at(round / shades.size() % hatches.size()),
            .hatchColor = lines};
}

double contrastOf(const QColor& one, const QColor& other) {
    constexpr double flare = 0.05;
    const auto [dark, light] = std::minmax({luminanceOf(one) + flare, luminanceOf(other) + flare});
    return light / dark;
}

QColor wordsOn(const QColor& ground) {
    return contrastOf(ground, Qt::white) > contrastOf(ground, Qt::black) ? Qt::white : Qt::black;
}

}  // namespace meshreel
