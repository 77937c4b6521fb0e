// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_tiling.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/vae/wan_vae_chunk.h"

namespace meshreel {
namespace {

void validateSide(const Sentence& side, std::int64_t tile, std::int64_t stride,
                  std::int64_t pixelsPerLatent) {
    if (stride < 1 || stride % pixelsPerLatent != 0 || stride > tile)
        throw Error(
            ErrorKind::Project,
            sentence("VAE tiles of {} pixels in {} at a distance of {} cannot be laid", tile, side, stride),
            "VAE tiling",
            sentence("Choose a distance that is a multiple of {} and not above the tile's {}",
                     pixelsPerLatent, side));
}

void requireWholeLatent(std::int64_t extent, std::int64_t stride, std::int64_t pixelsPerLatent) {
    const std::int64_t last = (extent - 1) % stride + 1;
    if (last < pixelsPerLatent)
        throw Error(ErrorKind::Input,
                    sentence("VAE tiles at a distance of {} leave {} of {} pixels at the border", stride,
                             last, extent),
                    "video", sentence("Use frames whose sides are multiples of {}", pixelsPerLatent));
}

void requireWholeTile(const Sentence& side, std::int64_t tile, std::int64_t pixelsPerLatent) {
    if (tile % pixelsPerLatent != 0)
        throw Error(ErrorKind::Project,
                    sentence("This VAE cannot encode VAE tiles of {} pixels in {}", tile, side), "VAE tiling",
                    sentence("Choose a multiple of {}", pixelsPerLatent));
}

TileAxis encodeAxis(std::int64_t tile, std::int64_t stride, std::int64_t extent, const LatentSide& latent) {
    const std::int64_t latentStride = stride / latent.patches();
    return {tile, stride, latentStride, tile / latent.patches() - latentStride, extent / latent.pixels};
}

TileAxis decodeAxis(std::int64_t tile, std::int64_t stride, std::int64_t extent, const LatentSide& latent) {
    return {tile / latent.pixels, stride / latent.pixels, stride / latent.patch,
            tile / latent.patch - stride / latent.patch, extent * latent.patches()};
}

/// One pixel column or row pair of a seam: `count` values at `to` become before·(1 - weight) + to·weight.
void mix(const float* before, float* to, std::int64_t count, float weight) {
    for (std::int64_t index = 0; index < count; ++index)
        to[index] = before[index] * (1.0F - weight) + to[index] * weight;
}

std::int64_t offset(const Tensor& features, std::int64_t frame, std::int64_t row, std::int64_t column) {
    return ((frame * features.extent(1) + row) * features.extent(2) + column) * features.extent(3);
}

/// Fades from the lower rows of the tile above into the upper rows of this one.
void blendRows(const Tensor& above, Tensor& tile, std::int64_t extent) {
    const std::int64_t rows = std::min({above.extent(1), tile.extent(1), extent});
    for (std::int64_t frame = 0; frame < tile.extent(0); ++frame)
        for (std::int64_t row = 0; row < rows; ++row)
            mix(above.data<float>().data() + offset(above, frame, above.extent(1) - rows + row, 0),
                tile.data<float>().data() + offset(tile, frame, row, 0), tile.extent(2) * tile.extent(3),
                static_cast<float>(row) / static_cast<float>(rows));
}

/// Blends in the same way from the tile on the left.
void blendColumns(const Tensor& left, Tensor& tile, std::int64_t extent) {
    const std::int64_t columns = std::min({left.extent(2), tile.extent(2), extent});
    for (std::int64_t frame = 0; frame < tile.extent(0); ++frame)
        for (std::int64_t row = 0; row < tile.extent(1); ++row)
            for (std::int64_t column = 0; column < columns; ++column)
                mix(left.data<float>().data() + offset(left, frame, row, left.extent(2) - columns + column),
                    tile.data<float>().data() + offset(tile, frame, row, column), tile.extent(3),
                    static_cast<float>(column) / static_cast<float>(columns));
}

/// Copies the part of a tile that lies before the next one to its place; what lies outside the result is left
/// out.
void place(const VaeTilePlan& plan, const Tensor& tile, std::int64_t tileRow, std::int64_t tileColumn,
           Tensor& result) {
    const std::int64_t top = tileRow * plan.vertical.resultStride;
    const std::int64_t left = tileColumn * plan.horizontal.resultStride;
    const std::int64_t rows = std::min({tile.extent(1), plan.vertical.resultStride, result.extent(1) - top});
    const std::int64_t columns =
        std::min({tile.extent(2), plan.horizontal.resultStride, result.extent(2) - left});
    for (std::int64_t frame = 0; frame < tile.extent(0); ++frame)
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(std::as_const(tile).data<float>().data() + offset(tile, frame, row, 0),
                        std::max<std::int64_t>(0, columns) * tile.extent(3),
                        result.data<float>().data() + offset(result, frame, top + row, left));
}

}  // namespace

void VaeTiling::validate(std::int64_t pixelsPerLatent) const {
    validateSide(sentence("height"), tileHeight, strideHeight, pixelsPerLatent);
    validateSide(sentence("width"), tileWidth, strideWidth, pixelsPerLatent);
}

std::optional<VaeTilePlan> VaeTilePlan::forEncode(const VaeTiling& tiling, std::int64_t height,
                                                  std::int64_t width, const LatentSide& latent) {
    tiling.validate(latent.patches());
    if (latent.onlyWhole) {
        requireWholeTile(sentence("height"), tiling.tileHeight, latent.patches());
        requireWholeTile(sentence("width"), tiling.tileWidth, latent.patches());
    }
    if (height <= tiling.tileHeight && width <= tiling.tileWidth)
        return std::nullopt;
    requireWholeLatent(height, tiling.strideHeight * latent.patch, latent.pixels);
    requireWholeLatent(width, tiling.strideWidth * latent.patch, latent.pixels);
    return VaeTilePlan{encodeAxis(tiling.tileHeight, tiling.strideHeight, height, latent),
                       encodeAxis(tiling.tileWidth, tiling.strideWidth, width, latent)};
}

std::optional<VaeTilePlan> VaeTilePlan::forDecode(const VaeTiling& tiling, std::int64_t height,
                                                  std::int64_t width, const LatentSide& latent) {
    tiling.validate(latent.pixels);
    if (height <= tiling.tileHeight / latent.pixels && width <= tiling.tileWidth / latent.pixels)
        return std::nullopt;
    return VaeTilePlan{decodeAxis(tiling.tileHeight, tiling.strideHeight, height, latent),
                       decodeAxis(tiling.tileWidth, tiling.strideWidth, width, latent)};
}

Tensor applyTiled(const VaeTilePlan& plan, const Tensor& features,
                  const std::function<Tensor(const Tensor& tile)>& work) {
    const std::int64_t rows = plan.vertical.tiles(features.extent(1));
    const std::int64_t columns = plan.horizontal.tiles(features.extent(2));
    Tensor result;
    std::vector<Tensor> above;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<Tensor> current;
        for (std::int64_t column = 0; column < columns; ++column) {
            Tensor tile = work(cropFeatures(features, row * plan.vertical.sourceStride,
                                            column * plan.horizontal.sourceStride, plan.vertical.sourceTile,
                                            plan.horizontal.sourceTile));
            if (row > 0)
                blendRows(above[static_cast<std::size_t>(column)], tile, plan.vertical.blend);
            if (column > 0)
                blendColumns(current.back(), tile, plan.horizontal.blend);
            if (result.elements() == 0)
                result = Tensor::zeros({tile.extent(0), plan.vertical.resultExtent,
                                        plan.horizontal.resultExtent, tile.extent(3)});
            place(plan, tile, row, column, result);
            current.push_back(std::move(tile));
        }
        above = std::move(current);
    }
    return result;
}

}  // namespace meshreel
