// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/same_work.h"

#include <algorithm>
#include <tuple>

namespace meshreel {
namespace {

bool hasWarmSteps(const RunRecord& run) {
    const std::vector<bool> cold = run.coldSteps();
    return std::ranges::find(cold, false) != cold.end();
}

void addDiffering(const SettingValues& first, const SettingValues& values, std::string& text) {
    for (const auto& [key, value] : values) {
        const auto usual = first.find(key);
        if (usual == first.end() || usual->second != value)
            text.append(text.empty() ? "" : ", ").append(key).append(" ").append(value);
    }
}

}  // namespace

bool haveSameTask(const RunRecord& a, const RunRecord& b) {
    const auto task = [](const RunRecord& run) {
        return std::tie(run.width, run.height, run.frames, run.settings.task);
    };
    return task(a) == task(b);
}

bool haveSameWork(const RunRecord& a, const RunRecord& b) {
    return haveSameTask(a, b) && a.settings.means == b.settings.means;
}

std::vector<const RunRecord*> timedRuns(std::span<const RunRecord> runs) {
    std::vector<const RunRecord*> timed;
    for (const RunRecord& run : runs) {
        const auto replaces = [&](const RunRecord& other) {
            return haveSameWork(other, run) && hasWarmSteps(other);
        };
        if (run.warmStepSeconds().value_or(0) > 0 &&
            (hasWarmSteps(run) || std::ranges::none_of(runs, replaces)))
            timed.push_back(&run);
    }
    return timed;
}

std::vector<std::string> differingWork(std::span<const RunRecord* const> runs) {
    std::vector<std::string> texts(runs.size());
    for (std::size_t index = 1; index < runs.size(); ++index)
        for (const auto part : {&RunSettings::task, &RunSettings::means})
            addDiffering(runs.front()->settings.*part, runs[index]->settings.*part, texts[index]);
    return texts;
}

}  // namespace meshreel
