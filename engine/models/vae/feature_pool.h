// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Hands out tensors, and hands their memory out again when they are gone: layers of one size follow each
/// other, and memory that the system gives afresh costs a page fault every 4 KiB. For one thread; tensors may
/// outlive the pool.
class FeaturePool {
  public:
    FeaturePool() : m_free(std::make_shared<FreeMemory>()) {}

    /// Uninitialised.
    [[nodiscard]] Tensor take(Shape shape, DType type);

  private:
    using FreeMemory = std::map<std::size_t, std::vector<Tensor>>;  // by bytes

    std::shared_ptr<FreeMemory> m_free;
};

}  // namespace meshreel
