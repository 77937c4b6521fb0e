// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What is added to the weights of a checkpoint while they are read: adapters.
class WeightPatch {
  public:
    virtual ~WeightPatch() = default;

    /// Whether it has something for the tensor of this (diffusers) name.
    [[nodiscard]] virtual bool touches(std::string_view name) const = 0;

    /// All that its sums depend on, for keys of caches.
    [[nodiscard]] virtual std::string identity() const = 0;

    /// Adds it to `rows`, which are f32 and start with row `first` of the tensor's outermost axis.
    virtual void addTo(std::string_view name, std::int64_t first, Tensor& rows) const = 0;
};

}  // namespace meshreel
