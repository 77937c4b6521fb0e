// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/tensor_spec.h"

namespace meshreel {

/// A checkpoint of seeded RandomWeights. Its file has no name and is gone with the last tensor that looks
/// into it.
class RandomCheckpoint {
  public:
    /// Writes it into the system's folder for temporary files. Throws Error{Resources} when that is full,
    /// Error{Cancelled}.
    RandomCheckpoint(const Execution& execution, std::span<const TensorSpec> tensors, std::uint64_t seed = 0);

    [[nodiscard]] const Checkpoint& checkpoint() const { return m_checkpoint; }

  private:
    Checkpoint m_checkpoint;
};

}  // namespace meshreel
