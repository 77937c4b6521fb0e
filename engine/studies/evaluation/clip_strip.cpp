// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/clip_strip.h"

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t stripChannels = 3;

/// Calls `copyRow(byte of the frames, byte of the strip, bytes)` for every row of every frame.
template <typename CopyRow>
void overRows(std::int64_t frames, std::int64_t height, std::int64_t width, const CopyRow& copyRow) {
    const std::int64_t row = width * stripChannels;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t y = 0; y < height; ++y)
            copyRow((frame * height + y) * row, (y * frames + frame) * row, row);
}

}  // namespace

Tensor stripOf(const Tensor& frames) {
    const std::int64_t time = frames.extent(0);
    const std::int64_t height = frames.extent(1);
    const std::int64_t width = frames.extent(2);
    Tensor strip = Tensor::empty({height, time * width, stripChannels}, DType::U8);
    const auto from = frames.data<std::uint8_t>();
    const auto to = strip.data<std::uint8_t>();
    overRows(time, height, width, [&](std::int64_t ofFrames, std::int64_t ofStrip, std::int64_t bytes) {
        std::copy_n(from.begin() + ofFrames, bytes, to.begin() + ofStrip);
    });
    return strip;
}

Tensor framesOf(const Tensor& strip, std::int64_t frames) {
    if (frames < 1 || strip.extent(1) % frames != 0)
        throw Error(ErrorKind::Input,
                    sentence("a picture {} pixels wide does not hold {} frames side by side", strip.extent(1),
                             frames));
    const std::int64_t height = strip.extent(0);
    const std::int64_t width = strip.extent(1) / frames;
    Tensor clip = Tensor::empty({frames, height, width, stripChannels}, DType::U8);
    const auto from = strip.data<std::uint8_t>();
    const auto to = clip.data<std::uint8_t>();
    overRows(frames, height, width, [&](std::int64_t ofFrames, std::int64_t ofStrip, std::int64_t bytes) {
        std::copy_n(from.begin() + ofStrip, bytes, to.begin() + ofFrames);
    });
    return clip;
}

}  // namespace meshreel
