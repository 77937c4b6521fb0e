// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace meshreel {

namespace {

constexpr std::array<float, 3> lumaOfColours{0.2126F, 0.7152F, 0.0722F};  // ITU-R BT.709

/// Brightness of each pixel of a frame, row by row.
std::vector<float> brightnessOf(const Tensor& frames, std::int64_t frame) {
    const Tensor one = frames.slice(frame, frame + 1);
    const std::span<const std::uint8_t> values = one.data<std::uint8_t>();
    std::vector<float> brightness(values.size() / lumaOfColours.size());
    for (std::size_t pixel = 0; pixel < brightness.size(); ++pixel)
        for (std::size_t colour = 0; colour < lumaOfColours.size(); ++colour)
            brightness[pixel] += lumaOfColours[colour] * static_cast<float>(values[3 * pixel + colour]);
    return brightness;
}

/// Standard deviation of a pixel's four neighbours less four times itself, over the inside of the picture.
double laplacianDeviation(const std::vector<float>& brightness, std::size_t width) {
    const std::size_t height = brightness.size() / width;
    double sum = 0;
    double squares = 0;
    for (std::size_t y = 1; y + 1 < height; ++y)
        for (std::size_t x = 1; x + 1 < width; ++x) {
            const std::size_t at = y * width + x;
            const double value = static_cast<double>(brightness[at - width]) + brightness[at + width] +
                                 brightness[at - 1] + brightness[at + 1] - 4.0 * brightness[at];
            sum += value;
            squares += value * value;
        }
    const auto count = static_cast<double>((height - 2) * (width - 2));
    const double mean = sum / count;
    return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

}  // namespace

std::optional<double> measureFlicker(const Tensor& frames, const StopToken& stop) {
    const std::int64_t count = frames.extent(0);
    if (count < 3)
        return std::nullopt;
    std::vector<float> before = brightnessOf(frames, 0);
    std::vector<float> now = brightnessOf(frames, 1);
    std::vector<float> sums(now.size());
    for (std::int64_t frame = 1; frame + 1 < count; ++frame) {
        throwIfStopped(stop);
        std::vector<float> after = brightnessOf(frames, frame + 1);
        for (std::size_t pixel = 0; pixel < sums.size(); ++pixel)
            sums[pixel] += std::abs(now[pixel] - (before[pixel] + after[pixel]) / 2);
        before = std::move(now);
        now = std::move(after);
    }
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2);
    std::ranges::nth_element(sums, middle);
    return *middle / static_cast<double>(count - 2);
}

std::optional<double> measureSharpness(const Tensor& frames, const StopToken& stop) {
    const std::int64_t count = frames.extent(0);
    if (count < 1 || frames.extent(1) < 3 || frames.extent(2) < 3)
        return std::nullopt;
    double sum = 0;
    for (std::int64_t frame = 0; frame < count; ++frame) {
        throwIfStopped(stop);
        sum += laplacianDeviation(brightnessOf(frames, frame), static_cast<std::size_t>(frames.extent(2)));
    }
    return sum / static_cast<double>(count);
}

}  // namespace meshreel
