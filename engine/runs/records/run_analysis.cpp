// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "engine/runs/records/run_record.h"
#include "engine/runs/records/run_verdict.h"

namespace meshreel {
namespace {

/// What has to be equal for one configuration to be better than another.
auto identifyQuestion(const RunRecord& run) {
    return std::tie(run.width, run.height, run.frames, run.devices, run.settings.task, run.settings.means);
}

std::vector<const RunRecord*> fastestFirst(std::span<const RunRecord> runs) {
    std::vector<const RunRecord*> order = timedRuns(runs);
    std::ranges::stable_sort(order, [](const RunRecord* a, const RunRecord* b) {
        return std::tuple_cat(identifyQuestion(*a), std::tuple(*a->warmStepSeconds())) <
               std::tuple_cat(identifyQuestion(*b), std::tuple(*b->warmStepSeconds()));
    });
    return order;
}

DataCell traced(const RunRecord& run, double TimingSummary::*seconds) {
    return run.timings && run.timings->hasTrace ? DataCell((*run.timings).*seconds) : DataCell();
}

DataCell inferenceCell(const RunRecord& run) {
    return run.timings ? DataCell(run.timings->inference) : DataCell();
}

std::vector<DataCell> rowOf(const RunRecord& run, double fastest) {
    return {fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            std::int64_t{run.devices},
            run.attention,
            std::int64_t{run.ulysses},
            std::int64_t{run.ring},
            run.blockQ,
            run.blockKv,
            *run.warmStepSeconds(),
            traced(run, &TimingSummary::denoiseTotal),
            inferenceCell(run),
            *run.warmStepSeconds() / fastest,
            run.name};
}

std::vector<DataCell> pastedRow(const RunRecord& run, std::size_t columns) {
    std::vector<DataCell> row(columns);
    const std::size_t times = columns - 4;
    row[times] = traced(run, &TimingSummary::denoiseTotal);
    row[times + 1] = inferenceCell(run);
    row.back() = run.name;
    return row;
}

/// A column before that of the run, unless it would be empty; `listed` are the runs of the first rows.
void addSettings(const std::vector<const RunRecord*>& listed, DataTable& table) {
    const std::vector<std::string> settings = differingWork(listed);
    if (std::ranges::all_of(settings, &std::string::empty))
        return;
    table.columns.insert(table.columns.end() - 1, "settings");
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const bool told = row < settings.size() && !settings[row].empty();
        table.rows[row].insert(table.rows[row].end() - 1, told ? DataCell(settings[row]) : DataCell());
    }
}

}  // namespace

DataTable bestConfigs(std::span<const RunRecord> runs) {
    DataTable table{.columns = {"video", "devices", "attention", "U", "R", "block_q", "block_kv", "step_s",
                                "denoise_s", "inference_s", "slower", "run"},
                    .rows = {}};
    std::vector<const RunRecord*> taken;
    for (const RunRecord* run : fastestFirst(runs)) {
        const auto same = [run](const RunRecord* other) {
            return identifyQuestion(*other) == identifyQuestion(*run);
        };
        const auto sameMode = [&](const RunRecord* other) {
            return same(other) && other->attention == run->attention;
        };
        if (std::ranges::any_of(taken, sameMode))
            continue;
        taken.push_back(run);
        const double fastest = *(*std::ranges::find_if(taken, same))->warmStepSeconds();
        table.rows.push_back(rowOf(*run, fastest));
    }
    for (const RunRecord& run : runs)
        if (run.pasted && run.timings)
            table.rows.push_back(pastedRow(run, table.columns.size()));
    addSettings(taken, table);
    return table;
}

namespace {

std::string byteSize(const RunRecord& run) {
    return fmt::format("{}x{}x{}", run.width, run.height, run.frames);
}

/// Runs that differ in nothing recorded but their times.
struct Repeats {
    const RunRecord* first = nullptr;
    std::vector<double> seconds;

    [[nodiscard]] bool matches(const RunRecord& run) const { return areRepeats(*first, run); }
    [[nodiscard]] double mean() const {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    }
};

std::vector<Repeats> groupRepeats(std::span<const RunRecord> runs) {
    std::vector<Repeats> all;
    for (const RunRecord* run : timedRuns(runs)) {
        auto found = std::ranges::find_if(all, [&](const Repeats& repeats) { return repeats.matches(*run); });
        if (found == all.end())
            found = all.insert(all.end(), Repeats{.first = run, .seconds = {}});
        found->seconds.push_back(*run->warmStepSeconds());
    }
    return all;
}

double deviationOf(const std::vector<double>& values) {
    if (values.size() < 2)
        return 0;
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (count - 1));
}

struct Reference {
    const RunRecord* run = nullptr;
    double stepSeconds = 0;
};

/// The slowest on the fewest devices among those of the same work.
Reference findReference(const RunRecord& run, const std::vector<Repeats>& all) {
    Reference reference;
    for (const Repeats& repeats : all) {
        if (!haveSameWork(*repeats.first, run))
            continue;
        const double seconds = repeats.mean();
        const bool fewer = reference.run == nullptr || repeats.first->devices < reference.run->devices;
        if (fewer || (repeats.first->devices == reference.run->devices && seconds > reference.stepSeconds))
            reference = {.run = repeats.first, .stepSeconds = seconds};
    }
    return reference;
}

ScalingPoint makePoint(const Repeats& repeats, const Reference& reference) {
    std::vector<double> speeds;
    for (const double seconds : repeats.seconds)
        speeds.push_back(reference.stepSeconds / seconds);
    const double growth = static_cast<double>(repeats.first->devices) / reference.run->devices;
    ScalingPoint point{.run = repeats.first->name,
                       .devices = repeats.first->devices,
                       .repeats = static_cast<int>(repeats.seconds.size()),
                       .stepSeconds = repeats.mean(),
                       .stepDeviation = deviationOf(repeats.seconds)};
    point.speed = reference.stepSeconds / point.stepSeconds;
    point.speedDeviation = deviationOf(speeds);
    point.efficiency = point.speed / growth;
    point.efficiencyDeviation = point.speedDeviation / growth;
    return point;
}

/// A line as it is gathered.
struct Gathered {
    const RunRecord* first = nullptr;
    std::vector<ScalingPoint> points;
};

std::vector<Gathered> gatheredLines(const std::vector<Repeats>& all) {
    std::vector<Gathered> lines;
    for (const Repeats& repeats : all) {
        const auto belongs = [&](const Gathered& line) {
            return line.first->attention == repeats.first->attention &&
                   haveSameWork(*line.first, *repeats.first);
        };
        auto line = std::ranges::find_if(lines, belongs);
        if (line == lines.end())
            line = lines.insert(lines.end(), Gathered{.first = repeats.first, .points = {}});
        line->points.push_back(makePoint(repeats, findReference(*repeats.first, all)));
    }
    return lines;
}

}  // namespace

std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs) {
    std::vector<Gathered> gathered = gatheredLines(groupRepeats(runs));
    std::vector<const RunRecord*> firsts;
    std::ranges::transform(gathered, std::back_inserter(firsts), &Gathered::first);
    const std::vector<std::string> settings = differingWork(firsts);
    std::vector<ScalingLine> lines;
    for (std::size_t index = 0; index < gathered.size(); ++index) {
        std::vector<ScalingPoint>& points = gathered[index].points;
        std::ranges::stable_sort(points, {}, &ScalingPoint::devices);
        lines.push_back({.attention = firsts[index]->attention,
                         .size = byteSize(*firsts[index]),
                         .settings = settings[index],
                         .points = std::move(points)});
    }
    return lines;
}

}  // namespace meshreel
