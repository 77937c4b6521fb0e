// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Where rows lie in a tensor that is seen as a matrix [outermost extent, width].
struct RowsPlace {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t width = 0;  ///< elements of a whole row
};

/// What is added to the weights of a checkpoint while they are read: adapters.
class WeightPatch {
  public:
    virtual ~WeightPatch() = default;

    /// Whether it has something for the tensor of this (diffusers) name.
    [[nodiscard]] virtual bool touches(std::string_view name) const = 0;

    /// All that its sums depend on, for keys of caches.
    [[nodiscard]] virtual std::string identity() const = 0;

    /// Adds it to `rows`, which are f32 and lie at `place` of the tensor.
    virtual void addTo(std::string_view name, const RowsPlace& place, Tensor& rows) const = 0;
};

}  // namespace meshreel
