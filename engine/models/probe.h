// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/finite_check.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Receives a model's named intermediates ("block0.attn1_out"), for verification and tests; may be empty. The
/// tensor's memory is reused after the call: clone() what is kept.
using Probe = std::function<void(std::string_view name, const Tensor& value)>;

/// Reports the first NaN or infinity of a computation: Error{Internal} whose place() names the operation
/// after which it was found.
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

/// Looks for NaN and infinity after every part of a computation, one part after the other. The host looks at
/// once. A GPU looks after the part, and the host asks for the answer when the next part has been submitted:
/// so it is ahead of the GPU by one part at most, and neither waits for the other.
class FiniteChecks {
  public:
    explicit FiniteChecks(const Execution& execution);
    FiniteChecks(const FiniteChecks&) = delete;
    FiniteChecks& operator=(const FiniteChecks&) = delete;

    /// `values` f32 are the values after the part `place`. Throws NonFiniteError for this part or the one
    /// before.
    void add(const Tensor& values, const std::string& place);

    /// Waits for the last part and looks at it.
    void finish();

  private:
    const Execution& m_execution;
    std::optional<FiniteCheck> m_open;
    std::string m_openPlace;
};

}  // namespace meshreel
