// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/local_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory_resource>
#include <utility>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/spin.h"

namespace meshreel {
namespace {

using State = Message::State;

bool done(const MessagePtr& message) {
    return message->state == State::Done;
}

bool canMove(const Message& message) {
    if (message.state != State::Open || !message.offered || !message.expected)
        return false;
    if (message.combine != Combine::AddFloats)
        return message.combine == Combine::Replace;  // a loan is the borrower's to take
    const Message* before = message.previous;
    while (before != nullptr && before->state == State::Done)
        before = before->previous;
    return before == nullptr;
}

/// `message`, or one of the receives that have to come before it; null when none can move now.
Message* movableTowards(Message& message) {
    if (message.state != State::Open)
        return nullptr;
    for (Message* candidate = &message; candidate != nullptr; candidate = candidate->previous)
        if (canMove(*candidate))
            return candidate;
    return nullptr;
}

Message* firstMovable(std::span<const MessagePtr> receives, std::span<const MessagePtr> sends) {
    for (const std::span<const MessagePtr> messages : {receives, sends})
        for (const MessagePtr& message : messages)
            if (Message* movable = movableTowards(*message))
                return movable;
    return nullptr;
}

void requireEqualSizes(const Message& message) {
    if (message.source.bytes() == message.target.bytes())
        return;
    throw Error(ErrorKind::Internal,
                fmt::format("device {} sends {} bytes where device {} expects {}", message.from,
                            message.source.bytes(), message.to, message.target.bytes()));
}

/// At least one of the transfers is not done.
Sentence stallText(int device, double seconds, std::span<const MessagePtr> receives,
                   std::span<const MessagePtr> sends) {
    if (const auto missing = std::ranges::find_if_not(receives, done); missing != receives.end())
        return sentence("device {} waited {:g} s for what device {} should send", device, seconds,
                        (*missing)->from);
    return sentence("device {} waited {:g} s for device {} to take what it was sent", device, seconds,
                    (*std::ranges::find_if_not(sends, done))->to);
}

[[noreturn]] void throwStalled(int device, std::chrono::milliseconds timeout,
                               std::span<const MessagePtr> receives, std::span<const MessagePtr> sends) {
    throw Error(
        ErrorKind::Device, stallText(device, std::chrono::duration<double>(timeout).count(), receives, sends),
        {}, sentence("Look why the other device hangs, or set stall_timeout higher when it is only slow"));
}

}  // namespace

LocalTransport::LocalTransport(const Options& options)
    : m_options(options), m_waiters(static_cast<std::size_t>(options.devices)), m_lastMoved(Clock::now()) {
    const auto devices = static_cast<std::size_t>(options.devices);
    m_channels.reserve(devices * devices);
    while (m_channels.size() < devices * devices)
        m_channels.emplace_back(&m_memory);
}

bool LocalTransport::has(int device) const {
    return device >= m_options.firstDevice && device < m_options.firstDevice + m_options.devices;
}

LocalTransport::Channel& LocalTransport::channel(int from, int to) {
    const int row = from - m_options.firstDevice;
    const int column = to - m_options.firstDevice;
    return m_channels[static_cast<std::size_t>(row * m_options.devices + column)];
}

MessagePtr LocalTransport::makeMessage() {
    return std::allocate_shared<Message>(std::pmr::polymorphic_allocator<Message>(&m_memory));
}

void LocalTransport::wake(int device) {
    Waiter& sleeper = waiter(device);
    sleeper.news.fetch_add(1, std::memory_order_relaxed);
    sleeper.parked.notify_all();
}

void LocalTransport::wakeAll() {
    for (Waiter& sleeper : m_waiters) {
        sleeper.news.fetch_add(1, std::memory_order_relaxed);
        sleeper.parked.notify_all();
    }
}

void LocalTransport::wakeEnds(const Message& message) {
    wake(message.from);
    wake(message.to);
    for (const Message* later = message.next; later != nullptr; later = later->next)
        if (later->combine == Combine::AddFloats)
            wake(later->from);
}

MessagePtr LocalTransport::offer(const Send& send, int from) {
    const std::lock_guard lock(m_mutex);
    Channel& way = channel(from, send.to);
    MessagePtr message;
    if (way.receives.empty()) {
        message = way.sends.emplace_back(makeMessage());
    } else {
        message = std::move(way.receives.front());
        way.receives.pop_front();
    }
    message->from = from;
    message->to = send.to;
    message->offered = true;
    message->source = send.block;
    if (message->expected && message->state == State::Open)
        wakeEnds(*message);
    return message;
}

MessagePtr LocalTransport::expect(const Receive& receive, int to, Message* previous) {
    const std::lock_guard lock(m_mutex);
    MessagePtr message;
    Channel& way = channel(receive.from, to);
    if (way.sends.empty()) {
        message = way.receives.emplace_back(makeMessage());
    } else {
        message = std::move(way.sends.front());
        way.sends.pop_front();
    }
    message->from = receive.from;
    message->to = to;
    message->expected = true;
    message->target = receive.block;
    message->combine = receive.combine;
    message->previous = previous;
    if (previous != nullptr)
        previous->next = message.get();
    if (message->offered && message->state == State::Open)
        wakeEnds(*message);
    return message;
}

void LocalTransport::move(Message& message, Copier& copier, std::unique_lock<std::mutex>& lock) {
    requireEqualSizes(message);
    message.state = State::Moving;
    lock.unlock();
    const Clock::time_point start = Clock::now();
    try {
        copyBlock(message.source, message.target, message.combine, copier.workers);
    } catch (...) {
        lock.lock();
        message.state = State::Withdrawn;
        wakeEnds(message);
        throw;
    }
    const Clock::time_point end = Clock::now();
    copier.seconds += std::chrono::duration<double>(end - start).count();
    lock.lock();
    message.state = State::Done;
    m_lastMoved = end;
    if (message.from != message.to)
        waiter(message.to).bytesReceived += message.target.bytes();
    wakeEnds(message);
}

void LocalTransport::progress(std::span<const MessagePtr> receives, std::span<const MessagePtr> sends,
                              Copier& copier) {
    std::unique_lock lock(m_mutex);
    throwIfFailed();
    while (Message* message = firstMovable(receives, sends))
        move(*message, copier, lock);
}

void LocalTransport::wait(int device, std::span<const MessagePtr> receives, std::span<const MessagePtr> sends,
                          Copier& copier) {
    const Clock::time_point since = Clock::now();
    std::unique_lock lock(m_mutex);
    while (true) {
        throwIfFailed();
        if (Message* message = firstMovable(receives, sends))
            move(*message, copier, lock);
        else if (std::ranges::all_of(receives, done) && std::ranges::all_of(sends, done))
            return;
        else
            park(device, since, lock, receives, sends);
    }
}

ConstBlock LocalTransport::borrow(int device, const MessagePtr& message) {
    const Clock::time_point since = Clock::now();
    std::unique_lock lock(m_mutex);
    while (true) {
        throwIfFailed();
        if (message->offered && message->state == State::Open) {
            requireEqualSizes(*message);
            message->state = State::Moving;
            m_lastMoved = Clock::now();
            waiter(device).bytesReceived += message->source.bytes();
            return message->source;
        }
        park(device, since, lock, {&message, 1}, {});
    }
}

void LocalTransport::giveBack(const MessagePtr& message) {
    const std::lock_guard lock(m_mutex);
    message->state = State::Done;
    m_lastMoved = Clock::now();
    wakeEnds(*message);
}

void LocalTransport::park(int device, Clock::time_point waitingSince, std::unique_lock<std::mutex>& lock,
                          std::span<const MessagePtr> receives, std::span<const MessagePtr> sends) {
    if (m_left)
        throw LeftBehind();
    Waiter& self = waiter(device);
    const std::uint64_t seen = self.news.load(std::memory_order_relaxed);
    if (m_options.spin) {
        lock.unlock();
        const bool changed = happensSoon([&] { return self.news.load(std::memory_order_relaxed) != seen; });
        lock.lock();
        if (changed)
            return;
    }
    const Clock::time_point stalled = std::max(waitingSince, m_lastMoved) + m_options.stallTimeout;
    const bool news = self.parked.wait_until(
        lock, stalled, [&] { return self.news.load(std::memory_order_relaxed) != seen; });
    if (!news && Clock::now() >= std::max(waitingSince, m_lastMoved) + m_options.stallTimeout)
        throwStalled(device, m_options.stallTimeout, receives, sends);
}

void LocalTransport::noteProgress() {
    const std::lock_guard lock(m_mutex);
    m_lastMoved = Clock::now();
}

void LocalTransport::withdraw(int device, std::span<const MessagePtr> messages) {
    std::unique_lock lock(m_mutex);
    if (std::ranges::all_of(messages, done))
        return;
    m_left = true;
    wakeAll();
    for (const MessagePtr& message : messages)
        if (message->state == State::Open)
            message->state = State::Withdrawn;
    waiter(device).parked.wait(lock, [&] {
        return std::ranges::none_of(
            messages, [](const MessagePtr& message) { return message->state == State::Moving; });
    });
}

bool LocalTransport::fail(const MeshFailure& failure) {
    const std::lock_guard lock(m_mutex);
    if (m_failure)
        return false;
    m_failure = failure;
    wakeAll();
    return true;
}

void LocalTransport::throwIfFailed() const {
    if (m_failure)
        throwForOthers(*m_failure);
}

std::int64_t LocalTransport::bytesReceived(int device) const {
    const std::lock_guard lock(m_mutex);
    return m_waiters[static_cast<std::size_t>(device - m_options.firstDevice)].bytesReceived;
}

std::string LocalTransport::unmatched() const {
    const std::lock_guard lock(m_mutex);
    if (m_left)
        return "a device left transfers unfinished and did not say why";
    for (std::size_t index = 0; index < m_channels.size(); ++index) {
        const Channel& way = m_channels[index];
        if (way.sends.empty() && way.receives.empty())
            continue;
        const int from = m_options.firstDevice + static_cast<int>(index) / m_options.devices;
        const int to = m_options.firstDevice + static_cast<int>(index) % m_options.devices;
        return fmt::format("{} transfers from device {} to device {} were started by one of them only",
                           way.sends.size() + way.receives.size(), from, to);
    }
    return {};
}

bool FailureLatch::keep(const MeshFailure& failure, std::exception_ptr exception) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_exception)
            return false;
        m_exception = std::move(exception);
    }
    m_transport.fail(failure);
    m_stop.request_stop();
    return true;
}

