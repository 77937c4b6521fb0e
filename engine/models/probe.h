// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Receives a model's named intermediates ("block0.attn1_out"), for verification and tests; may be empty. The
/// tensor's memory is reused after the call: clone() what is kept.
using Probe = std::function<void(std::string_view name, const Tensor& value)>;

/// The first NaN or infinity of a computation: Error{Internal} whose place() tells after what it was seen.
class NonFiniteError : public Error {
  public:
    explicit NonFiniteError(const std::string& place);

    /// "block 7", "text encoder block 0".
    [[nodiscard]] const std::string& place() const { return m_place; }

  private:
    std::string m_place;
};

/// Throws NonFiniteError when a value is NaN or infinite; the workers share the looking.
void requireFinite(const Execution& execution, std::span<const float> values, const std::string& place);

/// The same of an f32 tensor wherever it lies.
void requireFinite(const Execution& execution, const Tensor& values, const std::string& place);

}  // namespace meshreel
