// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Tile size and the distance from one tile to the next in pixels, as diffusers' enable_tiling. Neighbours
/// overlap by the difference and are blended linearly. Where a VAE codes squares of pixels (Wan 2.2),
/// encoding counts tiles in squares, as upstream does: they are that much larger.
struct VaeTiling {
    std::int64_t tileHeight = 256;
    std::int64_t tileWidth = 256;
    std::int64_t strideHeight = 192;
    std::int64_t strideWidth = 192;

    /// Throws Error{Project} unless both distances are multiples of `pixelsPerLatent` and no longer than the
    /// tile.
    void validate(std::int64_t pixelsPerLatent) const;
};

/// What a latent stands for along one side.
struct LatentSide {
    std::int64_t pixels;
    std::int64_t patch;      ///< pixels that are coded as one
    bool onlyWhole = false;  ///< the VAE encodes multiples of `pixels` only
    [[nodiscard]] std::int64_t patches() const { return pixels / patch; }
};

/// The layout of tiles along one side of the source and of the result, in latents or in patches of pixels.
struct TileAxis {
    std::int64_t sourceTile;
    std::int64_t sourceStride;
    std::int64_t resultStride;
    std::int64_t blend;         ///< where results overlap
    std::int64_t resultExtent;  ///< the result is cut to this

    [[nodiscard]] std::int64_t tiles(std::int64_t sourceExtent) const {
        return (sourceExtent + sourceStride - 1) / sourceStride;
    }
};

struct VaeTilePlan {
    TileAxis vertical;
    TileAxis horizontal;

    /// Returns the plan for frames of height × width pixels (encode) or latents (decode); nothing when one
    /// tile holds a frame. Throws what VaeTiling::validate() throws, Error{Project} for tiles that the VAE
    /// cannot encode, and Error{Input} when a tile at the border is smaller than a latent.
    static std::optional<VaeTilePlan> forEncode(const VaeTiling& tiling, std::int64_t height,
                                                std::int64_t width, const LatentSide& latent);
    static std::optional<VaeTilePlan> forDecode(const VaeTiling& tiling, std::int64_t height,
                                                std::int64_t width, const LatentSide& latent);

    [[nodiscard]] std::int64_t tiles(std::int64_t sourceHeight, std::int64_t sourceWidth) const {
        return vertical.tiles(sourceHeight) * horizontal.tiles(sourceWidth);
    }
};

/// Works through features [T, H, W, C] tile by tile and blends the results [T', h, w, C'] into one.
Tensor applyTiled(const VaeTilePlan& plan, const Tensor& features,
                  const std::function<Tensor(const Tensor& tile)>& work);

}  // namespace meshreel
