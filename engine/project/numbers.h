// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// Returns a decimal whole number: "-12". Hexadecimal, octal, leading zeros, digit separators and fractions
/// are problems, with the numbers that may be meant as values of a key that is not known yet (see atKey).
std::variant<std::int64_t, Problem> parseInteger(std::string_view text);

/// Returns a decimal whole number from 0 on, of 64 bits; the problem of a number beyond them has no hint.
std::variant<std::uint64_t, Problem> parseUnsigned(std::string_view text);

/// Returns a finite decimal number: "3", "0.5", "1.e-5".
std::variant<double, Problem> parseReal(std::string_view text);

/// Returns the problem of a value that was read, at its key and with the key before its words.
Problem valueProblem(std::string_view key, Problem problem);

/// Returns the shortest text that parseReal reads as the same number, always with a point or an exponent:
/// "3.0".
std::string realText(double value);

/// Number that noise is drawn from. Nothing, written -1, leaves it open: a run draws one when it begins and
/// records it.
using Seed = std::optional<std::uint64_t>;

/// "0" to "18446744073709551615", or "-1".
std::variant<Seed, Problem> parseSeed(std::string_view text);

/// Seeds separated by commas; none in an empty text.
std::variant<std::vector<Seed>, Problem> parseSeeds(std::string_view text);

/// Returns the text that parseSeed() reads as the same seed.
std::string seedText(const Seed& seed);
std::string seedsText(const std::vector<Seed>& seeds);

/// Returns a seed of the system's random source, below 2^53: programs that hold numbers as doubles keep it
/// exactly.
std::uint64_t drawSeed();

}  // namespace meshreel
