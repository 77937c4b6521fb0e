// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/base/units.h"

namespace meshreel {
namespace {

constexpr double risk = 0.1;             // of an interval that does not hold the ratio
constexpr double missed = 0.2;           // of not seeing a difference after the repeats
constexpr double countable = 0x1p53;     // whole numbers that a double holds exactly
constexpr std::size_t mostPairs = 4096;  // for which arrangements are counted
constexpr int leastRepeats = 2;

/// Returns z above which a normal distribution has this part, which is below a half.
double normalQuantile(double tail) {
    double low = 0;
    double high = 10;
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::midpoint(low, high);
        (std::erfc(middle / std::numbers::sqrt2) / 2 > tail ? low : high) = middle;
    }
    return low;
}

/// Returns the number of orders of m times of one work among n of another.
double orders(std::size_t m, std::size_t n) {
    double count = 1;
    for (std::size_t i = 1; i <= m; ++i)
        count *= static_cast<double>(n + i) / static_cast<double>(i);
    return std::round(count);
}

/// Returns how many of these orders have U = 0, 1, … m·n: the coefficients of the Gaussian binomial
/// (1 - q^(n+1)) … (1 - q^(n+m)) / ((1 - q) … (1 - q^m)).
std::vector<double> ordersByU(std::size_t m, std::size_t n) {
    std::vector<double> counts(m * n + 1);
    counts[0] = 1;
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t u = counts.size(); u-- > n + i;)
            counts[u] -= counts[u - n - i];
        for (std::size_t u = i; u < counts.size(); ++u)
            counts[u] += counts[u - i];
    }
    return counts;
}

/// Returns how many of the sorted ratios lie below the interval, and as many above it; nothing when not even
/// all of them make one.
std::optional<std::size_t> ratiosOutside(std::size_t m, std::size_t n, double share) {
    const double all = orders(m, n);
    if (all >= countable || m * n > mostPairs) {
        const double pairs = real(static_cast<std::int64_t>(m * n));
        const double deviation = std::sqrt(pairs * static_cast<double>(m + n + 1) / 12);
        const double outside = pairs / 2 - normalQuantile(share / 2) * deviation - 1;
        return outside < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(outside));
    }
    constexpr double rounding = 1e-9;
    std::optional<std::size_t> outside;
    double below = 0;
    const std::vector<double> counts = ordersByU(m, n);
    for (std::size_t u = 0; 2 * u < counts.size(); ++u) {
        below += counts[u];
        if (2 * below > share * all * (1 + rounding))
            break;
        outside = u;
    }
    return outside;
}

std::vector<double> positiveOnes(std::span<const double> seconds) {
    std::vector<double> kept;
    std::ranges::copy_if(seconds, std::back_inserter(kept), [](double one) { return one > 0; });
    return kept;
}

/// Returns all, or Verdict::mostTimes of them, from the whole of the list in even steps.
std::vector<double> timesToCompare(std::span<const double> seconds) {
    std::vector<double> times = positiveOnes(seconds);
    if (times.size() <= Verdict::mostTimes)
        return times;
    const std::size_t all = times.size();
    for (std::size_t i = 0; i < Verdict::mostTimes; ++i)
        times[i] = times[i * all / Verdict::mostTimes];
    times.resize(Verdict::mostTimes);
    return times;
}

/// Returns how often both are to be repeated before a difference can show at all.
int repeatsForAny(std::size_t m, std::size_t n, double share, int samplesPerRepeat) {
    int repeats = 0;
    while (repeats < Verdict::mostRepeats) {
        ++repeats;
        const auto more = static_cast<std::size_t>(repeats) * static_cast<std::size_t>(samplesPerRepeat);
        if (ratiosOutside(m + more, n + more, share))
            break;
    }
    return std::max(leastRepeats, repeats);
}

/// `belowOne`: the part of the ratios that are below 1, those that are 1 counting half.
int repeatsForThis(double belowOne, std::size_t fewer, double share, int samplesPerRepeat) {
    const double shift = belowOne - 1.0 / 2;
    const double both = normalQuantile(share / 2) + normalQuantile(missed);
    const double each = both * both / (6 * shift * shift);  // Noether's N of equal halves
    if (each > static_cast<double>(Verdict::mostTimes))     // also where the shift is 0
        return 0;
    const double more = std::max(0.0, each - static_cast<double>(fewer)) / samplesPerRepeat;
    return more <= Verdict::mostRepeats ? std::max(leastRepeats, static_cast<int>(std::ceil(more))) : 0;
}

