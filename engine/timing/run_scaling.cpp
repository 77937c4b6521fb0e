// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "engine/timing/same_work.h"

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
                            of.ulysses, of.ring, of.blockQ, of.blockKv, of.settings);
        };
        return settings(*first) == settings(run);
    }
    [[nodiscard]] double mean() const {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    }
};

std::vector<Repeats> repeatsOf(std::span<const RunRecord> runs) {
    std::vector<Repeats> all;
    for (const RunRecord* run : timedRuns(runs)) {
        auto found = std::ranges::find_if(all, [&](const Repeats& repeats) { return repeats.areOf(*run); });
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
Reference referenceOf(const RunRecord& run, const std::vector<Repeats>& all) {
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

ScalingPoint pointOf(const Repeats& repeats, const Reference& reference) {
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
        line->points.push_back(pointOf(repeats, referenceOf(*repeats.first, all)));
    }
    return lines;
}

}  // namespace

std::vector<ScalingLine> scalingLines(std::span<const RunRecord> runs) {
    std::vector<Gathered> gathered = gatheredLines(repeatsOf(runs));
    std::vector<const RunRecord*> firsts;
    std::ranges::transform(gathered, std::back_inserter(firsts), &Gathered::first);
    const std::vector<std::string> settings = differingWork(firsts);
    std::vector<ScalingLine> lines;
    for (std::size_t index = 0; index < gathered.size(); ++index) {
        std::vector<ScalingPoint>& points = gathered[index].points;
        std::ranges::stable_sort(points, {}, &ScalingPoint::devices);
        lines.push_back({.attention = firsts[index]->attention,
                         .size = sizeOf(*firsts[index]),
                         .settings = settings[index],
                         .points = std::move(points)});
    }
    return lines;
}

}  // namespace meshreel
