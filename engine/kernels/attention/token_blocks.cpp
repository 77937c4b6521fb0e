// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/token_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// A code along a 3-D Morton curve: its bits are those of column, row and frame in turn, from the lowest on;
/// an axis whose bits are used up is passed over.
class MortonCurve {
  public:
    explicit MortonCurve(const TokenGrid& grid)
        : m_bits{bitsOf(grid.columns), bitsOf(grid.rows), bitsOf(grid.frames)} {}

    [[nodiscard]] std::int64_t codes() const {
        return std::int64_t{1} << (m_bits[0] + m_bits[1] + m_bits[2]);
    }

    /// Returns column, row and frame, which may lie outside of the grid.
    [[nodiscard]] std::array<std::int64_t, 3> at(std::int64_t code) const {
        std::array<std::int64_t, 3> place{};
        for (int level = 0; code != 0; ++level)
            for (std::size_t axis = 0; axis < place.size(); ++axis)
                if (level < m_bits[axis]) {
                    place[axis] |= (code & 1) << level;
                    code >>= 1;
                }
        return place;
    }

  private:
    static int bitsOf(std::int64_t extent) {
        return extent < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent - 1)));
    }

    std::array<int, 3> m_bits;
};

/// Calls visit(token) for the video's tokens along the curve.
template <typename Visit>
void walkMorton(const TokenGrid& video, const Visit& visit) {
    if (video.tokens() == 0)
        return;
    const MortonCurve curve(video);
    for (std::int64_t code = 0; code < curve.codes(); ++code) {
        const auto [column, row, frame] = curve.at(code);
        if (column < video.columns && row < video.rows && frame < video.frames)
            visit((frame * video.rows + row) * video.columns + column);
    }
}

template <typename Visit>
void walkPlaces(const TokenGrid& video, const Visit& visit) {
    const std::int64_t places = video.rows * video.columns;
    for (std::int64_t place = 0; place < places; ++place)
        for (std::int64_t frame = 0; frame < video.frames; ++frame)
            visit(frame * places + place);
}

}  // namespace

TokenBlocks orderTokens(TokenOrder order, const TokenGrid& video, std::int64_t begin, std::int64_t end,
                        std::int64_t blockTokens) {
    if (begin < 0 || end < begin || blockTokens < 1 ||
        (order == TokenOrder::Places && (begin > 0 || end < video.tokens())))
        throw Error(ErrorKind::Internal,
                    fmt::format("Tokens {} to {} of a video of {} cannot be cut into blocks of {}", begin,
                                end, video.tokens(), blockTokens));
    TokenBlocks blocks{.blockTokens = blockTokens};
    blocks.order.reserve(static_cast<std::size_t>(end - begin));
    const auto take = [&](std::int64_t token) {
        if (token >= begin && token < end)
            blocks.order.push_back(static_cast<std::int32_t>(token - begin));
    };
    const std::int64_t videoEnd = std::clamp(video.tokens(), begin, end);
    if (order == TokenOrder::Morton)
        walkMorton(video, take);
    else if (order == TokenOrder::Places)
        walkPlaces(video, take);
    else
        for (std::int64_t token = begin; token < videoEnd; ++token)
            take(token);
    blocks.wholeBlocks = (videoEnd - begin) / blockTokens;
    for (std::int64_t token = videoEnd; token < end; ++token)
        take(token);
    return blocks;
}

}  // namespace meshreel
