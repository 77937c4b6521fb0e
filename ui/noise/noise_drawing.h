// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <vector>

#include "ui/noise/noise_levels.h"

namespace meshreel {

/// Where the parts of the picture of noise levels stand.
struct NoiseDrawing {
    /// Steps in a row of one expert.
    struct Stretch {
        int expert = 1;
        QRectF area;
    };

    QRectF plot;                     ///< level 1 at its top, 0 at its bottom
    std::vector<QPointF> points;     ///< of each step
    std::vector<QPointF> unshifted;  ///< may be empty
    std::vector<Stretch> stretches;
    double boundary = -1;  ///< y; negative: none

    /// The step whose column holds `x`; -1 outside.
    [[nodiscard]] int stepAt(double x) const;
    [[nodiscard]] double yOf(double level) const { return plot.bottom() - level * plot.height(); }
};

NoiseDrawing drawNoise(const NoiseLevels& levels, const QRectF& plot);

}  // namespace meshreel
