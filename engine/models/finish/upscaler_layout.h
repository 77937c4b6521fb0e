// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/models/finish/network_tensors.h"

namespace meshreel {

enum class UpscalerKind : std::uint8_t {
    Dense,    ///< RRDBNet of ESRGAN and Real-ESRGAN: residual blocks of densely connected convolutions
    Compact,  ///< SRVGGNetCompact of Real-ESRGAN: a chain of convolutions on the small picture
};

/// A network that makes pictures larger, by the shapes of its tensors.
struct UpscalerLayout {
    UpscalerKind kind = UpscalerKind::Dense;
    std::int64_t scale = 1;   ///< of the sides
    std::int64_t folded = 1;  ///< squares of so many pixels a side are the channels of what goes in (Dense)
    std::int64_t width = 0;   ///< channels between its convolutions
    std::int64_t growth = 0;  ///< channels that a convolution of a dense block adds
    std::int64_t blocks = 0;  ///< RRDBs; of a compact network its convolutions but for first and last
    /// Convolutions behind the blocks of a dense network: those that double the sides, one in full size, the
    /// last.
    std::vector<std::string> tail = {};

    /// "ESRGAN x4 (23 blocks, 64 wide)".
    [[nodiscard]] std::string title() const;
    /// Returns how often the sides are doubled (Dense).
    [[nodiscard]] std::int64_t doublings() const;
    /// Multiplications and additions for a picture of that size.
    [[nodiscard]] double operations(std::int64_t height, std::int64_t pictureWidth) const;
    /// Returns the bytes that a picture of that size takes at most beside the weights.
    [[nodiscard]] std::int64_t workBytes(std::int64_t height, std::int64_t pictureWidth) const;
};

/// Opens a file of such a network by the names of Real-ESRGAN, of ESRGAN ("RRDB_trunk.…") or those before
/// ("model.1.sub.…").
NetworkTensors openUpscaler(const std::filesystem::path& file);

/// Returns whether the tensors look like one of them.
bool looksLikeUpscaler(const NetworkTensors& tensors);

/// Throws Error{Input} for other networks, and for layers that such a network does not have.
UpscalerLayout upscalerLayout(const NetworkTensors& tensors);

}  // namespace meshreel
