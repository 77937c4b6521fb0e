// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/project/decimal.h"

namespace meshreel {

/// Number that noise is drawn from. Nothing, written -1, leaves it open: a run draws one when it begins and
/// records it.
using Seed = std::optional<std::uint64_t>;

/// "0" to "18446744073709551615", or "-1".
std::variant<Seed, NumberProblem> parseSeed(std::string_view text);

/// Seeds separated by commas; none in an empty text.
std::variant<std::vector<Seed>, NumberProblem> parseSeeds(std::string_view text);

/// The text that parseSeed() reads as the same seed.
std::string seedText(const Seed& seed);
std::string seedsText(const std::vector<Seed>& seeds);

/// A seed of the system's random source, below 2^53: programs that hold numbers as doubles keep it exactly.
std::uint64_t drawSeed();

}  // namespace meshreel
