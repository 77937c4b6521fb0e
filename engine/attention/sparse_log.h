// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <mutex>

#include "engine/mesh/device_mesh.h"
#include "engine/timing/sparse_counts.h"

namespace meshreel {

/// What the block-sparse attentions of each device of a process left out, added up.
class SparseLog {
  public:
    void add(int device, const SparseCounts& counts);

    /// Returns what a device added since it last took.
    [[nodiscard]] SparseCounts take(int device);

  private:
    std::mutex m_mutex;
    std::map<int, SparseCounts> m_devices;
};

/// Returns the sums over the whole mesh on every device, from what each of them took from its log; as exact
/// as f32. All devices call it together.
SparseCounts countOnMesh(Device& device, const SparseCounts& own);

}  // namespace meshreel
