// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace meshreel {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isSign(char c) {
    return c == '+' || c == '-';
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::size_t countDigits(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isDigit) - text.begin());
}

/// A decimal number taken apart; `valid` when nothing else is in the text.
struct Pieces {
    std::string_view whole;
    bool hasPoint = false;
    bool hasExponent = false;
    bool valid = false;
};

Pieces takeApart(std::string_view text) {
    Pieces pieces;
    if (!text.empty() && isSign(text.front()))
        text.remove_prefix(1);
    const auto takeDigits = [&text] {
        const std::string_view digits = text.substr(0, countDigits(text));
        text.remove_prefix(digits.size());
        return digits;
    };
    pieces.whole = takeDigits();
    std::size_t digits = pieces.whole.size();
    if (!text.empty() && text.front() == '.') {
        pieces.hasPoint = true;
        text.remove_prefix(1);
        digits += takeDigits().size();
    }
    if (digits > 0 && !text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        pieces.hasExponent = true;
        text.remove_prefix(1);
        if (!text.empty() && isSign(text.front()))
            text.remove_prefix(1);
        if (takeDigits().empty())
            return pieces;
    }
    pieces.valid = digits > 0 && text.empty();
    return pieces;
}

struct Radix {
    std::string_view prefix;
    int base;
};
constexpr std::array<Radix, 3> radixes = {{{"0x", 16}, {"0o", 8}, {"0b", 2}}};

Sentence radixText(std::string_view text, int base) {
    switch (base) {
        case 16:
            return sentence("\"{}\" is hexadecimal; numbers are decimal", text);
        case 8:
            return sentence("\"{}\" is octal; numbers are decimal", text);
        default:
            return sentence("\"{}\" is binary; numbers are decimal", text);
    }
}

std::optional<NumberProblem> otherRadix(std::string_view text) {
    const std::string lower = lowered(text);
    for (const Radix& radix : radixes) {
        if (!lower.starts_with(radix.prefix))
            continue;
        long long value = 0;
        const char* end = lower.data() + lower.size();
        const auto [stop, failure] =
            std::from_chars(lower.data() + radix.prefix.size(), end, value, radix.base);
        const bool read = failure == std::errc{} && stop == end;
        return NumberProblem{radixText(text, radix.base),
                             read ? sentence("Write {}", value) : sentence("Write it in decimal digits")};
    }
    return std::nullopt;
}

enum class NumberKind { Whole, Real };

NumberProblem noNumber(std::string_view text, NumberKind kind) {
    if (kind == NumberKind::Whole)
        return {sentence("\"{}\" is not a whole number", text), sentence("Write a decimal whole number")};
    return {sentence("\"{}\" is not a number", text), sentence("Write a decimal number")};
}

std::optional<NumberProblem> notDecimal(std::string_view text, NumberKind kind) {
    if (auto problem = otherRadix(text))
        return problem;
    std::string lower = lowered(text);
    if (!lower.empty() && isSign(lower.front()))
        lower.erase(0, 1);
    if (lower == ".inf" || lower == ".nan" || lower == "inf" || lower == "nan" || lower == "infinity")
        return NumberProblem{sentence("\"{}\" is not a finite number", text),
                             sentence("Write a finite decimal number")};
    const Pieces pieces = takeApart(text);
    if (pieces.valid && pieces.whole.size() > 1 && pieces.whole.front() == '0') {
        const std::size_t zeros = std::min(pieces.whole.find_first_not_of('0'), pieces.whole.size() - 1);
        std::string cured(text);
        cured.erase(static_cast<std::size_t>(pieces.whole.data() - text.data()), zeros);
        return NumberProblem{sentence("\"{}\" starts with 0, which some read as octal", text),
                             sentence("Write {}", cured)};
    }
    if (pieces.valid)
        return std::nullopt;
    std::string digits(text);
    std::erase_if(digits, [](char c) { return c == '_' || c == ',' || c == '\''; });
    if (digits.size() != text.size() && takeApart(digits).valid)
        return NumberProblem{sentence("\"{}\" has digit separators", text), sentence("Write {}", digits)};
    return noNumber(text, kind);
}

double toReal(std::string_view text) {
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    double value = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} ? value : HUGE_VAL;
}

}  // namespace

std::variant<std::int64_t, NumberProblem> parseInteger(std::string_view text) {
    if (auto problem = notDecimal(text, NumberKind::Whole))
        return *problem;
    const Pieces pieces = takeApart(text);
    if (pieces.hasPoint || pieces.hasExponent) {
        const double value = toReal(text);
        const double below = std::floor(value);
        constexpr double exactLimit = 9007199254740992.0;  // 2^53
        if (!(std::abs(value) < exactLimit))
            return NumberProblem{sentence("{} is not a whole number", text),
                                 sentence("Write it in digits alone")};
        const bool whole = below == value;
        return NumberProblem{sentence("{} is not written as a whole number", text),
                             whole ? sentence("Write {:.0f}", value)
                                   : sentence("The nearest are {:.0f} and {:.0f}", below, below + 1)};
    }
    std::string_view digits = text;
    if (digits.front() == '+')
        digits.remove_prefix(1);
    std::int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
        return NumberProblem{sentence("{} has too many digits", text),
                             sentence("Whole numbers have at most 63 bits")};
    return value;
}

std::variant<double, NumberProblem> parseReal(std::string_view text) {
    if (auto problem = notDecimal(text, NumberKind::Real))
        return *problem;
    const double value = toReal(text);
    if (!std::isfinite(value))
        return NumberProblem{sentence("{} is out of the range of numbers", text),
                             sentence("Write a finite decimal number")};
    return value;
}

std::string realText(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return text;
}

}  // namespace meshreel
