// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/kernels/rows/head_norm.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/row_kernels.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"

namespace meshreel {
namespace {

// Of the 1.3B transformer.
constexpr std::int64_t width = 1536;
constexpr std::int64_t headDim = 128;
constexpr double epsilon = 1e-6;

void measureRows(BenchmarkRun& run, std::int64_t rows) {
    const Execution& execution = run.execution();
    const DType type = run.options().arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16;
    const Tensor hidden = randomRows(execution, {rows, width}, DType::F32);
    const Tensor ones = randomRows(execution, {width}, DType::F32, 1.0F);
    Tensor normed = Tensor::zeros({rows, width}, type);
    const auto gamma = ones.data<float>();
    const double read = static_cast<double>(hidden.bytes());
    const double written = static_cast<double>(normed.bytes());

    run.addBytes(fmt::format("elementwise.layer_norm.{}", rows), read + written, run.measure([&] {
        layerNorm(execution, MatrixView(hidden), epsilon, gamma, gamma, MatrixSpan(normed));
    }));
    const std::int64_t columns = 52;  // tokens of 832 pixels
    const RotaryTable rotary = rotaryTable(
        {.frames = 1, .rows = (rows + columns - 1) / columns, .columns = columns}, headDim, 0, rows);
    const HeadNorm norm{
        .headDim = headDim, .gamma = gamma, .fullWidth = width, .epsilon = epsilon, .rotary = &rotary};
    run.addBytes(fmt::format("elementwise.query_norm_rope.{}", rows), 2 * written,
                 run.measure([&] { normaliseHeads(execution, MatrixSpan(normed), norm); }));
}

}  // namespace

void benchmarkElementwise(BenchmarkRun& run) {
    for (const std::int64_t rows : run.tokensOr({7800, 32760}))
        measureRows(run, rows);
}

}  // namespace meshreel
