// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace meshreel {

/// How a head of a batch row ran with fixed m. When parts of a head differ, the later value applies to the
/// head: it counts as bounded when all of its blocks ran on the bound, whatever keys they met.
enum class FixedMHead : std::uint8_t {
    NotHere,        ///< another device computes it
    Bounded,        ///< ran on the bound
    BoundTooLarge,  ///< ran with the running maximum: the bound of its scores exceeds the limit of f32's
                    ///< range
    WeightsLost,    ///< some blocks with the running maximum: on the bound, f32 lost some of their weights
};

/// What ran on the bound in attentions of fixed m. Empty for other kernels.
struct FixedMOutcome {
    std::int64_t batch = 0;
    std::vector<FixedMHead> heads = {};  ///< [batch, heads]
    std::int64_t boundedBlocks = 0;      ///< blocks of queries, for each head and each part of the keys
    std::int64_t fallbackBlocks = 0;

    /// Forgets what ran, for attention of so many heads, and keeps the memory.
    void begin(std::int64_t batchRows, std::int64_t headCount);

    /// Adds how blocks of a head ran.
    void add(std::int64_t batchRow, std::int64_t head, std::span<const FixedMHead> blocks);

    /// Heads of batch rows that ran so.
    [[nodiscard]] std::int64_t count(FixedMHead outcome) const;
};

}  // namespace meshreel
