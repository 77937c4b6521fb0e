// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/sparse_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/attention/sharded_attention.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/rows/rope.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/measure/benchmarks/sparse_inputs.h"
#include "engine/mesh/device_mesh.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/sparse_counts.h"

namespace meshreel {
namespace {

// Of the 1.3B transformer at 832x480.
constexpr std::int64_t sparseHeads = 12;
constexpr std::int64_t sparseHeadDim = 128;
constexpr std::int64_t sparseRows = 30;
constexpr std::int64_t sparseColumns = 52;

struct MeasuredRule {
    std::string_view name;
    SparseRule rule;
};

// The published defaults, and what keeps more.
constexpr std::array measuredRules{
    MeasuredRule{"sol.tau1.3", {.method = SparseMethod::Sol, .blockTokens = 64, .tau = 1.3}},
    MeasuredRule{"sol.tau0.5", {.method = SparseMethod::Sol, .blockTokens = 64, .tau = 0.5}},
    MeasuredRule{"radial", {.method = SparseMethod::Radial, .blockTokens = 128}},
    MeasuredRule{"svg.25", {.method = SparseMethod::Svg, .blockTokens = 128, .density = 0.25}},
    MeasuredRule{"svg.50", {.method = SparseMethod::Svg, .blockTokens = 128, .density = 0.5}}};

/// One attention on one device, dense or not.
class MeasuredAttention {
  public:
    MeasuredAttention(const BenchmarkRun& run, const TokenGrid& video, const PatternedRows& rows,
                      const std::optional<SparseRule>& rule)
        : m_device(run.execution()),
          m_plan(planAttention(
              {.mode = &requireAttentionMode("ulysses_custom")},
              {.queryLength = video.tokens(), .keyLength = video.tokens(), .heads = sparseHeads})),
          m_rows(rows),
          m_out(Tensor::empty(rows.query.shape(), rows.query.dtype())) {
        m_plan.sparse = rule;
        m_plan.blocks.headsPerTile = 1;
        if (rule)
            m_tokens.emplace(m_plan, video, video.tokens());
    }

    void compute() {
        const ShardedAttentionInputs inputs{.queryLength = m_rows.query.extent(1),
                                            .keyLength = m_rows.query.extent(1),
                                            .query = m_rows.query,
                                            .key = m_rows.key,
                                            .value = m_rows.value,
                                            .scale = 1.0 / std::sqrt(static_cast<double>(sparseHeadDim)),
                                            .sparse = m_tokens ? &*m_tokens : nullptr};
        m_counts = attendSharded(m_device.device(), m_plan, inputs, m_out, m_scratch).sparse;
    }

    [[nodiscard]] const Tensor& out() const { return m_out; }
    [[nodiscard]] const SparseCounts& counts() const { return m_counts; }

  private:
    LoneDevice m_device;
    AttentionPlan m_plan;
    const PatternedRows& m_rows;
    Tensor m_out;
    ScratchArena m_scratch;
    std::optional<SparseTokens> m_tokens;
    SparseCounts m_counts;
};

double relativeError(const Tensor& found, const Tensor& exact) {
    const Tensor a = found.toF32();
    const Tensor b = exact.toF32();
    double difference = 0;
    double reference = 0;
    for (std::size_t i = 0; i < a.data<float>().size(); ++i) {
        const double one = static_cast<double>(a.data<float>()[i]);
        const double other = static_cast<double>(b.data<float>()[i]);
        difference += (one - other) * (one - other);
        reference += other * other;
    }
    return std::sqrt(difference / reference);
}

void addSparseRow(BenchmarkRun& run, const std::string& name, const MeasuredTime& time, double ratio,
                  const std::string& of, const std::optional<SparseCounts>& counts, double error) {
    BenchmarkRow row{.name = name,
                     .value = time.median,
                     .unit = "s",
                     .ratio = ratio,
                     .of = of,
                     .spread = time.spread(),
                     .rounds = time.rounds,
                     .details = {},
                     .seconds = time.seconds};
    if (counts)
        row.details = {{"kept_share", counts->keptShare()}, {"error", error}};
    run.add(std::move(row));
}

void measurePattern(BenchmarkRun& run, const AttentionPatternRow& pattern, const TokenGrid& video) {
    const auto nameOfRow = [&](std::string_view measured) {
        return fmt::format("sparse.{}.{}.{}", pattern.name, measured, video.tokens());
    };
    const std::string denseName = nameOfRow("dense");
    if (!run.wants(denseName) && std::ranges::none_of(measuredRules, [&](const MeasuredRule& measured) {
            return run.wants(nameOfRow(measured.name));
        }))
        return;
    const PatternedRows rows =
        makePatternedRows(pattern.pattern, video, sparseHeads, sparseHeadDim,
                          rowType(run.options().arithmetic), 1, run.execution().workers);
    MeasuredAttention dense(run, video, rows, std::nullopt);
    const MeasuredTime denseTime = run.measure([&] { dense.compute(); });
    addSparseRow(run, denseName, denseTime, 1, denseName, std::nullopt, 0);
    for (const MeasuredRule& measured : measuredRules) {
        const std::string name = nameOfRow(measured.name);
        if (!run.wants(name))
            continue;
        MeasuredAttention sparse(run, video, rows, measured.rule);
        const MeasuredTime time = run.measure([&] { sparse.compute(); });
        addSparseRow(run, name, time, denseTime.median / time.median, denseName, sparse.counts(),
                     relativeError(sparse.out(), dense.out()));
    }
}

}  // namespace

void benchmarkSparse(BenchmarkRun& run) {
    constexpr std::int64_t frameTokens = sparseRows * sparseColumns;
    for (const std::int64_t tokens : run.tokensOr({32760}))
        for (const AttentionPatternRow& pattern : attentionPatterns)
            measurePattern(run, pattern,
                           {.frames = std::max<std::int64_t>(1, tokens / frameTokens),
                            .rows = sparseRows,
                            .columns = sparseColumns});
}

}  // namespace meshreel
