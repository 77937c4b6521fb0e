// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/mesh/remote_link.h"

namespace meshreel {

/// A piece of a transfer that one message carries. `data` is read or written until the message is done.
struct LinkMessage {
    bool isSend = false;
    int peer = 0;  ///< rank
    int tag = 0;
    std::byte* data = nullptr;
    int bytes = 0;
};

/// The messages of one transfer, shared by the device thread that waits for them and the communication thread
/// that carries them.
class LinkTransfer {
  public:
    explicit LinkTransfer(std::vector<LinkMessage> messages);

    [[nodiscard]] const std::vector<LinkMessage>& messages() const { return m_messages; }

    // The device thread's side.
    enum class End { Done, Failed, Stalled };

    /// Until all messages are done, fail() is called, or no message was done for `stallTimeout`.
    [[nodiscard]] End await(std::chrono::milliseconds stallTimeout);
    [[nodiscard]] bool finished() const;
    void awaitRelease();

    // The communication thread's side.
    /// True when it was the last.
    bool messageDone();
    void fail();
    /// The memory of messages that are not done is touched no more.
    void release();

  private:
    std::vector<LinkMessage> m_messages;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_open;
    bool m_failed = false;
    bool m_released = false;
};

/// Bytes of rank 0 on their way to every rank; shared by the thread that waits and the communication thread.
class LinkBroadcast {
  public:
    explicit LinkBroadcast(std::span<std::byte> bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }

    /// False when the ranks gave up; the bytes are touched no more in either case.
    [[nodiscard]] bool await();
    void fail();

    // The communication thread's side. All do nothing once it failed.
    void take(std::size_t offset, std::span<std::byte> piece) const;  ///< into `piece`
    void put(std::size_t offset, std::span<const std::byte> piece);
    void finish();

  private:
    enum class State { Underway, Done, Failed };

    void end(State state);

    std::span<std::byte> m_bytes;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    State m_state = State::Underway;
};

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
