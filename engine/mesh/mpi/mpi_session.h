// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/rank_watch.h"
#include "engine/mesh/remote_link.h"
#include "engine/mesh/transport.h"

namespace meshreel {

struct MpiSessionOptions {
    RankIdentity identity = thisRankIdentity();
    std::int64_t largestMessage = std::numeric_limits<int>::max();  ///< bytes; MPI counts in int
    std::chrono::milliseconds heartbeat{1000};
    FailureDetector::Limits watch = {};
    /// A process that has not ended so long after the ranks gave up is ended by force, after `lastWords`.
    std::chrono::milliseconds endAfterFailure{7000};
    std::function<void(const MeshFailure&)> lastWords = {};
    std::chrono::milliseconds meetingLimit = hostPatience();  ///< time limit for all ranks to meet
    std::function<void()> signOfLife = {};  ///< called about once a second until they have met
};

/// This process's part in a run of several MPI ranks, which connects its devices to those of the others. A
/// single thread, started here, calls MPI. At most one session in the life of a process, and only
/// underMpirun().
class MpiSession final : public RemoteLink {
  public:
    /// Connects to the other ranks. Throws Error{Device} on every rank when they do not run the same program
    /// on hosts of one kind.
    explicit MpiSession(MpiSessionOptions options = {});

    /// Waits until every rank is done, however long that takes, as long as all are alive. After a failure it
    /// waits a few seconds at most, and the process has to end soon.
    ~MpiSession() override;

    [[nodiscard]] int rank() const;
    [[nodiscard]] int ranks() const;
    [[nodiscard]] const std::string& host(int rank) const;

    /// Returns why these are more ranks than the hosts are asked to carry; the same on every rank.
    [[nodiscard]] std::optional<Problem> overload() const;

    /// isaDifferences() of the ranks.
    [[nodiscard]] std::vector<Sentence> isaWarnings() const;

    /// Gives every rank `devices` / ranks() consecutive devices. Throws Error{Project} when that is not a
    /// whole number. Call before the first transfer. A wait in which nothing moves for `stallTimeout` counts
    /// as a hang.
    void setDevices(int devices, std::chrono::milliseconds stallTimeout);

    /// Overwrites `bytes`, of one size on every rank, with those of rank 0. All ranks call the broadcasts in
    /// one order. Throws as Transfer::wait() does.
    void broadcast(std::span<std::byte> bytes);

    /// Returns what rank 0 gives, on every rank.
    [[nodiscard]] std::string broadcastText(std::string_view text);

    /// Throws Error{Device} naming both hosts on ranks where `value` is not what rank 0 has. A broadcast.
    void requireSame(const Sentence& what, const std::string& value);

    std::unique_ptr<Transfer> start(int device, std::span<const Send> sends,
                                    std::span<const Receive> receives) override;
    void fail(const MeshFailure& failure) override;

    /// A later listener takes the place of an earlier one, which is not called any more once this returned;
    /// an empty one only ends that. Not to be called by a listener.
    void listen(std::function<void(const MeshFailure&)> onFailure) override;

    /// Registers a second listener, for the run folder: `onFailure` is also called when this rank gave up,
    /// and before listen()'s.
    void observe(std::function<void(const MeshFailure&)> onFailure);

    /// Records that this process was asked to end (SIGTERM). mpirun does so when its user wants to stop and
    /// when another rank has died: the failure that follows is cancelled in the first case only. Not for
    /// signal handlers.
    void terminate();

    /// Returns why the ranks gave up, once they have.
    [[nodiscard]] std::optional<MeshFailure> failure() const;

  private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace meshreel
