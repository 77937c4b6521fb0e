// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/sentence.h"

namespace meshreel {

/// What repeated times of the same work say together, in seconds.
struct TimesSummary {
    std::size_t count = 0;
    double median = 0;
    double fastest = 0;
    double slowest = 0;

    /// Part of the median; 0 of none.
    [[nodiscard]] double spread() const { return median > 0 ? (slowest - fastest) / median : 0; }
};

/// Everything is 0 without times.
TimesSummary summarizeTimes(std::span<const double> seconds);

/// "12.3 ms, spread 4.1 %", "1.23 s, spread 0.8 %".
Sentence timesSentence(const TimesSummary& times);

enum class Difference : std::uint8_t {
    Faster,
    Slower,
    Noise,   ///< the times may be those of equally fast work
    TooFew,  ///< even times that do not mix would prove nothing
    Overlap  ///< ranges of predictions that overlap
};

/// Whether other work is faster than a reference, and by how much.
struct Verdict {
    Difference difference = Difference::TooFew;
    // Its seconds over those of the reference lie between them; 0 when there are too few.
    double low = 0;
    double high = 0;
    /// How often both are to be repeated before the difference shows, 2 at least; 0 when it shows, and when
    /// `mostRepeats`, or as many times as are compared, would hardly show it.
    int repeats = 0;

    static constexpr int mostRepeats = 100;
    static constexpr std::size_t mostTimes = 1024;  ///< of each side that are compared

    [[nodiscard]] bool isClear() const {
        return difference == Difference::Faster || difference == Difference::Slower;
    }
};

struct JudgeOptions {
    int comparisons = 1;       ///< that are made at once, when the best of several is judged
    int samplesPerRepeat = 1;  ///< times that repeating the work once adds on each side
};

/// Compares two lists of seconds. The interval holds the ratio in nine of ten cases, whatever the times'
/// distribution is, as long as both differ by a factor only: it is that of Moses for a shift (Hollander,
/// Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition, §4.3), of the logarithms. Its ends are
/// ratios of single times, counted from both ends of all m·n sorted ratios by the distribution of Mann and
/// Whitney's U: exact while the arrangements can be counted in a double, its normal approximation beyond.
/// Three times each are the fewest that can show a difference. Of several comparisons each takes its share
/// of the one case in ten (Bonferroni).
///
/// The repeats are those with which the difference would show in four of five cases if the times went on as
/// they are (G. E. Noether, Sample Size Determination for Some Common Nonparametric Tests, JASA 82, 1987,
/// pages 645 to 647). Times that are not above 0 are left out. Of a longer list `mostTimes` are compared,
/// taken in even steps, so that a drift is in them as it is in all: the ratios are then a million at most,
/// and take 8 MiB.
Verdict judge(std::span<const double> reference, std::span<const double> other,
              const JudgeOptions& options = {});

/// Seconds that a prediction allows.
struct SecondsRange {
    double low = 0;
    double high = 0;
};

/// Compares two predictions: ranges that overlap give no verdict.
Verdict judgeRanges(const SecondsRange& reference, const SecondsRange& other);

/// "Faster: 12 to 18 % less time", "Within the noise: repeat 6 times".
Sentence verdictSentence(const Verdict& verdict);

}  // namespace meshreel
