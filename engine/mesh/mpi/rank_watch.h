// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/mesh/mesh_failure.h"

namespace meshreel {

/// What one rank knows about the others: which are alive, which gave up and why, which are done. Bookkeeping
/// only: the caller communicates with them and supplies the time.
class FailureDetector {
  public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    struct Limits {
        std::chrono::milliseconds goneAfter{5000};  ///< a rank that was silent for so long is gone
        /// How long a rank that gave up may take to report why, and how long the others have to report that
        /// they, too, were asked to end.
        std::chrono::milliseconds grace{400};
    };

    /// `hosts`: of every rank.
    FailureDetector(int self, std::vector<std::string> hosts, const Limits& limits, Time now);

    // What happens here.
    void fail(const MeshFailure& failure);  ///< this rank gives up
    void giveUp(Time now);                  ///< Gives up; the reason is about to follow.
    void terminate(Time now);               ///< this process was asked to end (SIGTERM)

    // What another rank says; any word is a sign of life.
    void noteAlive(int rank, Time now);
    void noteFailing(int rank, const std::optional<MeshFailure>& failure, Time now);
    void noteQuiet(int rank, Time now);
    void noteTerminating(int rank, Time now);
    void noteBye(int rank, Time now);

    /// Call often; a long time without a call (a stopped process) does not count against any rank.
    void advance(Time now);

    /// Returns the first known reason, once there is one; it never changes.
    [[nodiscard]] const std::optional<MeshFailure>& failure() const { return m_failure; }

    /// Returns whether any rank gave up, for whatever reason: nothing new may start.
    [[nodiscard]] bool failing() const { return m_failing; }

    /// Returns whether this rank receives nothing any more.
    [[nodiscard]] bool isQuiet(int rank) const;

    /// Returns whether some rank was silent for too long.
    [[nodiscard]] bool anyGone() const;

    /// Returns whether every other rank has said goodbye, or is gone.
    [[nodiscard]] bool allDone() const;

  private:
    struct Peer {
        Time lastSeen;
        bool quiet = false;
        bool terminating = false;
        bool done = false;
        bool gone = false;
    };

    void settle(const MeshFailure& failure);
    void startWaitingForReason(int rank, Time now);
    void findSilent(Time now);
    void judgeTermination(Time now);
    [[nodiscard]] const std::string& host(int rank) const { return m_hosts[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] Peer& peer(int rank) { return m_peers[static_cast<std::size_t>(rank)]; }

    int m_self;
    std::vector<std::string> m_hosts;
    Limits m_limits;
    std::vector<Peer> m_peers;
    Time m_lastAdvance;
    bool m_failing = false;
    std::optional<MeshFailure> m_failure;
    std::optional<MeshFailure> m_unexplained;  // some rank gave up; reported when no reason follows
    Time m_reasonDue;
    bool m_terminated = false;
    Time m_terminationDue;
};

/// What ranks say to each other beside the data.
enum class ControlSignal : std::uint8_t {
    Alive,        ///< every second
    Failing,      ///< I gave up; why, once I know
    Quiet,        ///< after Failing: I receive nothing any more, and never will
    Terminating,  ///< my process was asked to end
    Bye,          ///< I am done and wait for the others
};

struct ControlMessage {
    ControlSignal signal = ControlSignal::Alive;
    std::optional<MeshFailure> failure = {};
};

/// Limit of every message; longer reasons are cut, and then not translated.
inline constexpr std::size_t longestMessage = 3072;

std::string encodeMessage(const ControlMessage& word);

/// Damaged text reads as Alive: some rank did write it.
ControlMessage decodeMessage(const std::string& text);

}  // namespace meshreel
