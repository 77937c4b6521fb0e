// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "engine/base/written_text.h"

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

std::optional<Problem> otherRadix(std::string_view text) {
    const std::string lower = lowered(text);
    for (const Radix& radix : radixes) {
        if (!lower.starts_with(radix.prefix))
            continue;
        long long value = 0;
        const char* end = lower.data() + lower.size();
        const auto [stop, failure] =
            std::from_chars(lower.data() + radix.prefix.size(), end, value, radix.base);
        const bool read = failure == std::errc{} && stop == end;
        return Problem{.id = "number-in-another-base",
                       .message = radixText(text, radix.base),
                       .fixes = read ? setKey(sentence("Write {}", value), {}, {fmt::to_string(value)})
                                     : byHand(sentence("Write it in decimal digits"))};
    }
    return std::nullopt;
}

enum class NumberKind { Whole, Real };

Problem noNumber(std::string_view text, NumberKind kind) {
    if (kind == NumberKind::Whole)
        return {.id = "not-a-number",
                .message = sentence("\"{}\" is not a whole number", text),
                .fixes = byHand(sentence("Write a decimal whole number"))};
    return {.id = "not-a-number",
            .message = sentence("\"{}\" is not a number", text),
            .fixes = byHand(sentence("Write a decimal number"))};
}

std::string withoutSpaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

double toReal(std::string_view text) {
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    double value = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} ? value : HUGE_VAL;
}

/// What is wrong with a number with a point or an exponent.
Problem notWhole(std::string_view text) {
    const double value = toReal(text);
    const double below = std::floor(value);
    constexpr double exactLimit = 9007199254740992.0;  // 2^53
    if (!(std::abs(value) < exactLimit))
        return {.id = "number-not-whole",
                .message = sentence("{} is not a whole number", text),
                .fixes = byHand(sentence("Write it in digits alone"))};
    std::vector<std::string> nearest{fmt::format("{:.0f}", below)};
    if (below != value)
        nearest.insert(value - below > 0.5 ? nearest.begin() : nearest.end(),
                       fmt::format("{:.0f}", below + 1));
    return {.id = "number-not-whole",
            .message = sentence("{} is not written as a whole number", text),
            .fixes = setKey(below == value ? sentence("Write {:.0f}", value)
                                           : sentence("The nearest are {:.0f} and {:.0f}", below, below + 1),
                            {}, nearest)};
}

/// Digits in groups of three with marks between them, the first group shorter and without a leading zero.
bool isGrouped(std::string_view text, char mark) {
    const auto isGroup = [](std::string_view group, std::size_t least) {
        return group.size() >= least && group.size() <= 3 && countDigits(group) == group.size();
    };
    std::size_t end = text.find(mark);
    if (end == std::string_view::npos || !isGroup(text.substr(0, end), 1) || text.front() == '0')
        return false;
    while (end != std::string_view::npos) {
        text.remove_prefix(end + 1);
        end = text.find(mark);
        if (!isGroup(text.substr(0, end), 3))
            return false;
    }
    return true;
}

/// An unsigned number without an exponent as it is written here; empty when its marks make no sense. Of a
/// point and a comma the last is the decimal one ("1.234,5"). A comma alone is, too, unless a group of three
/// digits stands behind it: "3,5", but "1,500".
std::string withoutMarks(std::string number) {
    const auto commas = std::ranges::count(number, ',');
    const auto points = std::ranges::count(number, '.');
    char decimal = '\0';
    if (commas > 0 && points > 0) {
        const std::size_t last = number.find_last_of(",.");
        decimal = number[last];
        if (!isGrouped(std::string_view(number).substr(0, last), decimal == ',' ? '.' : ','))
            return {};
    } else if (commas == 1 && !isGrouped(number, ',')) {
        decimal = ',';
    } else if (points == 1) {
        decimal = '.';
    } else if (commas + points > 0 && !isGrouped(number, commas > 0 ? ',' : '.')) {
        return {};
    }
    std::erase_if(number, [decimal](char c) { return (c == ',' || c == '.') && c != decimal; });
    std::ranges::replace(number, ',', '.');
    return number;
}

