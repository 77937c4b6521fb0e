// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "engine/attention/local_attention.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"

namespace meshreel {
namespace {

constexpr std::int64_t heads = 12;
constexpr std::int64_t attentionHeadDim = 128;

/// A row of the table of modes whose kernel is measured, and what the row is called.
struct MeasuredKernel {
    std::string_view name;
    std::string_view mode;
};
constexpr std::array cases{MeasuredKernel{"custom", "ulysses_custom"}, MeasuredKernel{"flash", "flash"}};

void measureAttention(BenchmarkRun& run, const MeasuredKernel& attention, std::int64_t tokens) {
    const bool single = run.options().arithmetic == Arithmetic::F32;
    const DType type = single ? DType::F32 : DType::BF16;
    const Shape shape = HeadTensor::shapeOf(HeadOrder::ByToken, 1, tokens, heads, attentionHeadDim);
    const auto rows = [&](std::uint64_t seed) {
        return HeadTensor{randomRows(run.execution(), shape, type, 1.0F, seed)};
    };
    const LocalAttention problem{.query = rows(0),
                                 .key = rows(1),
                                 .value = rows(2),
                                 .scale = 1.0 / std::sqrt(static_cast<double>(attentionHeadDim))};
    HeadTensor out{Tensor::empty(shape, type)};
    const AttentionSettings settings{.mode = &requireAttentionMode(attention.mode)};
    const MeasuredTime time = run.measure([&] {
        attendLocally(run.execution(), settings, problem,
                      [&](const QueryBlock& block, AttentionPartial& partial, AttentionPartial&) {
                          finalizePartial(partial, out.outputRows(block.batch, block.firstQuery, block.head));
                      });
    });
    constexpr double products = 2;  // with the keys, with the values
    const double flops = products * 2.0 * static_cast<double>(heads * attentionHeadDim) *
                         static_cast<double>(tokens) * static_cast<double>(tokens);
    run.addFlops(fmt::format("attention.{}.{}", attention.name, tokens), flops, time,
                 single ? Arithmetic::F32 : Arithmetic::BF16, 4.0 * static_cast<double>(out.data.bytes()));
}

}  // namespace

void benchmarkAttention(BenchmarkRun& run) {
    for (const MeasuredKernel& attention : cases)
        for (const std::int64_t tokens : run.tokensOr({7800, 32760}))
            measureAttention(run, attention, tokens);
}

}  // namespace meshreel
