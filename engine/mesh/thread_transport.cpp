// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/thread_transport.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// What belongs to a device, for its transfers.
struct DeviceSide {
    int device;
    MessageBoard& board;
    WorkerPool& workers;
    RemoteLink* remote;
    double waitSeconds = 0;
};

class WaitTimer {
  public:
    explicit WaitTimer(double& seconds) : m_seconds(seconds) {}
    ~WaitTimer() {
        m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }
    WaitTimer(const WaitTimer&) = delete;
    WaitTimer& operator=(const WaitTimer&) = delete;

  private:
    double& m_seconds;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

class ThreadTransfer final : public Transfer {
  public:
    ThreadTransfer(DeviceSide& side, const std::vector<Send>& sends, const std::vector<Receive>& receives);
    ~ThreadTransfer() override;
    ThreadTransfer(const ThreadTransfer&) = delete;
    ThreadTransfer& operator=(const ThreadTransfer&) = delete;

    void wait() override;

  private:
    /// A sum's summand that comes from another process.
    struct Staged {
        Message* message;
        std::unique_ptr<std::byte[]> bytes;
    };

    Receive remoteReceive(const Receive& receive, Message& message);
    void waitForRemote();

    DeviceSide& m_side;
    std::vector<MessagePtr> m_sends;
    std::vector<MessagePtr> m_receives;
    std::vector<Staged> m_staged;
    std::vector<Message*> m_direct;  // received from other processes right where they belong
    std::unique_ptr<Transfer> m_remote;
};

ThreadTransfer::ThreadTransfer(DeviceSide& side, const std::vector<Send>& sends,
                               const std::vector<Receive>& receives)
    : m_side(side) {
    std::vector<Send> remoteSends;
    std::vector<Receive> remoteReceives;
    for (const Receive& receive : receives) {
        Message* previous = m_receives.empty() ? nullptr : m_receives.back().get();
        m_receives.push_back(side.board.expect(receive, side.device, previous));
        if (!side.board.has(receive.from))
            remoteReceives.push_back(remoteReceive(receive, *m_receives.back()));
    }
    for (const Send& send : sends) {
        if (side.board.has(send.to))
            m_sends.push_back(side.board.offer(send, side.device));
        else
            remoteSends.push_back(send);
    }
    if (!remoteSends.empty() || !remoteReceives.empty())
        m_remote = side.remote->start(side.device, std::move(remoteSends), std::move(remoteReceives));
}

Receive ThreadTransfer::remoteReceive(const Receive& receive, Message& message) {
    if (receive.combine == Combine::Replace) {
        m_direct.push_back(&message);
        return receive;
    }
    const std::int64_t bytes = receive.block.bytes();
    Staged& staged = m_staged.emplace_back(
        &message, std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
    return {.from = receive.from, .block = {staged.bytes.get(), bytes}};
}

ThreadTransfer::~ThreadTransfer() {
    m_remote.reset();
    m_side.board.withdraw(m_side.device, m_sends);
    m_side.board.withdraw(m_side.device, m_receives);
}

void ThreadTransfer::wait() {
    const WaitTimer timer(m_side.waitSeconds);
    if (m_remote)
        waitForRemote();
    m_side.board.wait(m_side.device, m_receives, m_sends, m_side.workers);
}

void ThreadTransfer::waitForRemote() {
    m_side.board.progress(m_receives, m_sends, m_side.workers);
    m_remote->wait();
    m_remote.reset();
    for (Message* message : m_direct)
        m_side.board.arrived(*message);
    for (const Staged& staged : m_staged)
        m_side.board.supply(*staged.message, {staged.bytes.get(), staged.message->target.bytes()});
}

class ThreadEndpoint final : public Endpoint {
  public:
    explicit ThreadEndpoint(const DeviceSide& side) : m_side(side) {}

    [[nodiscard]] int device() const override { return m_side.device; }

    [[nodiscard]] std::unique_ptr<Transfer> start(std::vector<Send> sends,
                                                  std::vector<Receive> receives) override {
        return std::make_unique<ThreadTransfer>(m_side, sends, receives);
    }

    void copy(const ConstBlock& from, const Block& to) override {
        copyBlock(from, to, Combine::Replace, m_side.workers);
    }

    [[nodiscard]] TransferCounters counters() const override {
        return {m_side.board.bytesReceived(m_side.device), m_side.waitSeconds};
    }

  private:
    DeviceSide m_side;
};

}  // namespace

std::unique_ptr<Endpoint> makeThreadEndpoint(int device, MessageBoard& board, WorkerPool& workers,
                                             RemoteLink* remote) {
    return std::make_unique<ThreadEndpoint>(DeviceSide{device, board, workers, remote});
}

}  // namespace meshreel
