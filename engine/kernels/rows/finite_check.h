// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Whether no value is NaN or infinite; the workers share the looking.
bool areFinite(const Execution& execution, std::span<const float> values);

/// A search that a device makes behind the work that it has.
class FiniteSearch {
  public:
    FiniteSearch() = default;
    FiniteSearch(const FiniteSearch&) = delete;
    FiniteSearch& operator=(const FiniteSearch&) = delete;
    virtual ~FiniteSearch() = default;

    /// Waits until the search is done, whatever work came behind it; throws Error{Device} when the device is
    /// lost.
    [[nodiscard]] virtual bool isFinite() const = 0;
};

/// A search for NaN and infinity in f32 rows, where they lie. The host looks at once; a GPU looks behind the
/// work that it has, and answers later. At most 64 of a GPU are open at a time.
class FiniteCheck {
  public:
    /// On the host, rows side by side. Throws Error{Cancelled} when a GPU's work was stopped.
    FiniteCheck(const Execution& execution, const MatrixView& values);

    /// Whether the answer is there already, so that isFinite() waits for nothing.
    [[nodiscard]] bool isAnswered() const { return m_search == nullptr; }
    /// Throws as FiniteSearch.
    [[nodiscard]] bool isFinite() const { return m_search == nullptr ? m_isFinite : m_search->isFinite(); }

  private:
    std::unique_ptr<const FiniteSearch> m_search;  // null: the host has looked
    bool m_isFinite = false;
};

}  // namespace meshreel
