// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace meshreel {

namespace {

std::string sizeOf(const RunRecord& run) {
    return fmt::format("{}x{}x{}", run.width, run.height, run.frames);
}

/// Runs that differ in nothing that a record tells of, but their times.
struct Repeats {
    const RunRecord* first = nullptr;
    std::vector<double> seconds;

    [[nodiscard]] bool areOf(const RunRecord& run) const {
        const auto settings = [](const RunRecord& of) {
            return std::tie(of.attention, of.width, of.height, of.frames, of.devices, of.workersPerDevice,
                            of.ulysses, of.ring, of.blockQ, of.blockKv);
        };
        return settings(*first) == settings(run);
    }
    [[nodiscard]] double mean() const {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    }
};

std::vector<Repeats> repeatsOf(std::span<const RunRecord> runs) {
    std::vector<Repeats> all;
    for (const RunRecord& run : runs) {
        const std::optional<double> seconds = run.warmStepSeconds();
        if (!seconds || *seconds <= 0)
            continue;
        auto found = std::ranges::find_if(all, [&](const Repeats& repeats) { return repeats.areOf(run); });
        if (found == all.end())
            found = all.insert(all.end(), Repeats{.first = &run, .seconds = {}});
        found->seconds.push_back(*seconds);
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
    int devices = 0;
    double stepSeconds = 0;
};

std::map<std::string, Reference> referencesBySize(const std::vector<Repeats>& all) {
    std::map<std::string, Reference> references;
    for (const Repeats& repeats : all) {
        Reference& best = references[sizeOf(*repeats.first)];
        const int devices = repeats.first->devices;
        const double seconds = repeats.mean();
        const bool fewer = best.devices == 0 || devices < best.devices;
        if (fewer || (devices == best.devices && seconds > best.stepSeconds))
            best = {.devices = devices, .stepSeconds = seconds};
    }
    return references;
}

ScalingPoint pointOf(const Repeats& repeats, const Reference& reference) {
    std::vector<double> speeds;
    for (const double seconds : repeats.seconds)
        speeds.push_back(reference.stepSeconds / seconds);
    const double growth = static_cast<double>(repeats.first->devices) / reference.devices;
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

ScalingLine& lineOf(const RunRecord& run, std::vector<ScalingLine>& lines) {
    const std::string size = sizeOf(run);
    const auto found = std::ranges::find_if(
        lines, [&](const ScalingLine& line) { return line.attention == run.attention && line.size == size; });
    if (found != lines.end())
        return *found;
    return lines.emplace_back(ScalingLine{.attention = run.attention, .size = size, .points = {}});
}

}  // namespace

std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs) {
    const std::vector<Repeats> all = repeatsOf(runs);
    const std::map<std::string, Reference> references = referencesBySize(all);
    std::vector<ScalingLine> lines;
    for (const Repeats& repeats : all)
        lineOf(*repeats.first, lines)
            .points.push_back(pointOf(repeats, references.at(sizeOf(*repeats.first))));
    for (ScalingLine& line : lines)
        std::ranges::stable_sort(line.points, {}, &ScalingPoint::devices);
    return lines;
}

}  // namespace meshreel
