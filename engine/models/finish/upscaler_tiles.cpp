// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/upscaler_tiles.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/worker_pool.h"
#include "engine/models/finish/colours.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr std::array<std::int64_t, 6> tileSides{1024, 768, 512, 384, 256, 128};
constexpr std::int64_t tileColours = 3;

/// A part of a picture of bytes.
Tensor cutPicture(const Tensor& picture, std::int64_t top, std::int64_t left, std::int64_t height,
                  std::int64_t width) {
    Tensor part = Tensor::empty({height, width, tileColours}, DType::U8);
    const std::int64_t line = picture.extent(1) * tileColours;
    for (std::int64_t row = 0; row < height; ++row)
        std::copy_n(picture.data<std::uint8_t>().data() + (top + row) * line + left * tileColours,
                    width * tileColours, part.data<std::uint8_t>().data() + row * width * tileColours);
    return part;
}

/// Where a tile goes, and its share at each line and column.
struct TilePlace {
    std::int64_t top;
    std::int64_t left;
    std::vector<float> lines;
    std::vector<float> columns;
};

void addTile(const Execution& execution, const Tensor& tile, const TilePlace& place, Tensor& whole) {
    const std::int64_t width = tile.extent(1);
    execution.workers.parallelFor(tile.extent(0), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
            const float* from = tile.data<float>().data() + line * width * tileColours;
            float* to = whole.data<float>().data() +
                        ((place.top + line) * whole.extent(1) + place.left) * tileColours;
            for (std::int64_t column = 0; column < width; ++column) {
                const float share = place.lines[static_cast<std::size_t>(line)] *
                                    place.columns[static_cast<std::size_t>(column)];
                for (std::int64_t colour = 0; colour < tileColours; ++colour)
                    *to++ += share * *from++;
            }
        }
    });
}

UpscalingTiles planOf(const UpscalerLayout& layout, std::int64_t height, std::int64_t width,
                      std::int64_t longest) {
    const TiledSide lines(height, longest);
    const TiledSide columns(width, longest);
    UpscalingTiles plan{.longest = longest, .tiles = lines.count() * columns.count()};
    plan.operations = real(plan.tiles) * layout.operations(lines.length(), columns.length());
    plan.workBytes = layout.workBytes(lines.length(), columns.length());
    if (plan.tiles > 1)  // the picture that the tiles are added up in
        plan.workBytes += height * width * layout.scale * layout.scale * tileColours *
                          static_cast<std::int64_t>(sizeof(float));
    return plan;
}

}  // namespace

TiledSide::TiledSide(std::int64_t extent, std::int64_t longest) : m_length(extent), m_begins{0} {
    if (longest <= 2 * overlap || extent < 1)
        throw Error(ErrorKind::Internal, "tiles are longer than what they share");
    if (extent <= longest)
        return;
    const std::int64_t tiles = ceilDivide(extent - overlap, longest - overlap);
    m_length = ceilDivide(extent + (tiles - 1) * overlap, tiles);
    for (std::int64_t tile = 1; tile < tiles; ++tile)
        m_begins.push_back(tile * (extent - m_length) / (tiles - 1));
}

/// How far a tile has taken over from the one before, at a place of the side.
float TiledSide::passedBy(std::int64_t tile, float place) const {
    if (tile == 0)
        return 1.0F;
    if (tile == count())
        return 0.0F;
    const auto middle = static_cast<float>(begin(tile) + begin(tile - 1) + m_length) / 2.0F;
    const auto span = static_cast<float>(passage);
    return std::clamp((place - middle) / span + 0.5F, 0.0F, 1.0F);
}

std::vector<float> TiledSide::shares(std::int64_t tile, std::int64_t scale) const {
    std::vector<float> result;
    for (std::int64_t index = 0; index < m_length * scale; ++index) {
        const float place =
            static_cast<float>(begin(tile)) + (static_cast<float>(index) + 0.5F) / static_cast<float>(scale);
        result.push_back(passedBy(tile, place) - passedBy(tile + 1, place));
    }
    return result;
}

UpscalingTiles planTiles(const UpscalerLayout& layout, std::int64_t height, std::int64_t width,
                         std::int64_t budget) {
    const std::int64_t whole = std::max({height, width, 2 * TiledSide::overlap + 1});
    UpscalingTiles plan = planOf(layout, height, width, whole);
    for (const std::int64_t side : tileSides)
        if (plan.workBytes > budget && side < whole)
            plan = planOf(layout, height, width, side);
    return plan;
}

Tensor enlargeInTiles(const Execution& execution, const Upscaler& upscaler, const Tensor& picture,
                      const UpscalingTiles& plan) {
    const std::int64_t scale = upscaler.layout().scale;
    const TiledSide lines(picture.extent(0), plan.longest);
    const TiledSide columns(picture.extent(1), plan.longest);
    if (lines.count() * columns.count() == 1)
        return bytesOfColours(execution, upscaler.enlarge(execution, coloursOfBytes(execution, picture)));
    Tensor whole = Tensor::zeros({picture.extent(0) * scale, picture.extent(1) * scale, tileColours});
    for (std::int64_t line = 0; line < lines.count(); ++line)
        for (std::int64_t column = 0; column < columns.count(); ++column) {
            const Tensor part = cutPicture(picture, lines.begin(line), columns.begin(column), lines.length(),
                                           columns.length());
            const Tensor tile = upscaler.enlarge(execution, coloursOfBytes(execution, part));
            addTile(execution, tile,
                    {.top = lines.begin(line) * scale,
                     .left = columns.begin(column) * scale,
                     .lines = lines.shares(line, scale),
                     .columns = columns.shares(column, scale)},
                    whole);
        }
    return bytesOfColours(execution, whole);
}

}  // namespace meshreel
