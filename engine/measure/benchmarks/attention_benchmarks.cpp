// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/attention_benchmarks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

// Of the 1.3B transformer.
constexpr std::int64_t heads = 12;
constexpr std::int64_t headDim = 128;
constexpr std::int64_t width = heads * headDim;

/// A row of the table of modes whose kernel is measured, and what the row is called.
struct AttentionCase {
    std::string_view name;
    std::string_view mode;
};
constexpr std::array measuredKernels{AttentionCase{"custom", "ulysses_custom"},
                                     AttentionCase{"flash", "flash"}};

void measureAttention(BenchmarkRun& run, const AttentionCase& attention, std::int64_t tokens) {
    const std::string name = fmt::format("attention.{}.{}", attention.name, tokens);
    if (!run.wants(name))
        return;
    const DType type = rowType(run.options().arithmetic);
    const Shape shape = HeadTensor::shapeOf(HeadOrder::ByToken, 1, tokens, heads, headDim);
    const auto rows = [&](std::uint64_t seed) {
        return HeadTensor{randomRows(run.execution(), shape, type, 1.0F, seed)};
    };
    const LocalAttention problem{.query = rows(0),
                                 .key = rows(1),
                                 .value = rows(2),
                                 .scale = 1.0 / std::sqrt(static_cast<double>(headDim))};
    HeadTensor out{Tensor::empty(shape, type)};
    const AttentionPlan plan = planAttention({.mode = &requireAttentionMode(attention.mode)},
                                             {.queryLength = tokens, .keyLength = tokens, .heads = heads});
    const Arithmetic arithmetic = type == DType::F32 ? Arithmetic::F32 : Arithmetic::BF16;
    const auto finish = [&](const QueryBlock& block, AttentionPartial& partial, AttentionPartial&) {
        finalizePartial(partial, out.outputRows(block.batch, block.firstQuery, block.head));
    };
    const MeasuredTime time =
        run.measure([&] { attendLocally(run.execution(), plan, problem, finish); }, arithmetic);
    constexpr double products = 2;  // with the keys, with the values
    const double flops = products * 2.0 * static_cast<double>(heads * headDim) * static_cast<double>(tokens) *
                         static_cast<double>(tokens);
    run.addFlops(name, flops, time, arithmetic, 4.0 * static_cast<double>(out.data.bytes()));
}

void measureRows(BenchmarkRun& run, std::int64_t rows) {
    const std::string normName = fmt::format("elementwise.layer_norm.{}", rows);
    const std::string headsName = fmt::format("elementwise.query_norm_rope.{}", rows);
    if (!run.wants(normName) && !run.wants(headsName))
        return;
    constexpr double epsilon = 1e-6;
    const Execution& execution = run.execution();
    const DType type = rowType(run.options().arithmetic);
    const Tensor hidden = randomRows(execution, {rows, width}, DType::F32);
    const Tensor ones = randomRows(execution, {width}, DType::F32, 1.0F);
    Tensor normed = Tensor::zeros({rows, width}, type);
    const MatrixView gamma(ones);
    const double read = static_cast<double>(hidden.bytes());
    const double written = static_cast<double>(normed.bytes());

    run.addBytes(normName, read + written, run.measure([&] {
        layerNorm(execution, MatrixView(hidden), epsilon, {.gamma = gamma, .beta = gamma},
                  MatrixSpan(normed));
    }));
    const std::int64_t columns = 52;  // tokens of 832 pixels
    const RotaryTable rotary = rotaryTable(
        {.frames = 1, .rows = (rows + columns - 1) / columns, .columns = columns}, headDim, 0, rows);
    const HeadNorm norm{
        .headDim = headDim, .gamma = gamma, .fullWidth = width, .epsilon = epsilon, .rotary = &rotary};
    run.addBytes(headsName, 2 * written,
                 run.measure([&] { normaliseHeads(execution, MatrixSpan(normed), norm); }));
}

}  // namespace

void benchmarkAttention(BenchmarkRun& run) {
    for (const AttentionCase& attention : measuredKernels)
        for (const std::int64_t tokens : run.tokensOr({7800, 32760}))
            measureAttention(run, attention, tokens);
}

std::string_view attentionRowsOf(AttentionKernel kernel) {
    for (const AttentionCase& attention : measuredKernels)
        if (requireAttentionMode(attention.mode).kernel == kernel)
            return attention.name;
    return {};
}

void benchmarkElementwise(BenchmarkRun& run) {
    for (const std::int64_t rows : run.tokensOr({7800, 32760}))
        measureRows(run, rows);
}

}  // namespace meshreel
