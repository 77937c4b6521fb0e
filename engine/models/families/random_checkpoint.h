// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/worker_pool.h"
#include "engine/kernels/execution.h"
#include "engine/tensor/shape.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// Random weights under which activations keep their size through any number of layers: norms are ones,
/// biases small, everything else has the standard deviation 1/sqrt(inputs of one output). A number depends
/// only on seed, name and its place in the tensor. Uniformly distributed: as good for measuring as normal
/// ones, and generated as fast as memory takes them.
class RandomWeights {
  public:
    explicit RandomWeights(std::uint64_t seed) : m_seed(seed) {}

    /// Elements [first, first + values.size()) of the tensor `name` of `shape`.
    void fill(WorkerPool& workers, std::string_view name, const Shape& shape, std::int64_t first,
              std::span<float> values) const;

  private:
    std::uint64_t m_seed;
};

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
