// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/finite_check.h"

#include <atomic>
#include <bit>
#include <cstdint>

#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/gpu_rows.h"

namespace meshreel {
namespace {

bool allFinite(std::span<const float> values) {
    constexpr std::uint32_t exponentBits = 0x7f800000U;  // all set in NaN and infinity only
    std::uint32_t found = 0;
    for (const float value : values)
        found |= (std::bit_cast<std::uint32_t>(value) & exponentBits) == exponentBits ? 1U : 0U;
    return found == 0;
}

FiniteCheck::Search startSearch(const OnHost& /*on*/, const MatrixView& /*values*/) {
    return {};
}

FiniteCheck::Search startSearch(const OnVulkan& on, const MatrixView& values) {
    const GpuWork::Flag found = on.gpu.takeFlag();
    findNonFinite(on.stream(), rowsOf(on.pipelines()), gpuMatrix(values), found.address);
    return {.device = &on.gpu, .submission = on.stream().submit(), .found = found.word};
}

}  // namespace

bool areFinite(const Execution& execution, std::span<const float> values) {
    std::atomic<bool> finite = true;
    execution.workers.parallelFor(
        static_cast<std::int64_t>(values.size()), [&](std::int64_t begin, std::int64_t end) {
            if (!allFinite(
                    values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
                finite = false;
        });
    return finite;
}

FiniteCheck::FiniteCheck(const Execution& execution, const MatrixView& values)
    : m_search(dispatch(execution, {values}, [&](const auto& on) { return startSearch(on, values); })),
      m_isFinite(isAnswered() && areFinite(execution, values.numbers())) {}

bool FiniteCheck::isFinite() const {
    if (isAnswered())
        return m_isFinite;
    m_search.device->await(m_search.submission);
    return *m_search.found == 0;
}

}  // namespace meshreel
