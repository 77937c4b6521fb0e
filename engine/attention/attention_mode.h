// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace meshreel {

/// How tokens and heads change place between devices before the kernel.
enum class Exchange : std::uint8_t { None, Ulysses };

/// How keys and values travel between devices.
enum class Rotation : std::uint8_t { None, Ring, BidirectionalRing };

/// What computes one device's attention.
enum class AttentionKernel : std::uint8_t {
    DotProduct,         ///< dense softmax
    Flash,              ///< blocked, online softmax
    Custom,             ///< blocked, with block_kv_compute_in and heads_per_tile
    CustomFixedM,       ///< blocked, with a bound of the row maximum in place of the running one
    TransformerEngine,  ///< cuDNN's, on NVIDIA GPUs
};

/// One value of the project key `attention`: exchange × rotation × kernel, and what a user must know about
/// it.
struct AttentionMode {
    std::string_view name;  ///< as MaxDiffusion spells it
    Exchange exchange;
    Rotation rotation;
    AttentionKernel kernel;
    bool minimumLength;        ///< flash_min_seq_length applies: shorter sequences use dot_product
    bool runs;                 ///< this version can run it
    std::string_view help;     ///< one sentence: what it is
    std::string_view instead;  ///< one sentence when it does not run: why, and what to use
};

/// Every name, in the order to show them.
std::span<const AttentionMode> attentionModes();

/// nullptr for a name that is not in the table.
const AttentionMode* findAttentionMode(std::string_view name);

/// The same for a name that must run here. Throws Error{Project} with the nearest name, or with `instead`.
const AttentionMode& requireAttentionMode(std::string_view name);

}  // namespace meshreel
