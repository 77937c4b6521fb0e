// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/thread_transport.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace meshreel {
namespace {

/// What belongs to a device, for its transfers.
struct DeviceSide {
    int device;
    MessageBoard& board;
    Copier copier;
    RemoteLink* remote;
    double waitSeconds = 0;
    std::int64_t remoteBytes = 0;
};

/// Adds the seconds that it lives.
class SecondsAdder {
  public:
    explicit SecondsAdder(double& seconds) : m_seconds(seconds) {}
    ~SecondsAdder() {
        m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }
    SecondsAdder(const SecondsAdder&) = delete;
    SecondsAdder& operator=(const SecondsAdder&) = delete;

  private:
    double& m_seconds;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

class ThreadTransfer final : public Transfer {
  public:
    explicit ThreadTransfer(DeviceSide& side) : m_side(side) {}
    ~ThreadTransfer() override;
    ThreadTransfer(const ThreadTransfer&) = delete;
    ThreadTransfer& operator=(const ThreadTransfer&) = delete;

    /// To be called once. When it throws, the destructor withdraws what was started.
    void start(const std::vector<Send>& sends, const std::vector<Receive>& receives);

    void wait() override;

  private:
    /// A summand that is added to `target` once everything has arrived.
    struct Summand {
        std::unique_ptr<std::byte[]> bytes;
        Block target;
    };

    Receive stage(const Receive& receive);
    void expect(const Receive& receive);
    void waitForRemote();
    void addStaged();

    DeviceSide& m_side;
    std::vector<MessagePtr> m_sends;
    std::vector<MessagePtr> m_receives;
    std::vector<Summand> m_staged;
    std::vector<Receive> m_remoteReceives;
    std::unique_ptr<Transfer> m_remote;
};

void ThreadTransfer::start(const std::vector<Send>& sends, const std::vector<Receive>& receives) {
    m_sends.reserve(sends.size());
    m_receives.reserve(receives.size());
    // Who waits for a summand of a neighbour must not depend on when the link delivers the one before it.
    const bool staged = std::ranges::any_of(
        receives, [this](const Receive& receive) { return !m_side.board.has(receive.from); });
    for (const Receive& receive : receives)
        expect(staged && receive.combine == Combine::AddFloats ? stage(receive) : receive);
    std::vector<Send> remoteSends;
    for (const Send& send : sends) {
        if (m_side.board.has(send.to))
            m_sends.push_back(m_side.board.offer(send, m_side.device));
        else
            remoteSends.push_back(send);
    }
    if (!remoteSends.empty() || !m_remoteReceives.empty())
        m_remote = m_side.remote->start(m_side.device, std::move(remoteSends), m_remoteReceives);
}

Receive ThreadTransfer::stage(const Receive& receive) {
    const std::int64_t bytes = receive.block.bytes();
    Summand& summand = m_staged.emplace_back(
        Summand{std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)), receive.block});
    return {.from = receive.from, .block = {summand.bytes.get(), bytes}};
}

void ThreadTransfer::expect(const Receive& receive) {
    if (!m_side.board.has(receive.from)) {
        m_remoteReceives.push_back(receive);
        return;
    }
    Message* previous = m_receives.empty() ? nullptr : m_receives.back().get();
    m_receives.push_back(m_side.board.expect(receive, m_side.device, previous));
}

ThreadTransfer::~ThreadTransfer() {
    m_remote.reset();
    m_side.board.withdraw(m_side.device, m_sends);
    m_side.board.withdraw(m_side.device, m_receives);
}

void ThreadTransfer::wait() {
    const SecondsAdder timer(m_side.waitSeconds);
    if (m_remote)
        waitForRemote();
    m_side.board.wait(m_side.device, m_receives, m_sends, m_side.copier);
    addStaged();
}

void ThreadTransfer::waitForRemote() {
    m_side.board.progress(m_receives, m_sends, m_side.copier);
    m_remote->wait();
    m_remote.reset();
    m_side.board.noteProgress();
    for (const Receive& receive : m_remoteReceives)
        m_side.remoteBytes += receive.block.bytes();
}

void ThreadTransfer::addStaged() {
    if (m_staged.empty())
        return;
    const SecondsAdder timer(m_side.copier.seconds);
    for (const Summand& summand : m_staged)
        copyBlock({summand.bytes.get(), summand.target.bytes()}, summand.target, Combine::AddFloats,
                  m_side.copier.workers);
    m_staged.clear();
}

class ThreadEndpoint final : public Endpoint {
  public:
    explicit ThreadEndpoint(const DeviceSide& side) : m_side(side) {}

    [[nodiscard]] int device() const override { return m_side.device; }

    [[nodiscard]] std::unique_ptr<Transfer> start(std::vector<Send> sends,
                                                  std::vector<Receive> receives) override {
        auto transfer = std::make_unique<ThreadTransfer>(m_side);
        transfer->start(sends, receives);
        return transfer;
    }

    void copy(const ConstBlock& from, const Block& to) override {
        copyBlock(from, to, Combine::Replace, m_side.copier.workers);
    }

    [[nodiscard]] TransferCounters counters() const override {
        return {.bytesReceived = m_side.board.bytesReceived(m_side.device) + m_side.remoteBytes,
                .waitSeconds = m_side.waitSeconds,
                .copySeconds = m_side.copier.seconds};
    }

  private:
    DeviceSide m_side;
};

}  // namespace

std::unique_ptr<Endpoint> makeThreadEndpoint(int device, MessageBoard& board, WorkerPool& workers,
                                             RemoteLink* remote) {
    return std::make_unique<ThreadEndpoint>(
        DeviceSide{.device = device, .board = board, .copier = {workers}, .remote = remote});
}

}  // namespace meshreel
