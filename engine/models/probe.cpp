// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/probe.h"

#include <fmt/format.h>

#include <utility>

#include "engine/tensor/matrix_view.h"

namespace meshreel {

NonFiniteError::NonFiniteError(const std::string& place)
    : Error(ErrorKind::Internal, fmt::format("The result of {} holds NaN or infinity", place), place,
            "The weights may be damaged or the guidance scale too high"),
      m_place(place) {}

void requireFinite(const Execution& execution, std::span<const float> values, const std::string& place) {
    if (!areFinite(execution, values))
        throw NonFiniteError(place);
}

FiniteChecks::FiniteChecks(const Execution& execution) : m_execution(execution) {}

void FiniteChecks::add(const Tensor& values, const std::string& place) {
    FiniteCheck latest(m_execution, MatrixView(values));
    finish();
    m_open = std::move(latest);
    m_openPlace = place;
    if (m_open->isAnswered())
        finish();
}

void FiniteChecks::finish() {
    const std::optional<FiniteCheck> open = std::exchange(m_open, std::nullopt);
    if (open && !open->isFinite())
        throw NonFiniteError(m_openPlace);
}

}  // namespace meshreel
