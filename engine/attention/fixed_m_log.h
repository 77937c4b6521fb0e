// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <mutex>

#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Counts of the heads and blocks that are here.
FixedMCounts toCounts(const FixedMOutcome& outcome);

/// Merges outcomes: a head counts as it did on the device for which it went worst, because each device of a
/// ring holds some of its queries. All members call it together, with outcomes of the same heads in the same
/// order; blocks stay each member's.
FixedMOutcome mergeWorst(Communicator& devices, FixedMOutcome own);

/// What the attentions of each device of a process came to, one after the other.
class FixedMLog {
  public:
    void add(int device, const FixedMOutcome& outcome);

    /// Returns what a device added since it last took, the heads of its attentions one after the other. The
    /// log keeps its memory for the next ones.
    [[nodiscard]] FixedMOutcome take(int device);

  private:
    std::mutex m_mutex;
    std::map<int, FixedMOutcome> m_devices;
};

/// Returns the counts of the whole mesh on every device, from what each of them took from its log. All
/// devices call it together.
FixedMCounts countOnMesh(Device& device, FixedMOutcome own);

}  // namespace meshreel