void FailureLatch::keep(const MeshFailure& failure) {
    try {
        throwForOthers(failure);
    } catch (...) {
        keep(failure, std::current_exception());
    }
}

void FailureLatch::rethrow() const {
    const std::lock_guard lock(m_mutex);
    if (m_exception)
        std::rethrow_exception(m_exception);
}

namespace {

/// What belongs to a device, for its transfers.
struct DeviceSide {
    int device;
    LocalTransport& transport;
    Copier copier;
    RemoteLink* remote;
    double waitSeconds = 0;
    std::int64_t remoteBytes = 0;
    std::pmr::unsynchronized_pool_resource memory = {};  ///< of transfers, reused by the next ones
};

/// Adds the seconds that it lives.
class SecondsAdder {
  public:
    explicit SecondsAdder(double& seconds) : m_seconds(seconds) {}
    ~SecondsAdder() { m_seconds += secondsSince(m_start); }
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

    /// Call once. When it throws, the destructor withdraws what was started.
    void start(std::span<const Send> sends, std::span<const Receive> receives);

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
    std::pmr::vector<MessagePtr> m_sends{&m_side.memory};
    std::pmr::vector<MessagePtr> m_receives{&m_side.memory};
    std::pmr::vector<Summand> m_staged{&m_side.memory};
    std::pmr::vector<Receive> m_remoteReceives{&m_side.memory};
    std::unique_ptr<Transfer> m_remote;
};

void ThreadTransfer::start(std::span<const Send> sends, std::span<const Receive> receives) {
    m_sends.reserve(sends.size());
    m_receives.reserve(receives.size());
    // Waiting for a neighbour's summand must not depend on when the link delivers the previous one.
    const bool staged = std::ranges::any_of(
        receives, [this](const Receive& receive) { return !m_side.transport.has(receive.from); });
    for (const Receive& receive : receives)
        expect(staged && receive.combine == Combine::AddFloats ? stage(receive) : receive);
    std::pmr::vector<Send> remoteSends(&m_side.memory);
    for (const Send& send : sends) {
        if (m_side.transport.has(send.to))
            m_sends.push_back(m_side.transport.offer(send, m_side.device));
        else
            remoteSends.push_back(send);
    }
    if (!remoteSends.empty() || !m_remoteReceives.empty())
        m_remote = m_side.remote->start(m_side.device, remoteSends, m_remoteReceives);
}

Receive ThreadTransfer::stage(const Receive& receive) {
    const std::int64_t bytes = receive.block.bytes();
    Summand& summand = m_staged.emplace_back(
        Summand{std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)), receive.block});
    return {.from = receive.from, .block = {summand.bytes.get(), bytes}};
}

