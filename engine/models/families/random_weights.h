// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/worker_pool.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Random weights under which activations keep their size through any number of layers: norms are ones,
/// biases small, everything else has the standard deviation 1/sqrt(inputs of one output). A number depends on
/// seed, name and its place in the tensor alone. Uniform: as good for measuring as normal ones, and made as
/// fast as memory takes them.
class RandomWeights {
  public:
    explicit RandomWeights(std::uint64_t seed) : m_seed(seed) {}

    /// Elements [first, first + values.size()) of the tensor `name` of `shape`.
    void fill(WorkerPool& workers, std::string_view name, const Shape& shape, std::int64_t first,
              std::span<float> values) const;

  private:
    std::uint64_t m_seed;
};

}  // namespace meshreel
