// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_savings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/timing/cold_steps.h"

namespace meshreel {
namespace {

struct FullSteps {
    double seconds = 0;
    int count = 0;
    int warm = 0;  ///< of them

    [[nodiscard]] double mean() const { return count > 0 ? seconds / count : 0; }
};

/// Of each expert. Steps that met cold caches count only where there is no other.
std::map<int, FullSteps> fullSteps(std::span<const StepRecord> records, std::span<const int> resumedFrom) {
    std::map<int, FullSteps> full;
    const std::vector<bool> cold = coldSteps(records, resumedFrom);
    for (const bool taken : {false, true})
        for (std::size_t index = 0; index < records.size(); ++index) {
            const StepRecord& record = records[index];
            FullSteps& steps = full[record.expert];
            if (record.work != StepWork::Everything || cold[index] != taken || (taken && steps.warm > 0))
                continue;
            steps.seconds += record.seconds;
            ++steps.count;
            steps.warm += taken ? 0 : 1;
        }
    return full;
}

}  // namespace

StepSavings savingsOf(std::span<const StepRecord> records, std::span<const int> resumedFrom) {
    StepSavings savings;
    const std::map<int, FullSteps> full = fullSteps(records, resumedFrom);
    for (const StepRecord& record : records) {
        if (record.work == StepWork::Everything)
            continue;
        savings.shortened.push_back(record.step);
        if (const auto reference = full.find(record.expert); reference != full.end())
            savings.seconds += std::max(0.0, reference->second.mean() - record.seconds);
    }
    return savings;
}

std::string formatSavings(const StepSavings& savings, std::size_t steps) {
    if (savings.shortened.empty())
        return {};
    return fmt::format("  Steps shortened: {} of {}, about {:.1f} s saved\n", savings.shortened.size(), steps,
                       savings.seconds);
}

}  // namespace meshreel
