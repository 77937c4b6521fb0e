// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/seed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <utility>

namespace meshreel {
namespace {

constexpr std::string_view openSeed = "-1";
constexpr char seedSeparator = ',';
constexpr std::string_view seedBlanks = " \t\r\n";
constexpr std::uint64_t largestSeed = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t drawnSeeds = std::uint64_t{1} << 53U;

std::string_view withoutBlanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(seedBlanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(seedBlanks) + 1 - first);
}

/// "1e3", which lists of seeds have always taken.
bool isExactWhole(std::string_view text) {
    const auto number = parseReal(text);
    const auto* value = std::get_if<double>(&number);
    return value != nullptr && *value >= 0 && *value <= static_cast<double>(drawnSeeds) &&
           std::floor(*value) == *value;
}

}  // namespace

std::variant<Seed, NumberProblem> parseSeed(std::string_view text) {
    if (text == openSeed)
        return Seed();
    auto number = parseUnsigned(text);
    if (const auto* seed = std::get_if<std::uint64_t>(&number))
        return Seed(*seed);
    auto& problem = std::get<NumberProblem>(number);
    if (problem.hint.empty())
        problem.hint = sentence("Write 0 to {}, or -1 for a random seed", largestSeed);
    return std::move(problem);
}

std::variant<std::vector<Seed>, NumberProblem> parseSeeds(std::string_view text) {
    std::vector<Seed> seeds;
    if (withoutBlanks(text).empty())
        return seeds;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(seedSeparator, begin), text.size());
        const std::string_view one = withoutBlanks(text.substr(begin, end - begin));
        auto seed = parseSeed(one);
        auto* problem = std::get_if<NumberProblem>(&seed);
        if (problem != nullptr && !isExactWhole(one))
            return std::move(*problem);
        seeds.push_back(problem == nullptr ? std::get<Seed>(seed)
                                           : static_cast<std::uint64_t>(std::get<double>(parseReal(one))));
        begin = end + 1;
    }
    return seeds;
}

std::string seedText(const Seed& seed) {
    return seed ? fmt::to_string(*seed) : std::string(openSeed);
}

std::string seedsText(const std::vector<Seed>& seeds) {
    std::vector<std::string> texts;
    std::ranges::transform(seeds, std::back_inserter(texts), seedText);
    return fmt::to_string(fmt::join(texts, ", "));
}

std::uint64_t drawSeed() {
    std::random_device source;
    return std::uniform_int_distribution<std::uint64_t>(0, drawnSeeds - 1)(source);
}

}  // namespace meshreel
