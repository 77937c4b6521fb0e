// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "engine/base/error.h"

namespace meshreel {

std::optional<double> warmStepSeconds(std::span<const StepRecord> steps) {
    if (steps.empty())
        return std::nullopt;
    const auto first = steps.size() == 1 ? steps.begin() : steps.begin() + 1;
    const double sum = std::accumulate(
        first, steps.end(), 0.0, [](double total, const StepRecord& step) { return total + step.seconds; });
    return sum / static_cast<double>(steps.end() - first);
}

namespace {

DataCell ratio(std::optional<double> was, std::optional<double> is) {
    return was && is && *is > 0 ? DataCell(*was / *is) : DataCell();
}

std::optional<double> denoiseSeconds(const RunRecord& run) {
    if (!run.timings)
        return std::nullopt;
    return run.timings->hasTrace ? run.timings->denoiseTotal : run.timings->inference;
}

DataCell speedAgainst(const RunRecord& reference, const RunRecord& run) {
    if (reference.pasted || run.pasted)
        return ratio(denoiseSeconds(reference), denoiseSeconds(run));
    const bool sameSize =
        reference.width == run.width && reference.height == run.height && reference.frames == run.frames;
    return sameSize ? ratio(reference.warmStepSeconds(), run.warmStepSeconds()) : DataCell();
}

std::vector<DataCell> settingCells(const RunRecord& run) {
    if (run.pasted)
        return std::vector<DataCell>(5);
    return {run.attention, std::int64_t{run.devices}, std::int64_t{run.workersPerDevice},
            fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            static_cast<std::int64_t>(run.steps.size())};
}

}  // namespace

std::vector<RunRecord> pastedRuns(std::string_view text, const std::string& name) {
    std::vector<RunRecord> runs;
    int untitled = 0;
    for (TitledTimings& found : parseTimingSummaries(text)) {
        RunRecord run;
        if (!found.title.empty())
            run.name = std::move(found.title);
        else
            run.name = ++untitled == 1 ? name : fmt::format("{} ({})", name, untitled);
        run.timings = found.timings;
        run.pasted = true;
        runs.push_back(std::move(run));
    }
    if (runs.empty())
        throw Error(
            ErrorKind::Input, sentence("There is no timing summary in it"), name,
            sentence("Give a run folder, or a text that holds a block with the title TIMING SUMMARY"));
    return runs;
}

DataTable comparisonTable(std::span<const RunRecord> runs) {
    DataTable table{.columns = {"run", "attention", "devices", "workers", "size", "steps", "load_s",
                                "compile_s", "inference_s", "denoise_s", "decode_s", "step_s", "speed"},
                    .rows = {}};
    for (const RunRecord& run : runs) {
        const auto stage = [&run](double TimingSummary::*seconds, bool traced) {
            return run.timings && (run.timings->hasTrace || !traced) ? DataCell((*run.timings).*seconds)
                                                                     : DataCell();
        };
        const std::optional<double> step = run.warmStepSeconds();
        std::vector<DataCell> row{run.name};
        std::ranges::move(settingCells(run), std::back_inserter(row));
        row.insert(row.end(),
                   {stage(&TimingSummary::load, false), stage(&TimingSummary::compile, false),
                    stage(&TimingSummary::inference, false), stage(&TimingSummary::denoiseTotal, true),
                    stage(&TimingSummary::vaeDecode, true), step ? DataCell(*step) : DataCell(),
                    speedAgainst(runs.front(), run)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace meshreel
