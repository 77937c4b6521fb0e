// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/spread_frames.h"

#include <algorithm>
#include <cmath>

namespace meshreel {

QList<int> spreadFrames(int length, int most) {
    const int count = std::min(length, most);
    QList<int> frames;
    for (int i = 0; i < count; ++i)
        frames += count == 1
                      ? 0
                      : static_cast<int>(std::lround(static_cast<double>(i) * (length - 1) / (count - 1)));
    return frames;
}

}  // namespace meshreel
