// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mesh/host_file.h"

namespace meshreel {

/// What a rank writes to stderr for the program that launched it: about once a second that it is alive until
/// the ranks have met, once that it met them, and when it leaves. Rank 0 repeats in between that they met, so
/// that a mpirun that passes nothing on is noticed.
struct RankSign {
    enum class Kind { Alive, Met, Left };

    int rank = 0;
    Kind kind = Kind::Alive;
};

/// Returns the sign as one line, without the newline.
std::string rankSignLine(const RankSign& sign);

/// A sign, and what other ranks, which share stderr, wrote before it on the line. Nothing for a line that
/// holds none.
struct HeardSign {
    RankSign sign;
    std::string before;
};
std::optional<HeardSign> parseRankSign(std::string_view line);

/// What the program that launched ranks knows of them: about all of them until they have met and watch each
/// other, then about rank 0. Bookkeeping only: the caller receives their reports and supplies the time.
class RankStartWatch {
  public:
    using Time = std::chrono::steady_clock::time_point;

    struct Limits {
        std::chrono::milliseconds begin{};        ///< time limit for all ranks to begin and meet
        std::chrono::milliseconds silence{5000};  ///< a rank that began and was silent for so long is gone
        std::chrono::milliseconds deaf{30000};    ///< mpirun passed on nothing of rank 0 for so long
    };

    RankStartWatch(std::span<const Host> hosts, int ranks, const Limits& limits, Time now);

    void note(const RankSign& sign, Time now);

    /// Call often; a long time without a call (a stopped process) does not count against any rank.
    void advance(Time now);

    /// Returns whether the ranks met, rank 0 has not left and nothing is heard of it: mpirun hangs, for the
    /// ranks themselves watch rank 0.
    [[nodiscard]] bool isDeaf() const;

    [[nodiscard]] bool anyHeard() const;
    [[nodiscard]] bool allMet() const;

    /// Returns a rank that began, has not met the others and is silent.
    [[nodiscard]] std::optional<int> silentRank() const;

    /// Returns whether the time to begin and to meet is over.
    [[nodiscard]] bool isOverdue() const;

    /// Returns the hosts that are to blame when it is. As long as one host is missing mpirun starts nothing
    /// anywhere; then these are all hosts but this machine, if there are others.
    [[nodiscard]] std::vector<Host> missingHosts() const;

    [[nodiscard]] const Host& hostOf(int rank) const;

  private:
    struct Rank {
        bool begun = false;
        bool met = false;
        bool left = false;
        Time lastSeen;
    };

    std::vector<Host> m_hosts;
    std::vector<Rank> m_ranks;
    Limits m_limits;
    Time m_began;
    Time m_now;
};

}  // namespace meshreel
