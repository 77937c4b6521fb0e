// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/channel_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/rows/exponential.h"
#include "engine/kernels/rows/lanes.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

// torch.nn.functional.normalize's eps.
constexpr float smallestNorm = 1e-12F;

// Two AVX2 registers of partial sums, one of AVX-512.
constexpr std::size_t lanes = 16;

template <ChannelNorm::After after>
[[gnu::always_inline]] inline void normalize(const float* x, const float* gamma, std::size_t channels,
                                             float* y) {
    const float sum = foldLanes<lanes>(
        std::span(x, channels), 0.0F, [](float value) { return value * value; }, std::plus<>());
    const float factor = std::sqrt(static_cast<float>(channels)) / std::max(std::sqrt(sum), smallestNorm);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const float value = x[channel] * factor * gamma[channel];
        if constexpr (after == ChannelNorm::After::Silu)
            y[channel] = value / (1.0F + exponential(-value));
        else
            y[channel] = value;
    }
}

template <ChannelNorm::After after>
void normalizeAvx2(const float* x, const float* gamma, std::size_t channels, float* y) {
    normalize<after>(x, gamma, channels, y);
}

// Clang does not know the option, and takes the wider registers by itself.
#ifdef __clang__
#define MESHREEL_WIDE_VECTORS "avx512f,avx512bw,avx512dq,avx512vl"
#else
#define MESHREEL_WIDE_VECTORS "avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif

/// Computes the same bits: only the registers are wider.
template <ChannelNorm::After after>
[[gnu::target(MESHREEL_WIDE_VECTORS), gnu::flatten]] void normalizeAvx512(const float* x, const float* gamma,
                                                                          std::size_t channels, float* y) {
    normalize<after>(x, gamma, channels, y);
}

bool hasAvx512() {
    const CpuFeatures& cpu = cpuFeatures();
    return cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
}

}  // namespace

ChannelNorm::ChannelNorm(Tensor gamma, After after) : m_gamma(std::move(gamma)), m_after(after) {
    if (after == After::Silu)
        m_row = hasAvx512() ? normalizeAvx512<After::Silu> : normalizeAvx2<After::Silu>;
    else
        m_row = hasAvx512() ? normalizeAvx512<After::Nothing> : normalizeAvx2<After::Nothing>;
}

void ChannelNorm::apply(std::span<const float> x, std::span<float> y) const {
    m_row(x.data(), m_gamma.data<float>().data(), x.size(), y.data());
}

void ChannelNorm::apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y) const {
    if (x.width() != channels() || y.width() != channels() || x.rows() != y.rows())
        throw Error(ErrorKind::Internal,
                    fmt::format("A norm of {} channels got {}x{} inputs and {}x{} outputs", channels(),
                                x.rows(), x.width(), y.rows(), y.width()));
    dispatch(execution, {x, y, MatrixView(m_gamma.reshaped({1, channels()}))},
             [&](const auto& on) { applyOn(on, x, y); });
}

void ChannelNorm::applyOn(const OnHost& on, const MatrixView& x, const MatrixSpan& y) const {
    on.execution.workers.parallelFor(x.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> row(static_cast<std::size_t>(channels()));
        for (std::int64_t pixel = begin; pixel < end; ++pixel) {
            if (x.dtype() == DType::F32 && y.dtype() == DType::F32) {
                apply(x.row<float>(pixel), y.row<float>(pixel));
                continue;
            }
            x.readRow(pixel, row);
            apply(row, row);
            y.writeRow(pixel, row);
        }
    });
}

}  // namespace meshreel
