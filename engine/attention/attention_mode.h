// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/kernels/attention/kernel_table.h"

namespace meshreel {

/// How the devices of the context axis come by each other's tokens before the kernel.
enum class Exchange : std::uint8_t {
    Gather,   ///< the keys and values of all devices are gathered; queries stay
    Ulysses,  ///< tokens for heads: an all-to-all before the kernel and one back after it
    None,     ///< nothing is exchanged before the kernel: keys and values rotate
};

/// How keys and values travel between devices while the kernel runs.
enum class Rotation : std::uint8_t { None, Ring, BidirectionalRing };

/// One value of the project key `attention`: exchange × rotation × kernel, the limits that do not follow from
/// them, and what a user must know about it. What does follow is computed.
struct AttentionMode {
    std::string_view name;  ///< in MaxDiffusion's spelling
    Exchange exchange;
    Rotation rotation;
    AttentionKernel kernel;
    bool minimumLength = false;       ///< flash_min_seq_length applies: shorter sequences use dot_product
    bool headsPerTile = false;        ///< heads_per_tile may be above 1
    int minimumDevices = 1;           ///< on the context axis
    bool boundPerBlock = false;       ///< fixed m only: one bound for each block_q queries instead of each
                                      ///< head
    std::string_view crossAttention;  ///< name of the mode that cross-attention uses instead; may be its own
    /// Replaces crossAttention for keys (of a text, of an image) that are longer than the video: making them
    /// all on every device would be more work than exchanging heads. Empty: crossAttention.
    std::string_view longCrossAttention = {};
    std::string_view help;          ///< one sentence: what it is
    std::string_view when;          ///< one sentence: when to use it
    std::string_view limits;        ///< one sentence: what it needs, or cannot do
    std::string_view instead = {};  ///< one sentence when it does not run: why, and what to use

    /// Returns whether this version can run it.
    [[nodiscard]] constexpr bool runs() const { return rowOf(kernel).runsOn.host; }

    /// Returns whether the context axis is ring × ulysses; ulysses_shards must then be set.
    [[nodiscard]] constexpr bool hybrid() const {
        return exchange == Exchange::Ulysses && rotation != Rotation::None;
    }

    /// ulysses_attention_chunks applies.
    [[nodiscard]] constexpr bool chunked() const { return exchange == Exchange::Ulysses; }
};

/// Returns every mode, in display order.
std::span<const AttentionMode> attentionModes();

/// nullptr for a name that is not in the table.
const AttentionMode* findAttentionMode(std::string_view name);

/// Returns the mode of the dense kernel, to which others give way.
const AttentionMode& denseMode();

}  // namespace meshreel
