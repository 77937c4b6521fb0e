// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/attention_guidance.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_attention_guidance.h"
#include "engine/kernels/rows/lanes.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

struct GuidanceNorms {
    double prompt = 0;
    double guided = 0;
};

void requireRowsOfBoth(const MatrixView& prompt, const MatrixView& negative, std::size_t norms) {
    const bool fits = prompt.rows() == negative.rows() && prompt.width() == negative.width() &&
                      (norms == 0 || norms == 2 * static_cast<std::size_t>(prompt.rows()));
    if (!fits)
        throw Error(ErrorKind::Internal,
                    fmt::format("{} rows of {} are guided by {} rows of {} and {} norms", prompt.rows(),
                                prompt.width(), negative.rows(), negative.width(), norms));
}

/// g of a row, in place of n.
void pushAway(std::span<const float> prompt, float scale, std::span<float> negative) {
    for (std::size_t i = 0; i < negative.size(); ++i)
        negative[i] = scale * prompt[i] - (scale - 1.0F) * negative[i];
}

double sumOfMagnitudes(std::span<const float> row) {
    constexpr std::size_t lanes = 8;
    return foldLanes<lanes>(
        row, 0.0, [](float value) { return std::abs(static_cast<double>(value)); }, std::plus<>());
}

/// What g is multiplied with. A row of zeros under one that is not has no bound: its result is zero.
float limitOf(const GuidanceNorms& norms, float tau) {
    constexpr double epsilon = 1e-7;
    const bool exceeds = norms.prompt == 0 ? norms.guided > 0 : norms.guided / norms.prompt > double{tau};
    return exceeds ? static_cast<float>(norms.prompt * double{tau} / (norms.guided + epsilon)) : 1.0F;
}

/// Calls visit(row, p, g) for every row, as f32.
template <typename Visit>
void visitRows(const Execution& execution, const MatrixView& prompt, const MatrixView& negative, float scale,
               const Visit& visit) {
    execution.workers.parallelFor(prompt.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> own(static_cast<std::size_t>(prompt.width()));
        ScratchVector<float> guided(own.size());
        for (std::int64_t row = begin; row < end; ++row) {
            prompt.readRow(row, own);
            negative.readRow(row, guided);
            pushAway(own, scale, guided);
            visit(row, std::span(own), std::span<const float>(guided));
        }
    });
}

void guideAttention(const OnHost& on, const MatrixSpan& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<const float> norms) {
    visitRows(on.execution, prompt, negative, guidance.scale,
              [&](std::int64_t row, std::span<float> own, std::span<const float> guided) {
                  const auto at = 2 * static_cast<std::size_t>(row);
                  const GuidanceNorms whole =
                      norms.empty() ? GuidanceNorms{sumOfMagnitudes(own), sumOfMagnitudes(guided)}
                                    : GuidanceNorms{norms[at], norms[at + 1]};
                  const float limit = limitOf(whole, guidance.tau);
                  for (std::size_t i = 0; i < own.size(); ++i)
                      own[i] = guidance.alpha * (limit * guided[i]) + (1.0F - guidance.alpha) * own[i];
                  prompt.writeRow(row, own);
              });
}

}  // namespace

void guideAttention(const Execution& execution, const MatrixSpan& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<const float> norms) {
    requireRowsOfBoth(prompt, negative, norms.size());
    dispatch(execution, {prompt, negative},
             [&](const auto& on) { guideAttention(on, prompt, negative, guidance, norms); });
}

void attentionNorms(const Execution& execution, const MatrixView& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<float> norms) {
    requireRowsOfBoth(prompt, negative, norms.size());
    visitRows(execution, prompt, negative, guidance.scale,
              [&](std::int64_t row, std::span<const float> own, std::span<const float> guided) {
                  const auto at = 2 * static_cast<std::size_t>(row);
                  norms[at] = static_cast<float>(sumOfMagnitudes(own));
                  norms[at + 1] = static_cast<float>(sumOfMagnitudes(guided));
              });
}

}  // namespace meshreel
