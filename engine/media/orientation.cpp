// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/orientation.h"

#include <algorithm>

namespace meshreel {
namespace {

/// What a display matrix turns the axes to; only the signs count.
struct Turn {
    std::array<int, 4> signs;  // of a, b, c, d
    Orientation orientation;
};

constexpr Turn turns[] = {
    {{1, 0, 0, 1}, Orientation::Upright},       {{-1, 0, 0, 1}, Orientation::MirroredAcross},
    {{-1, 0, 0, -1}, Orientation::HalfTurn},    {{1, 0, 0, -1}, Orientation::MirroredDown},
    {{0, 1, 1, 0}, Orientation::Transposed},    {{0, 1, -1, 0}, Orientation::QuarterTurn},
    {{0, -1, -1, 0}, Orientation::Transversed}, {{0, -1, 1, 0}, Orientation::ThreeQuarterTurn},
};

struct Place {
    std::int64_t row;
    std::int64_t column;
};

/// Where the pixel that should be seen at `seen` lies in an image of this size.
Place sourceOf(const Place& seen, Orientation orientation, std::int64_t height, std::int64_t width) {
    switch (orientation) {
        case Orientation::Upright:
            break;
        case Orientation::MirroredAcross:
            return {seen.row, width - 1 - seen.column};
        case Orientation::HalfTurn:
            return {height - 1 - seen.row, width - 1 - seen.column};
        case Orientation::MirroredDown:
            return {height - 1 - seen.row, seen.column};
        case Orientation::Transposed:
            return {seen.column, seen.row};
        case Orientation::QuarterTurn:
            return {height - 1 - seen.column, seen.row};
        case Orientation::Transversed:
            return {height - 1 - seen.column, width - 1 - seen.row};
        case Orientation::ThreeQuarterTurn:
            return {seen.column, width - 1 - seen.row};
    }
    return seen;
}

}  // namespace

Orientation orientationOfMatrix(const std::array<std::int32_t, 9>& matrix) {
    const auto sign = [&](std::size_t index) {
        return (matrix[index] > 0 ? 1 : 0) - (matrix[index] < 0 ? 1 : 0);
    };
    const std::array<int, 4> signs{sign(0), sign(1), sign(3), sign(4)};
    const auto* const turn = std::ranges::find(turns, signs, &Turn::signs);
    return turn == std::end(turns) ? Orientation::Upright : turn->orientation;
}

Tensor upright(const Tensor& image, Orientation orientation) {
    if (orientation == Orientation::Upright)
        return image;
    const std::int64_t height = image.extent(0);
    const std::int64_t width = image.extent(1);
    const std::int64_t channels = image.extent(2);
    const bool turned = orientation >= Orientation::Transposed;
    Tensor seen = Tensor::empty({turned ? width : height, turned ? height : width, channels}, DType::U8);
    std::uint8_t* to = seen.data<std::uint8_t>().data();
    for (std::int64_t row = 0; row < seen.extent(0); ++row)
        for (std::int64_t column = 0; column < seen.extent(1); ++column) {
            const Place from = sourceOf({row, column}, orientation, height, width);
            to = std::copy_n(image.data<std::uint8_t>().data() + (from.row * width + from.column) * channels,
                             channels, to);
        }
    return seen;
}

}  // namespace meshreel
