// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/near_values.h"

#include <QString>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/attention/attention_settings.h"
#include "engine/base/strings.h"
#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

constexpr const char* examplePrompt = "a red ball moving right on a black background";

/// Legal integers around `wanted`, the nearest first: its neighbours on the grid, and its halves and doubles.
std::vector<std::string> integersAround(const IntegerRange& range, double wanted) {
    constexpr int neighbours = 64;
    constexpr int powers = 12;
    std::set<std::int64_t> values;
    const auto low = static_cast<double>(range.minimum);
    const auto high = static_cast<double>(range.maximum);
    const auto step = static_cast<double>(range.step);
    const auto add = [&](double value) {
        const double onGrid = low + std::round((std::clamp(value, low, high) - low) / step) * step;
        if (onGrid <= high)
            values.insert(static_cast<std::int64_t>(onGrid));
    };
    for (int i = -neighbours; i <= neighbours; ++i)
        add(wanted + i * step);
    for (int i = -powers; i <= powers; ++i)
        add(std::ldexp(wanted, i));
    std::vector<std::int64_t> sorted(values.begin(), values.end());
    std::ranges::stable_sort(
        sorted, {}, [wanted](std::int64_t value) { return std::abs(static_cast<double>(value) - wanted); });
    std::vector<std::string> texts;
    std::ranges::transform(sorted, std::back_inserter(texts),
                           [](std::int64_t value) { return std::to_string(value); });
    if (range.automatic)
        texts.push_back(std::to_string(*range.automatic));
    return texts;
}

std::vector<std::string> choicesNear(const ProjectKey& key, const std::string& typed) {
    std::vector<std::string> texts;
    for (const Choice& choice : key.choices())
        texts.emplace_back(choice.name);
    std::ranges::stable_sort(texts, {}, [&](const std::string& text) { return editDistance(text, typed); });
    return texts;
}

/// What an automatic block size (0) comes to.
std::int64_t resolvedBlock(const ProjectKey& key, const Project& project) {
    const FlashBlockSizes blocks = resolveFlashBlocks({});
    if (key.member == ProjectMember(&Project::blockQ))
        return blocks.blockQ;
    if (key.member == ProjectMember(&Project::blockKv))
        return blocks.blockKv;
    if (key.member == ProjectMember(&Project::blockKvCompute))
        return nearestKvCompute(project.blockKv > 0 ? project.blockKv : blocks.blockKv,
                                blocks.blockKvCompute);
    return 0;
}

/// The number that legal ones should be near to: what was typed, else what the project has.
double wantedNumber(const ProjectKey& key, const std::string& typed, const Project& project) {
    bool readable = false;
    double number = QString::fromStdString(typed).toDouble(&readable);
    if (!readable)
        number = QString::fromStdString(valueText(project, key)).toDouble();
    return number == 0 ? static_cast<double>(resolvedBlock(key, project)) : number;
}

}  // namespace

std::vector<std::string> nearValues(const ProjectKey& key, const std::string& typed, const Project& project) {
    if (key.choices != nullptr)
        return choicesNear(key, typed);
    if (std::holds_alternative<bool Project::*>(key.member))
        return {"true", "false"};
    if (std::holds_alternative<Seed Project::*>(key.member))
        return {defaultText(key), seedText({})};
    const double number = wantedNumber(key, typed, project);
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return integersAround(*integers, number);
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return {QString::number(std::clamp(number, reals->minimum, reals->maximum)).toStdString()};
    return {key.name == "prompt" ? examplePrompt : defaultText(key)};
}

std::optional<std::int64_t> halvedValue(const ProjectKey& key, const std::string& typed,
                                        const Project& project, int times) {
    const auto* range = std::get_if<IntegerRange>(&key.range);
    if (range == nullptr)
        return std::nullopt;
    const double number = std::ldexp(wantedNumber(key, typed, project), -times);
    if (number < static_cast<double>(range->minimum) || number > static_cast<double>(range->maximum))
        return std::nullopt;
    const auto steps = (static_cast<std::int64_t>(number) - range->minimum) / range->step;
    return range->minimum + steps * range->step;
}

}  // namespace meshreel
