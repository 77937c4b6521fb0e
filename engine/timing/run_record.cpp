// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_record.h"

#include <fmt/format.h>

#include <numeric>

namespace meshreel {

std::optional<double> RunRecord::warmStepSeconds() const {
    if (steps.empty())
        return std::nullopt;
    const auto first = steps.size() == 1 ? steps.begin() : steps.begin() + 1;
    const double sum = std::accumulate(
        first, steps.end(), 0.0, [](double total, const StepRecord& step) { return total + step.seconds; });
    return sum / static_cast<double>(steps.end() - first);
}

namespace {

DataCell speedAgainst(const RunRecord& reference, const RunRecord& run) {
    const std::optional<double> was = reference.warmStepSeconds();
    const std::optional<double> is = run.warmStepSeconds();
    const bool sameSize =
        reference.width == run.width && reference.height == run.height && reference.frames == run.frames;
    return was && is && *is > 0 && sameSize ? DataCell(*was / *is) : DataCell();
}

}  // namespace

DataTable comparisonTable(std::span<const RunRecord> runs) {
    DataTable table{.columns = {"run", "attention", "devices", "workers", "size", "steps", "load_s",
                                "compile_s", "inference_s", "denoise_s", "decode_s", "step_s", "speed"},
                    .rows = {}};
    for (const RunRecord& run : runs) {
        const auto stage = [&run](double TimingSummary::*seconds) {
            return run.timings ? DataCell((*run.timings).*seconds) : DataCell();
        };
        const std::optional<double> step = run.warmStepSeconds();
        table.rows.push_back({run.name, run.attention, std::int64_t{run.devices},
                              std::int64_t{run.workersPerDevice},
                              fmt::format("{}x{}x{}", run.width, run.height, run.frames),
                              static_cast<std::int64_t>(run.steps.size()), stage(&TimingSummary::load),
                              stage(&TimingSummary::compile), stage(&TimingSummary::inference),
                              stage(&TimingSummary::denoiseTotal), stage(&TimingSummary::vaeDecode),
                              step ? DataCell(*step) : DataCell(), speedAgainst(runs.front(), run)});
    }
    return table;
}

}  // namespace meshreel
