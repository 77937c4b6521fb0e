// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/models/finish/upscaler.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One side of a picture cut into tiles of one length, which overlap. In the middle of each overlap one tile
/// passes over into the next, so that no seam shows; what is beside it is context that the network sees.
class TiledSide {
  public:
    static constexpr std::int64_t overlap = 48;  ///< pixels that two tiles share at least
    static constexpr std::int64_t passage = 16;  ///< pixels in which one passes over into the next

    /// Tiles as equal as can be, of `longest` at most, which is longer than twice the overlap. One tile where
    /// that holds the whole side.
    TiledSide(std::int64_t extent, std::int64_t longest);

    [[nodiscard]] std::int64_t length() const { return m_length; }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(m_begins.size()); }
    [[nodiscard]] std::int64_t begin(std::int64_t tile) const {
        return m_begins[static_cast<std::size_t>(tile)];
    }

    /// Returns the share of each enlarged pixel that a tile gives: length() · scale numbers. At every place
    /// the shares of all tiles sum up to 1.
    [[nodiscard]] std::vector<float> shares(std::int64_t tile, std::int64_t scale) const;

  private:
    [[nodiscard]] float passedBy(std::int64_t tile, float place) const;

    std::int64_t m_length;
    std::vector<std::int64_t> m_begins;
};

/// How pictures of one size are enlarged.
struct UpscalingTiles {
    std::int64_t longest = 0;    ///< side of a tile, at most; at least the picture's longer side: no tiles
    std::int64_t tiles = 1;      ///< of a picture
    std::int64_t workBytes = 0;  ///< at most, beside the weights and the enlarged picture of bytes
    double operations = 0;       ///< of a picture, overlaps included
};

/// Returns the plan with the largest tiles that `budget` bytes hold; where none do, that of the smallest
/// tiles.
UpscalingTiles planTiles(const UpscalerLayout& layout, std::int64_t height, std::int64_t width,
                         std::int64_t budget);

/// Enlarges a picture of bytes u8 [height, width, 3] by the network's scale, tile after tile.
Tensor enlargeInTiles(const Execution& execution, const Upscaler& upscaler, const Tensor& picture,
                      const UpscalingTiles& plan);

}  // namespace meshreel
