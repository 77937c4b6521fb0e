// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// How a head of a batch row ran with fixed m. Of two that hold for parts of a head, the later one holds for
/// the head: it counts as bounded when all of its blocks ran on the bound, whatever keys they met.
enum class FixedMHead : std::uint8_t {
    NotHere,        ///< another device computes it
    Bounded,        ///< on the bound
    BoundTooLarge,  ///< with the running maximum: the bound of its scores is above the limit of f32's range
    WeightsLost,    ///< some blocks with the running maximum: on the bound, f32 lost some of their weights
};

/// What ran on the bound in attentions of fixed m. Empty for other kernels.
struct FixedMOutcome {
    std::int64_t batch = 0;
    std::vector<FixedMHead> heads = {};  ///< [batch, heads]
    std::int64_t boundedBlocks = 0;      ///< of queries, for each head and each part of the keys
    std::int64_t fallbackBlocks = 0;

    /// Adds an outcome of the heads from `firstHead` on, of the same batch.
    void add(const FixedMOutcome& part, std::int64_t firstHead);

    /// Heads of batch rows that ran so.
    [[nodiscard]] std::int64_t count(FixedMHead outcome) const;

    /// Counts of the heads and blocks that are here.
    [[nodiscard]] FixedMCounts counts() const;
};

/// A head is what the device says for which it went worst: those of a ring each hold some of its queries. All
/// members call it together, with outcomes of the same heads in the same order; blocks stay each member's.
FixedMOutcome mergeWorst(Communicator& devices, FixedMOutcome own);

/// What the attentions of each device of a process came to, one after the other.
class FixedMLog {
  public:
    void add(int device, const FixedMOutcome& outcome);

    /// What a device added since it last took, the heads of its attentions behind each other.
    [[nodiscard]] FixedMOutcome take(int device);

  private:
    std::mutex m_mutex;
    std::map<int, FixedMOutcome> m_devices;
};

/// The counts of the whole mesh on every device, of what each of them took from its log. All devices call it
/// together.
FixedMCounts countOnMesh(Device& device, FixedMOutcome own);

}  // namespace meshreel
