// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_drawing.h"

#include <cmath>

namespace meshreel {

int NoiseDrawing::stepAt(double x) const {
    if (points.empty() || x < plot.left() || x >= plot.right())
        return -1;
    return static_cast<int>(
        std::floor((x - plot.left()) / plot.width() * static_cast<double>(points.size())));
}

NoiseDrawing drawNoise(const NoiseLevels& levels, const QRectF& plot) {
    NoiseDrawing drawing{.plot = plot, .points = {}, .unshifted = {}, .stretches = {}};
    const double column = plot.width() / static_cast<double>(levels.steps.size());
    const auto placeOf = [&](std::size_t step, double level) {
        return QPointF(plot.left() + (static_cast<double>(step) + 1.0 / 2) * column, drawing.yOf(level));
    };
    for (std::size_t step = 0; step < levels.steps.size(); ++step) {
        const int expert = levels.steps[step].expert;
        drawing.points.push_back(placeOf(step, levels.steps[step].level));
        const double left = plot.left() + static_cast<double>(step) * column;
        if (drawing.stretches.empty() || drawing.stretches.back().expert != expert)
            drawing.stretches.push_back({expert, QRectF(left, plot.top(), 0, plot.height())});
        drawing.stretches.back().area.setRight(left + column);
    }
    for (std::size_t step = 0; step < levels.unshifted.size(); ++step)
        drawing.unshifted.push_back(placeOf(step, levels.unshifted[step]));
    if (levels.boundary)
        drawing.boundary = drawing.yOf(*levels.boundary);
    return drawing;
}

}  // namespace meshreel
