// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr double peakLevel = 255;
constexpr std::int64_t comparedChannels = 3;

std::int64_t commonFrames(const Tensor& first, const Tensor& second) {
    for (const std::size_t axis : {1U, 2U, 3U})
        if (first.extent(axis) != second.extent(axis))
            throw Error(ErrorKind::Input,
                        sentence("frames of {}x{} cannot be compared with frames of {}x{}", first.extent(2),
                                 first.extent(1), second.extent(2), second.extent(1)),
                        {}, sentence("Compare videos of one size"));
    return std::min(first.extent(0), second.extent(0));
}

}  // namespace

std::vector<FrameDistance> compareFrames(const Tensor& first, const Tensor& second, const StopToken& stop) {
    std::vector<FrameDistance> frames;
    for (std::int64_t frame = 0; frame < commonFrames(first, second); ++frame) {
        throwIfStopped(stop);
        frames.push_back(distanceOf(first.slice(frame, frame + 1), second.slice(frame, frame + 1)));
    }
    return frames;
}

Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain) {
    const std::int64_t count = commonFrames(first, second);
    Tensor differences =
        Tensor::empty({count, first.extent(1), first.extent(2), comparedChannels}, DType::U8);
    const std::span<const std::uint8_t> a = first.data<std::uint8_t>();
    const std::span<const std::uint8_t> b = second.data<std::uint8_t>();
    const std::span<std::uint8_t> out = differences.data<std::uint8_t>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(std::min(gain * std::abs(int{a[i]} - int{b[i]}), 255));
    return differences;
}

FrameDistance overall(const std::vector<FrameDistance>& frames) {
    if (frames.empty())
        return {};
    double error = 0;
    double ssim = 0;
    for (const FrameDistance& frame : frames) {
        error += std::isinf(frame.psnr) ? 0 : peakLevel * peakLevel / std::pow(10, frame.psnr / 10);
        ssim += frame.ssim;
    }
    const auto count = static_cast<double>(frames.size());
    return {.psnr = error == 0 ? std::numeric_limits<double>::infinity()
                               : 10 * std::log10(peakLevel * peakLevel * count / error),
            .ssim = ssim / count};
}

}  // namespace meshreel
