// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace meshreel {

/// What block-sparse attention left out, in one attention or summed over many.
struct SparseCounts {
    double keptBlocks = 0;         ///< pairs of blocks of queries and of keys that were computed exactly
    double allBlocks = 0;          ///< pairs that there were
    std::int64_t hops = 0;         ///< shards of keys that came from other devices of a ring
    std::int64_t skippedHops = 0;  ///< shards that none needed that they would have come to
    double difference = 0;         ///< sum of squares of what a few outputs differ by from dense attention
    double reference = 0;          ///< sum of squares of dense attention's; 0: no output was compared

    /// Returns the share of pairs that were computed exactly; 1 where there were none.
    [[nodiscard]] double keptShare() const { return allBlocks > 0 ? keptBlocks / allBlocks : 1.0; }

    /// Returns the relative L2 error of the outputs that were compared; nothing without any.
    [[nodiscard]] std::optional<double> error() const;

    SparseCounts& operator+=(const SparseCounts& other);

    friend bool operator==(const SparseCounts&, const SparseCounts&) = default;
};

/// Converts to the object that `meshreel attention` prints and timings.json stores, and back.
nlohmann::ordered_json sparseJson(const SparseCounts& counts);
SparseCounts sparseFrom(const nlohmann::ordered_json& json);

}  // namespace meshreel