void ThreadTransfer::expect(const Receive& receive) {
    if (!m_side.transport.has(receive.from)) {
        m_remoteReceives.push_back(receive);
        return;
    }
    Message* previous = m_receives.empty() ? nullptr : m_receives.back().get();
    m_receives.push_back(m_side.transport.expect(receive, m_side.device, previous));
}

ThreadTransfer::~ThreadTransfer() {
    m_remote.reset();
    m_side.transport.withdraw(m_side.device, m_sends);
    m_side.transport.withdraw(m_side.device, m_receives);
}

void ThreadTransfer::wait() {
    const SecondsAdder timer(m_side.waitSeconds);
    if (m_remote)
        waitForRemote();
    m_side.transport.wait(m_side.device, m_receives, m_sends, m_side.copier);
    addStaged();
}

void ThreadTransfer::waitForRemote() {
    m_side.transport.progress(m_receives, m_sends, m_side.copier);
    m_remote->wait();
    m_remote.reset();
    m_side.transport.noteProgress();
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

class ThreadLoans final : public Loans {
  public:
    explicit ThreadLoans(DeviceSide& side) : m_side(side) {}
    ~ThreadLoans() override;
    ThreadLoans(const ThreadLoans&) = delete;
    ThreadLoans& operator=(const ThreadLoans&) = delete;

    /// Call once. When it throws, the destructor withdraws what was started.
    void start(std::span<const Send> lent, std::span<const Borrow> borrowed);

    [[nodiscard]] ConstBlock borrow(std::size_t index) override;
    void giveBack(std::size_t index) override;
    void wait() override;

  private:
    DeviceSide& m_side;
    std::pmr::vector<MessagePtr> m_lent{&m_side.memory};
    std::pmr::vector<MessagePtr> m_borrowed{&m_side.memory};
    std::pmr::vector<bool> m_held = std::pmr::vector<bool>(&m_side.memory);  // of those borrowed
};

void ThreadLoans::start(std::span<const Send> lent, std::span<const Borrow> borrowed) {
    m_lent.reserve(lent.size());
    m_borrowed.reserve(borrowed.size());
    m_held.resize(borrowed.size());
    for (const Borrow& loan : borrowed)
        m_borrowed.push_back(m_side.transport.expect({.from = loan.from,
                                                      .block = {.data = nullptr, .rowBytes = loan.bytes},
                                                      .combine = Combine::Borrow},
                                                     m_side.device, nullptr));
    for (const Send& loan : lent)
        m_lent.push_back(m_side.transport.offer(loan, m_side.device));
}

ThreadLoans::~ThreadLoans() {
    for (std::size_t index = 0; index < m_held.size(); ++index)
        if (m_held[index])
            m_side.transport.giveBack(m_borrowed[index]);
    m_side.transport.withdraw(m_side.device, m_borrowed);
    m_side.transport.withdraw(m_side.device, m_lent);
}

ConstBlock ThreadLoans::borrow(std::size_t index) {
    const SecondsAdder timer(m_side.waitSeconds);
    const ConstBlock block = m_side.transport.borrow(m_side.device, m_borrowed[index]);
    m_held[index] = true;
    return block;
}

void ThreadLoans::giveBack(std::size_t index) {
    m_held[index] = false;
    m_side.transport.giveBack(m_borrowed[index]);
}

void ThreadLoans::wait() {
    const SecondsAdder timer(m_side.waitSeconds);
    m_side.transport.wait(m_side.device, m_borrowed, m_lent, m_side.copier);
}

class ThreadEndpoint final : public Endpoint {
  public:
    ThreadEndpoint(int device, LocalTransport& transport, WorkerPool& workers, RemoteLink* remote)
        : m_side{.device = device, .transport = transport, .copier = {workers}, .remote = remote} {}

    [[nodiscard]] int device() const override { return m_side.device; }

    [[nodiscard]] std::shared_ptr<Transfer> start(std::span<const Send> sends,
                                                  std::span<const Receive> receives) override {
        auto transfer = make<ThreadTransfer>();
        transfer->start(sends, receives);
        return transfer;
    }

    [[nodiscard]] bool sharesMemoryWith(int other) const override { return m_side.transport.has(other); }

    [[nodiscard]] std::shared_ptr<Loans> startLoans(std::span<const Send> lent,
                                                    std::span<const Borrow> borrowed) override {
        auto loans = make<ThreadLoans>();
        loans->start(lent, borrowed);
        return loans;
    }

    void copy(const ConstBlock& from, const Block& to) override {
        copyBlock(from, to, Combine::Replace, m_side.copier.workers);
    }

    [[nodiscard]] TransferCounters counters() const override {
        return {.bytesReceived = m_side.transport.bytesReceived(m_side.device) + m_side.remoteBytes,
                .waitSeconds = m_side.waitSeconds,
                .copySeconds = m_side.copier.seconds};
    }

  private:
    template <typename T>
    std::shared_ptr<T> make() {
        return std::allocate_shared<T>(std::pmr::polymorphic_allocator<T>(&m_side.memory), m_side);
    }

    DeviceSide m_side;
};

}  // namespace

std::unique_ptr<Endpoint> makeThreadEndpoint(int device, LocalTransport& transport, WorkerPool& workers,
                                             RemoteLink* remote) {
    return std::make_unique<ThreadEndpoint>(device, transport, workers, remote);
}

}  // namespace meshreel
