// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/timing/same_work.h"

namespace meshreel {

namespace {

DataCell ratio(std::optional<double> was, std::optional<double> is) {
    return was && is && *is > 0 ? DataCell(*was / *is) : DataCell();
}

DataCell speedOfWhole(const RunRecord& reference, const RunRecord& run) {
    if (!reference.timings || !run.timings)
        return {};
    const bool bothTraced = reference.timings->hasTrace && run.timings->hasTrace;
    const auto seconds = bothTraced ? &TimingSummary::denoiseTotal : &TimingSummary::inference;
    return ratio((*reference.timings).*seconds, (*run.timings).*seconds);
}

DataCell speedAgainst(const RunRecord& reference, const RunRecord& run) {
    if (reference.pasted || run.pasted)
        return speedOfWhole(reference, run);
    return haveSameTask(reference, run) ? ratio(reference.warmStepSeconds(), run.warmStepSeconds())
                                        : DataCell();
}

std::vector<DataCell> settingCells(const RunRecord& run) {
    if (run.pasted)
        return std::vector<DataCell>(5);
    return {run.attention, std::int64_t{run.devices}, std::int64_t{run.workersPerDevice},
            fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            static_cast<std::int64_t>(run.steps.size())};
}

std::vector<TitledTimings> summariesIn(std::string_view text, const std::string& name) {
    try {
        return parseTimingSummaries(text);
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), fmt::format("{}: {}", name, failure.where()),
                    failure.hint());
    }
}

}  // namespace

std::vector<RunRecord> pastedRuns(std::string_view text, const std::string& name) {
    std::vector<RunRecord> runs;
    int untitled = 0;
    for (TitledTimings& found : summariesIn(text, name)) {
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