/// Two digits, or all before the point.
std::string shortPercent(double part) {
    const double value = percent * part;
    return value >= 9.95                  ? fmt::format("{:.0f}", value)
           : value >= 0.095 || value == 0 ? fmt::format("{:.1f}", value)
                                          : fmt::format("{:.2f}", value);
}

std::string threeFigures(double value) {
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

TimesSummary summarizeTimes(std::span<const double> seconds) {
    if (seconds.empty())
        return {};
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    return {.count = seconds.size(),
            .median = computeMedian({seconds.begin(), seconds.end()}),
            .fastest = fastest,
            .slowest = slowest};
}

Sentence timesSentence(const TimesSummary& times) {
    const std::string spread = shortPercent(times.spread());
    return times.median < 1
               ? sentence("{} ms, spread {} %", threeFigures(times.median * millisecondsPerSecond), spread)
               : sentence("{} s, spread {} %", threeFigures(times.median), spread);
}

Verdict judge(std::span<const double> reference, std::span<const double> other, const JudgeOptions& options) {
    const std::vector<double> against = timesToCompare(reference);
    const std::vector<double> judged = timesToCompare(other);
    const double share = risk / std::max(1, options.comparisons);
    const std::optional<std::size_t> outside = against.empty() || judged.empty()
                                                   ? std::nullopt
                                                   : ratiosOutside(against.size(), judged.size(), share);
    if (!outside)
        return {.difference = Difference::TooFew,
                .repeats = repeatsForAny(against.size(), judged.size(), share, options.samplesPerRepeat)};
    std::vector<double> ratios;
    ratios.reserve(against.size() * judged.size());
    for (const double one : judged)
        for (const double was : against)
            ratios.push_back(one / was);
    const auto nth = [&ratios](std::size_t place) {
        std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(place));
        return ratios[place];
    };
    Verdict verdict{
        .difference = Difference::Noise, .low = nth(*outside), .high = nth(ratios.size() - 1 - *outside)};
    if (verdict.high < 1) {
        verdict.difference = Difference::Faster;
    } else if (verdict.low > 1) {
        verdict.difference = Difference::Slower;
    } else {
        const auto below = std::ranges::count_if(ratios, [](double ratio) { return ratio < 1; });
        const auto equal = std::ranges::count(ratios, 1.0);
        const double belowOne = (static_cast<double>(below) + static_cast<double>(equal) / 2) /
                                static_cast<double>(ratios.size());
        verdict.repeats = repeatsForThis(belowOne, std::min(against.size(), judged.size()), share,
                                         options.samplesPerRepeat);
    }
    return verdict;
}

Verdict judgeRanges(const SecondsRange& reference, const SecondsRange& other) {
    if (reference.low <= 0 || other.low <= 0)
        return {.difference = Difference::Overlap};
    Verdict verdict{.difference = Difference::Overlap,
                    .low = other.low / reference.high,
                    .high = other.high / reference.low};
    if (verdict.high < 1)
        verdict.difference = Difference::Faster;
    else if (verdict.low > 1)
        verdict.difference = Difference::Slower;
    return verdict;
}

Sentence verdictSentence(const Verdict& verdict) {
    switch (verdict.difference) {
        case Difference::Faster:
            return sentence("Faster: {} to {} % less time", shortPercent(1 - verdict.high),
                            shortPercent(1 - verdict.low));
        case Difference::Slower:
            return sentence("Slower: {} to {} % more time", shortPercent(verdict.low - 1),
                            shortPercent(verdict.high - 1));
        case Difference::Noise:
            return verdict.repeats > 0
                       ? sentence("Within the noise: repeat {} times", verdict.repeats)
                       : sentence("Within the noise: {} repeats would hardly tell", Verdict::mostRepeats);
        case Difference::TooFew:
            return sentence("Too few times to tell: repeat {} times", verdict.repeats);
        case Difference::Overlap:
            return sentence("No verdict: the ranges overlap");
    }
    return {};
}

}  // namespace meshreel
