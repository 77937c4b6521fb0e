// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "engine/mesh/mpi/link_transfer.h"
#include "engine/mesh/mpi/remote_link.h"

namespace meshreel {

class LinkBroadcast;

/// Whether, and why, the ranks gave up; and whoever has to be told. Used by all threads.
class LinkOutcome {
  public:
    using Clock = std::chrono::steady_clock;
    using Listener = std::function<void(const MeshFailure&)>;

    /// The first failure counts: it is told to the observer and, unless this rank's mesh knows it already, to
    /// the listener; then everything that was admitted ends. False for later ones.
    bool settle(const MeshFailure& failure, bool meshKnows);

    [[nodiscard]] std::optional<MeshFailure> failure() const;
    [[nodiscard]] std::optional<Clock::time_point> failedAt() const;

    /// What is admitted is ended by a failure; after one nothing is admitted.
    [[nodiscard]] bool admit(const std::shared_ptr<LinkTransfer>& transfer);
    [[nodiscard]] bool admit(const std::shared_ptr<LinkBroadcast>& broadcast);
    void dismiss(const std::shared_ptr<LinkTransfer>& transfer);
    void dismiss(const std::shared_ptr<LinkBroadcast>& broadcast);

    void setListener(Listener listener);
    void setObserver(Listener observer);

  private:
    mutable std::mutex m_mutex;
    std::optional<MeshFailure> m_failure;
    Clock::time_point m_failedAt;
    std::unordered_set<std::shared_ptr<LinkTransfer>> m_transfers;
    std::unordered_set<std::shared_ptr<LinkBroadcast>> m_broadcasts;

    std::mutex m_listenerMutex;  // held while they are called
    Listener m_listener;
    Listener m_observer;
};

}  // namespace meshreel
