// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/remote_link.h"
#include "engine/mesh/transport.h"

namespace meshreel {

/// A send and the receive it matches; both ends hold it. Guarded by the board's mutex.
struct Message {
    /// A loan is moving as long as the borrower reads it.
    enum class State : std::uint8_t { Open, Moving, Done, Withdrawn };

    int from = 0;
    int to = 0;
    bool offered = false;   ///< `source` is known
    bool expected = false;  ///< `target` is known
    State state = State::Open;
    ConstBlock source;
    Block target;
    Combine combine = Combine::Replace;
    Message* previous = nullptr;  ///< the receive listed before this one in its transfer
    Message* next = nullptr;      ///< the one listed after it
};

using MessagePtr = std::shared_ptr<Message>;

/// The device whose team copies, and how long it has been copying.
struct Copier {
    WorkerPool& workers;
    double seconds = 0;
};

/// Ends the waits of a device when another one has left transfers unfinished. It does not give the reason:
/// the device that left does so once it has let go of everything, for which it may need what this one holds.
struct LeftBehind : std::exception {
    [[nodiscard]] const char* what() const noexcept override {
        return "another device left its transfers unfinished";
    }
};

/// Connects the devices of one process: matches sends with receives; whichever device first waits for a
/// matched pair, sender or receiver, copies directly from the sender's memory to the receiver's. A transfer
/// thus completes as soon as its counterparts were started, whatever the other devices wait for.
class LocalTransport {
  public:
    struct Options {
        int firstDevice = 0;
        int devices = 1;    ///< consecutive ones
        bool spin = false;  ///< look again for a moment before parking; for when each device has a CPU
        std::chrono::milliseconds stallTimeout{300'000};
    };

    explicit LocalTransport(const Options& options);

    [[nodiscard]] bool has(int device) const;

    /// Sends and receives between devices of this process; `previous` is the receive listed before it in the
    /// same transfer.
    MessagePtr offer(const Send& send, int from);
    MessagePtr expect(const Receive& receive, int to, Message* previous);

    /// Copies what can be copied now.
    void progress(std::span<const MessagePtr> receives, std::span<const MessagePtr> sends, Copier& copier);

    /// Returns when all are done. Throws as Transfer::wait() does.
    void wait(int device, std::span<const MessagePtr> receives, std::span<const MessagePtr> sends,
              Copier& copier);

    /// Returns the source of a loan, once it is offered; giveBack() ends it. Throws as Transfer::wait() does.
    ConstBlock borrow(int device, const MessagePtr& message);
    void giveBack(const MessagePtr& message);

    /// Notes progress elsewhere (over a link), so that no hang is reported.
    void noteProgress();

    /// Afterwards nobody touches what is not done. When something is not, waits of others that cannot end yet
    /// end with LeftBehind: a device may hold one of the loans that this waits for while it waits itself.
    void withdraw(int device, std::span<const MessagePtr> messages);

    /// Ends all waits by throwing. The first call counts: returns whether this was it.
    bool fail(const MeshFailure& failure);

    /// Payload that other devices sent to `device`.
    [[nodiscard]] std::int64_t bytesReceived(int device) const;

    /// Returns what was left unfinished or met no counterpart, as a sentence; empty when there is nothing.
    [[nodiscard]] std::string unmatched() const;

  private:
    using Clock = std::chrono::steady_clock;

    /// Unmatched sends or (never both) receives from one device to another.
    struct Channel {
        explicit Channel(std::pmr::memory_resource* memory) : sends(memory), receives(memory) {}
        std::pmr::deque<MessagePtr> sends;
        std::pmr::deque<MessagePtr> receives;
    };

    struct Waiter {
        std::atomic<std::uint64_t> news = 0;  ///< counts what may end this device's wait
        std::condition_variable parked;
        std::int64_t bytesReceived = 0;
    };

    Channel& channel(int from, int to);
    MessagePtr makeMessage();
    Waiter& waiter(int device) { return m_waiters[static_cast<std::size_t>(device - m_options.firstDevice)]; }
    void wake(int device);
    void wakeAll();
    void wakeEnds(const Message& message);
    void move(Message& message, Copier& copier, std::unique_lock<std::mutex>& lock);
    void throwIfFailed() const;
    void park(int device, Clock::time_point waitingSince, std::unique_lock<std::mutex>& lock,
              std::span<const MessagePtr> receives, std::span<const MessagePtr> sends);

    const Options m_options;
    std::pmr::synchronized_pool_resource m_memory;  // of messages: the last of both ends frees them
    mutable std::mutex m_mutex;
    std::vector<Channel> m_channels;  // [from][to]
    std::vector<Waiter> m_waiters;
    std::optional<MeshFailure> m_failure;
    bool m_left = false;  // a device withdrew what was not done
    Clock::time_point m_lastMoved;
};

/// Keeps the first failure of a mesh and ends everybody else by it: those who wait and, through the stop
/// token, those who compute. Usable from any thread.
class FailureLatch {
  public:
    explicit FailureLatch(LocalTransport& transport) : m_transport(transport) {}

    /// Keeps it; returns whether this was the first.
    bool keep(const MeshFailure& failure, std::exception_ptr exception);

    /// A failure of another process.
    void keep(const MeshFailure& failure);

    /// Throws what was kept, if anything.
    void rethrow() const;

    /// Stopped once something failed.
    [[nodiscard]] StopToken stop() const { return m_stop.get_token(); }

  private:
    LocalTransport& m_transport;
    mutable std::mutex m_mutex;
    std::exception_ptr m_exception;
    StopSource m_stop;
};

/// Returns the endpoint of a device of this process: talks to the others of this process through `transport`,
/// to those of other processes through `remote` (which may be null when there are none). Large copies are
/// divided among `workers`. All three must outlive it. `remote` is never asked to add: what a sum gets from
/// other processes is received into a buffer and added here in its turn.
std::unique_ptr<Endpoint> makeThreadEndpoint(int device, LocalTransport& transport, WorkerPool& workers,
                                             RemoteLink* remote);

}  // namespace meshreel
