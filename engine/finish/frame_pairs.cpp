// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/finish/frame_pairs.h"

#include "engine/media/frame_comparison.h"
#include "engine/media/image_resize.h"

namespace meshreel {

FramePair compareFramePair(const Tensor& first, const Tensor& second) {
    constexpr std::int64_t side = 32;
    constexpr double nearlyEqual = 0.996;
    constexpr double cut = 0.2;
    const auto small = [](const Tensor& frame) {
        return resizeImage(frame, side, side, Resampling::Bilinear);
    };
    const double similarity = measureDistance(small(first), small(second)).ssim;
    if (similarity > nearlyEqual)
        return FramePair::Equal;
    return similarity < cut ? FramePair::Cut : FramePair::Moving;
}

}  // namespace meshreel
