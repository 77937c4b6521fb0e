// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/finish/network_tensors.h"

namespace meshreel {

/// What makes features of a whole frame, before the blocks of an IFNet.
enum class RifeHead : std::uint8_t {
    None,
    Plain,  ///< two convolutions: `encode.0`, `encode.1`
    Deep,   ///< four, with activations between them: `encode.cnn0` to `encode.cnn3`
};

/// One form of RIFE's network IFNet: versions that differ in weights only are one row. Source:
/// Practical-RIFE's IFNet_HDv3.py of each version.
struct RifeForm {
    std::string_view versions;  ///< "4.25, 4.26"
    RifeHead head = RifeHead::None;
    std::int64_t features = 0;  ///< that the head makes of a frame
    std::int64_t outs = 0;      ///< that a block makes of a pixel: four of flow, one of mask, and the rest
    bool addsMask = false;      ///< a block changes the mask; otherwise it makes it anew
    std::span<const std::int64_t> scales = {};  ///< by which the frames are made smaller for each block
    /// Widths of the blocks where they, too, tell the form from others; empty where any will do.
    std::span<const std::int64_t> widths = {};

    /// Returns what a block hands to the next one beside flow and mask: 8 features where it makes 13 numbers.
    [[nodiscard]] std::int64_t handedOn() const { return outs > mostWithout ? outs - flowChannels - 1 : 0; }
    /// Returns the inputs of the first block: two frames, their features, the time.
    [[nodiscard]] std::int64_t firstIns() const { return 2 * 3 + 2 * features + 1; }
    /// Returns the inputs of the others: also the mask, what was handed on, and the flow, the last four.
    [[nodiscard]] std::int64_t ins() const { return firstIns() + 1 + handedOn() + flowChannels; }
    /// Returns what the sides of a frame are padded to a multiple of: a block makes it a fourth once more.
    [[nodiscard]] std::int64_t grid() const { return 4 * scales.front(); }

    static constexpr std::int64_t flowChannels = 4;
    static constexpr std::int64_t mostWithout =
        6;  ///< that hands nothing on: 4.6 to 4.9 do not use the sixth
};

/// A file's network: its form, and how wide its blocks are.
struct RifeLayout {
    const RifeForm* form = nullptr;
    std::int64_t headWidth = 0;  ///< of the head's inner convolutions
    std::vector<std::int64_t> widths;

    /// Multiplications and additions of one frame of that size, padded.
    [[nodiscard]] double operations(std::int64_t height, std::int64_t width) const;
    /// Returns the bytes that interpolating takes at most beside the weights, for frames of that size,
    /// padded.
    [[nodiscard]] std::int64_t workBytes(std::int64_t height, std::int64_t width) const;
};

/// Returns every form, in the order of versions.
std::span<const RifeForm> rifeForms();

/// Opens a file of RIFE: Practical-RIFE's flownet.pkl, and those of ComfyUI and ComfyUI-Frame-Interpolation.
NetworkTensors openRife(const std::filesystem::path& file);

/// Returns whether the tensors look like RIFE's, of whatever version.
bool looksLikeRife(const NetworkTensors& tensors);

/// Returns the layout by the tensors' shapes. Throws Error{Input} naming what the file is for versions that
/// Meshreel does not compute (before 4.5, 4.10 to 4.20) and for other networks (FILM).
RifeLayout rifeLayout(const NetworkTensors& tensors);

}  // namespace meshreel
