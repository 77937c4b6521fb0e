// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/rows_of_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/attention_benchmarks.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/linear_benchmarks.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/run_plan.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// The number behind the last dot of a row's name.
std::optional<std::int64_t> tokensOfRow(std::string_view name) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    std::int64_t tokens = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), tokens);
    return error == std::errc() && end == last.data() + last.size() ? std::optional(tokens) : std::nullopt;
}

/// Rows whose names begin alike, and the tokens that a plan has of them.
struct OwnRows {
    std::string beginning;
    std::optional<std::int64_t> tokens = {};  ///< nothing: any of them
};

void addLayersOf(const RunPlan& plan, std::int64_t ofDevice, std::vector<OwnRows>& own) {
    const std::string_view model = linearRowsOf(plan.model.transformer);
    if (model.empty())
        return;
    const bool isInt8 = plan.precision.transformer.weights == Arithmetic::Int8;
    for (const std::string_view group : {"linear", "library"})
        own.push_back({fmt::format("{}.{}.", group, model), ofDevice});
    if (isInt8)
        own.push_back({fmt::format("int8.{}.", model), ofDevice});
    else
        own.push_back({fmt::format("gpu.linear.{}.", model), ofDevice});
    if (model == linearRowsOf(transformerConfig(BenchmarkOptions()))) {
        own.push_back({"dit.forward"});
        own.push_back({isInt8 ? "gpu.dit.forward.int8." : "gpu.dit.forward.", plan.tokens});
    }
}

std::vector<OwnRows> ownRowsOf(const RunPlan& plan) {
    std::vector<OwnRows> own;
    const MeshShape shape = plan.layout.shape();
    const std::int64_t ofDevice = std::max<std::int64_t>(1, plan.tokens / shape.context);
    own.push_back({"peak.matmul." + std::string(nameOf(plan.precision.transformer.weights))});
    addLayersOf(plan, ofDevice, own);
    if (const std::string_view kernel = attentionRowsOf(plan.attentions.self.kernel); !kernel.empty())
        own.push_back({fmt::format("attention.{}.", kernel), plan.tokens});
    own.push_back({"gpu.attention.", plan.tokens});
    constexpr std::int64_t channelsOfWan21 = 16;
    if (plan.model.vae.zDim == channelsOfWan21) {
        own.push_back(
            {fmt::format("vae.decode.{}.",
                         nameOf(plan.precision.vae == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32))});
        own.push_back({"gpu.vae.decode."});
    }
    if (shape == MeshShape{.context = shape.context} && plan.attentions.self.mode != nullptr)
        own.push_back({fmt::format("mesh.{} {}", plan.attentions.self.mode->name, shape.context)});
    std::erase_if(own, [onGpu = plan.placement.hasGpus()](const OwnRows& rows) {
        return rows.beginning.starts_with("gpu.") != onGpu;
    });
    return own;
}

bool isAmong(const BenchmarkRow& row, const OwnRows& own) {
    return row.name.starts_with(own.beginning) &&
           !std::string_view(row.name).substr(own.beginning.size()).starts_with("int8.");
}

/// How many times more or fewer, as a logarithm.
double distance(std::int64_t tokens, std::int64_t wanted) {
    return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(1, tokens)) /
                             static_cast<double>(std::max<std::int64_t>(1, wanted))));
}

}  // namespace

std::vector<bool> rowsOfPlan(std::span<const BenchmarkRow> rows, const RunPlan& plan) {
    std::vector<bool> isOwn(rows.size());
    for (const OwnRows& own : ownRowsOf(plan)) {
        double nearest = std::numeric_limits<double>::infinity();
        const auto far = [&own](const BenchmarkRow& row) {
            const std::optional<std::int64_t> tokens = tokensOfRow(row.name);
            return own.tokens && tokens ? distance(*tokens, *own.tokens) : 0;
        };
        for (const BenchmarkRow& row : rows)
            if (isAmong(row, own))
                nearest = std::min(nearest, far(row));
        for (std::size_t at = 0; at < rows.size(); ++at)
            if (isAmong(rows[at], own) && far(rows[at]) <= nearest)
                isOwn[at] = true;
    }
    return isOwn;
}

}  // namespace meshreel
