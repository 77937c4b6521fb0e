// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace meshreel {

namespace {

std::string sizeOf(const RunRecord& run) {
    return fmt::format("{}x{}x{}", run.width, run.height, run.frames);
}

struct Reference {
    int devices = 0;
    double stepSeconds = 0;
};

std::map<std::string, Reference> referencesBySize(std::span<const RunRecord> runs) {
    std::map<std::string, Reference> references;
    for (const RunRecord& run : runs)
        if (const std::optional<double> seconds = run.warmStepSeconds(); seconds && *seconds > 0) {
            Reference& best = references[sizeOf(run)];
            const bool fewer = best.devices == 0 || run.devices < best.devices;
            if (fewer || (run.devices == best.devices && *seconds > best.stepSeconds))
                best = {.devices = run.devices, .stepSeconds = *seconds};
        }
    return references;
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
    const std::map<std::string, Reference> references = referencesBySize(runs);
    std::vector<ScalingLine> lines;
    for (const RunRecord& run : runs) {
        const std::optional<double> seconds = run.warmStepSeconds();
        if (!seconds || *seconds <= 0)
            continue;
        const Reference& reference = references.at(sizeOf(run));
        const double speed = reference.stepSeconds / *seconds;
        lineOf(run, lines)
            .points.push_back({.run = run.name,
                               .devices = run.devices,
                               .stepSeconds = *seconds,
                               .speed = speed,
                               .efficiency = speed * reference.devices / run.devices});
    }
    for (ScalingLine& line : lines)
        std::ranges::stable_sort(line.points, {}, &ScalingPoint::devices);
    return lines;
}

}  // namespace meshreel
