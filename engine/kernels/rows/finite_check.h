// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Returns whether no value is NaN or infinite; the workers share the check.
bool areFinite(const Execution& execution, std::span<const float> values);

/// A search for NaN and infinity in f32 rows, in place. The host looks at once; a GPU looks after the work
/// that it has, and answers later. At most 64 of a GPU are open at a time.
class FiniteCheck {
  public:
    /// On the host, rows must be contiguous. Throws Error{Cancelled} when a GPU's work was stopped.
    FiniteCheck(const Execution& execution, const MatrixView& values);

    /// Returns whether the answer is there already, so that isFinite() waits for nothing.
    [[nodiscard]] bool isAnswered() const { return m_search.device == nullptr; }
    /// Waits until the search is done, whatever work follows it; throws Error{Device} when the device is
    /// lost.
    [[nodiscard]] bool isFinite() const;

    /// What a device does after the work that it has.
    struct Search {
        ComputeDevice* device = nullptr;                ///< null: the host has looked
        std::int64_t submission = 0;                    ///< the submission that completes it
        const volatile std::uint32_t* found = nullptr;  ///< then not 0 if there is one
    };

  private:
    Search m_search;
    bool m_isFinite = false;
};

}  // namespace meshreel
