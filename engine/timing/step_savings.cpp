// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_savings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace meshreel {
namespace {

struct FullSteps {
    double seconds = 0;
    int count = 0;

    [[nodiscard]] double mean() const { return count > 0 ? seconds / count : 0; }
};

/// Of each expert. The first step of all meets cold caches: it counts only where there is no other.
std::map<int, FullSteps> fullSteps(std::span<const StepRecord> records) {
    std::map<int, FullSteps> full;
    for (const bool first : {false, true})
        for (const StepRecord& record : records)
            if (record.work == StepWork::Everything && (record.step == 0) == first &&
                (!first || full[record.expert].count == 0)) {
                full[record.expert].seconds += record.seconds;
                ++full[record.expert].count;
            }
    return full;
}

}  // namespace

StepSavings savingsOf(std::span<const StepRecord> records) {
    StepSavings savings;
    const std::map<int, FullSteps> full = fullSteps(records);
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
