// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/rank_watch.h"

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

    // Returns the communication thread's side.
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
    void take(std::size_t offset, std::span<std::byte> piece) const;  ///< Copies into `piece`.
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

/// Whether and why the ranks gave up, and who has to be informed. Used by all threads.
class LinkOutcome {
  public:
    using Clock = std::chrono::steady_clock;
    using Listener = std::function<void(const MeshFailure&)>;

    /// Records the first failure: reports it to the observer and, unless this rank's mesh knows it already,
    /// to the listener; then ends everything that was admitted. Returns false for later failures.
    bool settle(const MeshFailure& failure, bool meshKnows);

    [[nodiscard]] std::optional<MeshFailure> failure() const;
    [[nodiscard]] std::optional<Clock::time_point> failedAt() const;

    /// Admits a transfer, which a failure then ends; returns false after a failure.
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

// Only for the communication thread: nothing else may call MPI.

/// Throws Error{Device} unless an MPI function returned success.
inline void checkMpi(int code) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(ErrorKind::Device,
                sentence("MPI failed: {}", std::string_view(text, static_cast<std::size_t>(length))), {},
                sentence("Check the network between the hosts"));
}

/// The messages of transfers that are on their way, over a communicator of their own. Used by the
/// communication thread.
class MpiMessages {
  public:
    /// Owns `communicator`.
    explicit MpiMessages(MPI_Comm communicator) : m_communicator(communicator) {}

    void post(const std::shared_ptr<LinkTransfer>& transfer);

    /// Moves what can be moved; true when a message was done.
    bool test();

    /// Cancels the receives that no send has matched; the others continue.
    void withdrawReceives();

    [[nodiscard]] bool empty() const { return m_requests.empty(); }
    [[nodiscard]] bool receiving() const;

    /// Returns whether MPI will not touch the transfer's memory any more, given which ranks receive nothing
    /// more.
    [[nodiscard]] bool isInert(const LinkTransfer& transfer, const std::function<bool(int)>& isQuiet) const;

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    struct OnItsWay {
        std::shared_ptr<LinkTransfer> transfer;
        LinkMessage message;
    };

    MPI_Comm m_communicator;
    std::vector<MPI_Request> m_requests;
    std::vector<OnItsWay> m_messages;  // parallel to m_requests
};

/// Carries broadcasts one after another, piece by piece, over a communicator of their own. Used by the
/// communication thread. MPI sees a buffer of its own only: a broadcast cannot be withdrawn, and who waits
/// for it has to be free to leave when the ranks give up.
class MpiBroadcasts {
  public:
    /// Takes ownership of `communicator`; no message is longer than `largestMessage` bytes.
    MpiBroadcasts(MPI_Comm communicator, std::size_t largestMessage);

    void add(std::shared_ptr<LinkBroadcast> broadcast);

    /// True when a piece has been carried.
    bool test();

    [[nodiscard]] bool empty() const { return m_waiting.empty(); }

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    void startPiece();
    [[nodiscard]] std::span<std::byte> piece();

    MPI_Comm m_communicator;
    bool m_isRoot = false;
    std::vector<std::byte> m_buffer;
    std::deque<std::shared_ptr<LinkBroadcast>> m_waiting;  // the first is being carried
    std::size_t m_carried = 0;                             // bytes of the first
    MPI_Request m_request = MPI_REQUEST_NULL;
};

/// Carries words over a communicator of its own. Used by the communication thread.
class ControlChannel {
  public:
    /// Owns `communicator`.
    explicit ControlChannel(MPI_Comm communicator);

    /// Sends to every other rank. `Alive` skips ranks that have not taken an earlier message yet.
    void broadcast(const ControlMessage& word);

    /// Words that came, with who sent them.
    [[nodiscard]] std::vector<std::pair<int, ControlMessage>> take();

    /// Returns whether every word that was said has left.
    [[nodiscard]] bool allSaid();

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    struct Saying {
        int rank = 0;
        std::string text;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    void listen();
    void forgetSaid();

    MPI_Comm m_communicator;
    int m_self = 0;
    int m_ranks = 0;
    std::vector<char> m_heard;
    MPI_Request m_listening = MPI_REQUEST_NULL;
    std::list<Saying> m_sayings;  // a list: MPI reads the texts in place
};

}  // namespace meshreel
