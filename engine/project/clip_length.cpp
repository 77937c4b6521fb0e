// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/clip_length.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

const IntegerRange& legalFrames() {
    return std::get<IntegerRange>(findProjectKey("num_frames")->range);
}

}  // namespace

std::int64_t framesOfSeconds(double seconds, double fps) {
    const IntegerRange& legal = legalFrames();
    const double wanted = seconds * fps;
    if (!(fps > 0) || !(wanted > static_cast<double>(legal.minimum)))
        return legal.minimum;
    if (wanted >= static_cast<double>(legal.maximum))
        return legal.maximum;
    const auto step = static_cast<double>(legal.step);
    const double steps = std::floor((wanted - static_cast<double>(legal.minimum)) / step + 0.5);
    return std::min(legal.maximum, legal.minimum + static_cast<std::int64_t>(steps) * legal.step);
}

double secondsOfFrameStep(double fps) {
    return fps > 0 ? static_cast<double>(legalFrames().step) / fps : 0;
}

}  // namespace meshreel
