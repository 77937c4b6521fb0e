// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/media/palette.h"
#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// A 4x4 colour chart; patches are 32 pixels wide so that chroma subsampling touches only their edges.
inline constexpr std::int64_t patchSize = 32;
inline constexpr std::int64_t patchesPerSide = 4;
inline constexpr std::int64_t chartSize = patchSize * patchesPerSide;
inline constexpr std::int64_t patchMargin = 8;  // within reach of the chroma filter and of the codec's blocks
inline constexpr std::array<Rgb, patchesPerSide * patchesPerSide> chartColours{{{255, 0, 0},
                                                                                {0, 255, 0},
                                                                                {0, 0, 255},
                                                                                {255, 255, 0},
                                                                                {0, 255, 255},
                                                                                {255, 0, 255},
                                                                                {0, 0, 0},
                                                                                {255, 255, 255},
                                                                                {128, 128, 128},
                                                                                {16, 16, 16},
                                                                                {235, 235, 235},
                                                                                {64, 32, 16},
                                                                                {200, 150, 120},
                                                                                {30, 60, 120},
                                                                                {0, 100, 0},
                                                                                {255, 128, 0}}};

inline Rgb chartPixel(std::int64_t y, std::int64_t x) {
    return chartColours[static_cast<std::size_t>(y / patchSize * patchesPerSide + x / patchSize)];
}

/// u8 [time, chartSize, chartSize, 3], every frame the chart; a pixel at the upper edge tells the frames
/// apart.
inline Tensor chartClip(std::int64_t frames) {
    Tensor clip = Tensor::empty({frames, chartSize, chartSize, 3}, DType::U8);
    auto* to = clip.data<std::uint8_t>().data();
    for (std::int64_t t = 0; t < frames; ++t)
        for (std::int64_t y = 0; y < chartSize; ++y)
            for (std::int64_t x = 0; x < chartSize; ++x) {
                const Rgb colour = chartPixel(y, x);
                *to++ = colour.red;
                *to++ = colour.green;
                *to++ = colour.blue;
            }
    return clip;
}

/// Largest difference to the chart over every pixel well inside a patch, every frame and channel.
inline int chartError(const Tensor& clip) {
    const auto data = clip.data<std::uint8_t>();
    int worst = 0;
    std::size_t i = 0;
    for (std::int64_t t = 0; t < clip.extent(0); ++t)
        for (std::int64_t y = 0; y < chartSize; ++y)
            for (std::int64_t x = 0; x < chartSize; ++x, i += 3) {
                const auto inside = [](std::int64_t at) {
                    return at % patchSize >= patchMargin && at % patchSize < patchSize - patchMargin;
                };
                if (!inside(y) || !inside(x))
                    continue;
                const Rgb colour = chartPixel(y, x);
                worst = std::max({worst, std::abs(data[i] - colour.red), std::abs(data[i + 1] - colour.green),
                                  std::abs(data[i + 2] - colour.blue)});
            }
    return worst;
}

/// A white square of 16 pixels walking right by 4 pixels a frame over a dark gradient, u8 [time, 64, 96, 3].
inline Tensor walkingSquare(std::int64_t frames) {
    constexpr std::int64_t height = 64;
    constexpr std::int64_t width = 96;
    Tensor clip = Tensor::empty({frames, height, width, 3}, DType::U8);
    auto* to = clip.data<std::uint8_t>().data();
    for (std::int64_t t = 0; t < frames; ++t)
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) {
                const bool inside = y >= 24 && y < 40 && x >= 4 * t && x < 4 * t + 16;
                *to++ = static_cast<std::uint8_t>(inside ? 255 : x / 2);
                *to++ = static_cast<std::uint8_t>(inside ? 255 : y);
                *to++ = static_cast<std::uint8_t>(inside ? 255 : 40);
            }
    return clip;
}

}  // namespace meshreel::testing
