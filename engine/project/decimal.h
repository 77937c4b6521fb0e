// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/sentence.h"

namespace meshreel {

/// Why a text is not a number of the project file, and what to write instead.
struct NumberProblem {
    Sentence message;
    Sentence hint;
};

/// A decimal whole number: "-12". Hexadecimal, octal, leading zeros, digit separators and fractions are
/// problems.
std::variant<std::int64_t, NumberProblem> parseInteger(std::string_view text);

/// The same of 64 bits without a sign; the problem of a number beyond them has no hint.
std::variant<std::uint64_t, NumberProblem> parseUnsigned(std::string_view text);

/// The same from 0 on, with 64 bits; the problem of a number beyond them has no hint.
std::variant<std::uint64_t, NumberProblem> parseUnsigned(std::string_view text);

/// A finite decimal number: "3", "0.5", "1.e-5".
std::variant<double, NumberProblem> parseReal(std::string_view text);

/// The shortest text that parseReal reads as the same number, always with a point or an exponent: "3.0".
std::string realText(double value);

}  // namespace meshreel
