// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/contact_sheet.h"

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t framesOfClip = 6;
constexpr std::int64_t columns = 2;
constexpr std::int64_t gap = 4;  // pixels between rows and between columns
constexpr std::int64_t channels = 3;

/// Number of the frame in place `place` of a row: first and last frame and evenly between.
std::int64_t pickedFrame(std::int64_t place, std::int64_t frames) {
    return (place * (frames - 1) + (framesOfClip - 1) / 2) / (framesOfClip - 1);
}

void paste(const Tensor& frame, Tensor& sheet, std::int64_t top, std::int64_t left) {
    const std::int64_t row = frame.extent(1) * channels;
    const auto from = frame.data<std::uint8_t>();
    const auto to = sheet.data<std::uint8_t>();
    for (std::int64_t y = 0; y < frame.extent(0); ++y)
        std::copy_n(from.begin() + y * row, row,
                    to.begin() + ((top + y) * sheet.extent(1) + left) * channels);
}

}  // namespace

Tensor contactSheet(const std::vector<Tensor>& clips) {
    if (clips.empty())
        throw Error(ErrorKind::Internal, "a contact sheet needs clips");
    const std::int64_t time = clips.front().extent(0);
    const std::int64_t height = clips.front().extent(1);
    const std::int64_t width = clips.front().extent(2);
    const std::int64_t columnWidth = framesOfClip * width;
    const std::int64_t rows = (static_cast<std::int64_t>(clips.size()) + columns - 1) / columns;
    Tensor sheet = Tensor::zeros({rows * (height + gap) - gap, columns * (columnWidth + gap) - gap, channels},
                                 DType::U8);
    for (std::size_t i = 0; i < clips.size(); ++i) {
        if (clips[i].shape() != clips.front().shape())
            throw Error(ErrorKind::Internal, "the clips of a contact sheet have different sizes");
        const std::int64_t top = static_cast<std::int64_t>(i) / columns * (height + gap);
        const std::int64_t left = static_cast<std::int64_t>(i) % columns * (columnWidth + gap);
        for (std::int64_t place = 0; place < framesOfClip; ++place) {
            const std::int64_t picked = pickedFrame(place, time);
            paste(clips[i].slice(picked, picked + 1).reshaped({height, width, channels}), sheet, top,
                  left + place * width);
        }
    }
    return sheet;
}

}  // namespace meshreel