std::optional<Problem> notDecimal(std::string_view text, NumberKind kind) {
    if (auto problem = otherRadix(text))
        return problem;
    std::string lower = lowered(text);
    if (!lower.empty() && isSign(lower.front()))
        lower.erase(0, 1);
    if (lower == ".inf" || lower == ".nan" || lower == "inf" || lower == "nan" || lower == "infinity")
        return Problem{.id = "number-not-finite",
                       .message = sentence("\"{}\" is not a finite number", text),
                       .fixes = byHand(sentence("Write a finite decimal number"))};
    const Pieces pieces = takeApart(text);
    if (pieces.valid && pieces.whole.size() > 1 && pieces.whole.front() == '0') {
        const std::size_t zeros = std::min(pieces.whole.find_first_not_of('0'), pieces.whole.size() - 1);
        std::string meant(text);
        meant.erase(static_cast<std::size_t>(pieces.whole.data() - text.data()), zeros);
        return Problem{.id = "number-starts-with-zero",
                       .message = sentence("\"{}\" starts with 0, which some read as octal", text),
                       .fixes = setKey(sentence("Write {}", meant), {}, {meant})};
    }
    if (pieces.valid)
        return std::nullopt;
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == '_' || c == '\''; });
    const std::size_t begin = !plain.empty() && isSign(plain.front()) ? 1 : 0;
    const std::size_t length = std::min(plain.find_first_of("eE"), plain.size()) - begin;
    const std::size_t lastMark = plain.find_last_of(",.");
    const bool decimalComma = lastMark != std::string::npos && plain[lastMark] == ',';
    plain.replace(begin, length, withoutMarks(plain.substr(begin, length)));
    const Pieces meant = takeApart(plain);
    if (plain != text && meant.valid)
        return Problem{.id = "number-has-separators",
                       .message = decimalComma && meant.hasPoint
                                      ? sentence("\"{}\" has a decimal comma", text)
                                      : sentence("\"{}\" has digit separators", text),
                       .fixes = kind == NumberKind::Whole && (meant.hasPoint || meant.hasExponent)
                                    ? notWhole(plain).fixes
                                    : setKey(sentence("Write {}", plain), {}, {plain})};
    if (const std::string typed = withoutSpaces(plainText(text)); typed != text)
        if (const Pieces known = takeApart(typed);
            known.valid && (kind == NumberKind::Real || !(known.hasPoint || known.hasExponent)))
            return Problem{.id = "not-a-number",
                           .message = noNumber(shownText(text), kind).message,
                           .fixes = setKey(sentence("Write {}", typed), {}, {typed})};
    return noNumber(text, kind);
}

template <typename Integer>
std::variant<Integer, Problem> parseWhole(std::string_view text, const Sentence& limits) {
    if (auto problem = notDecimal(text, NumberKind::Whole))
        return *problem;
    const Pieces pieces = takeApart(text);
    if (pieces.hasPoint || pieces.hasExponent)
        return notWhole(text);
    std::string_view digits = text;
    const bool isZero = pieces.whole.find_first_not_of('0') == std::string_view::npos;
    if (digits.front() == '+' || isZero)
        digits.remove_prefix(isSign(digits.front()) ? 1 : 0);
    Integer value = 0;
    const std::errc failure = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
    if (failure == std::errc())
        return value;
    if (failure == std::errc::result_out_of_range)
        return Problem{.id = "number-has-too-many-digits",
                       .message = sentence("{} has too many digits", text),
                       .fixes = byHand(limits)};
    return Problem{
        .id = "value-below-least", .message = sentence("{} is below 0", text), .fixes = byHand(limits)};
}

}  // namespace

std::variant<std::int64_t, Problem> parseInteger(std::string_view text) {
    return parseWhole<std::int64_t>(text, sentence("Whole numbers have at most 63 bits"));
}

std::variant<std::uint64_t, Problem> parseUnsigned(std::string_view text) {
    return parseWhole<std::uint64_t>(text, {});
}

std::variant<double, Problem> parseReal(std::string_view text) {
    if (auto problem = notDecimal(text, NumberKind::Real))
        return *problem;
    const double value = toReal(text);
    if (!std::isfinite(value))
        return Problem{.id = "number-not-finite",
                       .message = sentence("{} is out of the range of numbers", text),
                       .fixes = byHand(sentence("Write a finite decimal number"))};
    return value;
}

Problem valueProblem(std::string_view key, Problem problem) {
    problem.message = sentence("{}: {}", key, problem.message);
    return atKey(key, std::move(problem));
}

std::string realText(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return text;
}

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

std::variant<Seed, Problem> parseSeed(std::string_view text) {
    if (text == openSeed)
        return Seed();
    auto number = parseUnsigned(text);
    if (const auto* seed = std::get_if<std::uint64_t>(&number))
        return Seed(*seed);
    auto& problem = std::get<Problem>(number);
    if (problem.fixes.empty())
        problem.fixes = byHand(sentence("Write 0 to {}, or -1 for a random seed", largestSeed));
    return std::move(problem);
}

std::variant<std::vector<Seed>, Problem> parseSeeds(std::string_view text) {
    std::vector<Seed> seeds;
    if (withoutBlanks(text).empty())
        return seeds;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(seedSeparator, begin), text.size());
        const std::string_view one = withoutBlanks(text.substr(begin, end - begin));
        auto seed = parseSeed(one);
        auto* problem = std::get_if<Problem>(&seed);
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
