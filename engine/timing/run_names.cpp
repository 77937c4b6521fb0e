// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/run_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>

namespace meshreel {
namespace {

constexpr std::string_view stampForm = "dddddddd-dddddd-";  ///< day and time, before the name of the run

/// What a run may be called, the shortest first.
using Spellings = std::array<std::string, 3>;

bool beginsWithStamp(std::string_view name) {
    return name.size() > stampForm.size() &&
           std::ranges::equal(name.substr(0, stampForm.size()), stampForm, [](char is, char form) {
               return form == 'd' ? is >= '0' && is <= '9' : is == form;
           });
}

Spellings spellingsOf(const std::string& name) {
    if (!beginsWithStamp(name))
        return {name, name, name};
    const std::string_view stamp(name);
    const std::string called = name.substr(stampForm.size());
    const std::string timed =
        fmt::format("{}:{}:{}", stamp.substr(9, 2), stamp.substr(11, 2), stamp.substr(13, 2));
    return {called, fmt::format("{} {}", called, timed),
            fmt::format("{} {}-{}-{} {}", called, stamp.substr(0, 4), stamp.substr(4, 2), stamp.substr(6, 2),
                        timed)};
}

}  // namespace

std::vector<std::string> shortRunNames(std::span<const std::string> names) {
    std::vector<Spellings> spellings;
    std::ranges::transform(names, std::back_inserter(spellings), spellingsOf);
    const auto isTaken = [&](const Spellings& own, std::size_t length) {
        return std::ranges::any_of(spellings, [&](const Spellings& other) {
            return other.back() != own.back() && other[length] == own[length];
        });
    };
    std::map<std::string, int> uses;
    std::vector<std::string> shortNames;
    for (const Spellings& spelling : spellings) {
        std::size_t length = 0;
        while (length + 1 < spelling.size() && isTaken(spelling, length))
            ++length;
        const int use = ++uses[spelling[length]];
        shortNames.push_back(use == 1 ? spelling[length] : fmt::format("{} ({})", spelling[length], use));
    }
    return shortNames;
}

std::vector<RunRecord> withShortNames(std::vector<RunRecord> runs) {
    std::vector<std::string> names;
    std::ranges::transform(runs, std::back_inserter(names), &RunRecord::name);
    names = shortRunNames(names);
    for (std::size_t index = 0; index < runs.size(); ++index)
        runs[index].name = names[index];
    return runs;
}

}  // namespace meshreel
