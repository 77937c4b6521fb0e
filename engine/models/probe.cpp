// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/probe.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

#include "engine/kernels/gpu/gpu_operands.h"

namespace meshreel {
namespace {

bool allFinite(std::span<const float> values) {
    constexpr std::uint32_t exponentBits = 0x7f800000U;  // all set in NaN and infinity only
    std::uint32_t found = 0;
    for (const float value : values)
        found |= (std::bit_cast<std::uint32_t>(value) & exponentBits) == exponentBits ? 1U : 0U;
    return found == 0;
}

}  // namespace

NonFiniteError::NonFiniteError(const std::string& place)
    : Error(ErrorKind::Internal, fmt::format("The result of {} holds NaN or infinity", place), place,
            "The weights may be damaged or the guidance scale too high"),
      m_place(place) {}

void requireFinite(const Execution& execution, std::span<const float> values, const std::string& place) {
    std::atomic<bool> finite = true;
    execution.workers.parallelFor(
        static_cast<std::int64_t>(values.size()), [&](std::int64_t begin, std::int64_t end) {
            if (!allFinite(
                    values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
                finite = false;
        });
    if (!finite)
        throw NonFiniteError(place);
}

FiniteChecks::FiniteChecks(const Execution& execution) : m_execution(execution) {}
FiniteChecks::~FiniteChecks() = default;

void FiniteChecks::add(const Tensor& values, const std::string& place) {
    if (values.isOnHost())
        return requireFinite(m_execution, values.data<float>(), place);
    auto latest = std::make_unique<const GpuFiniteCheck>(m_execution, MatrixView(values));
    finish();
    m_open = std::move(latest);
    m_openPlace = place;
}

void FiniteChecks::finish() {
    const std::unique_ptr<const GpuFiniteCheck> open = std::move(m_open);
    if (open && !open->isFinite())
        throw NonFiniteError(m_openPlace);
}

}  // namespace meshreel
