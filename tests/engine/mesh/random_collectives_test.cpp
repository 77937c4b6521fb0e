// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/communicator.h"
#include "tests/support/loopback_link.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using Random = std::mt19937_64;

int between(Random& random, int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
}

bool oneIn(Random& random, int chances) {
    return between(random, 1, chances) == 1;
}

/// Ends the test program, naming the round, when nobody in it does anything any more: a test must not hang.
/// Idleness is told by CPU time, so that a machine busy with other things is not taken for a deadlock.
class Watchdog {
  public:
    void roundBegins(std::uint64_t seed) { m_seed = seed; }

  private:
    static constexpr std::chrono::seconds patience{60};
    static constexpr std::chrono::milliseconds glance{100};
    static constexpr std::clock_t noticeable = CLOCKS_PER_SEC / 2;

    void watch(const std::stop_token& stop) {
        std::clock_t used = std::clock();
        auto lastBusy = std::chrono::steady_clock::now();
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(glance);
            const auto now = std::chrono::steady_clock::now();
            if (std::clock() - used > noticeable) {
                used = std::clock();
                lastBusy = now;
            } else if (now - lastBusy > patience) {
                std::fprintf(stderr, "deadlock in the round of seed %llu\n",
                             static_cast<unsigned long long>(m_seed.load()));
                std::abort();
            }
        }
    }

    std::atomic<std::uint64_t> m_seed = 0;
    std::jthread m_thread{[this](const std::stop_token& stop) { watch(stop); }};
};

enum class Kind { AllToAll, Shift, AllGather, ReduceScatter, Broadcast, AllReduceSum, AllReduceMax, Barrier };

constexpr int kinds = 8;

/// One collective that every device takes part in, each with the others of its group.
struct Step {
    Kind kind = Kind::Barrier;
    int length = 0;                        ///< values per part
    int hops = 0;                          ///< of a shift
    Communicator::Shape shape{};           ///< of a shift
    std::uint64_t rootSeed = 0;            ///< of a broadcast
    std::vector<std::vector<int>> groups;  ///< device numbers
};

Step randomStep(Random& random, int devices) {
    Step step;
    step.kind = static_cast<Kind>(between(random, 0, kinds - 1));
    // Now and then longer than what a sum gathers, and than what a team shares out.
    step.length = oneIn(random, 40) ? between(random, 1'000, 300'000) : between(random, 0, 50);
    step.hops = between(random, -devices, devices);
    step.shape = oneIn(random, 2) ? Communicator::Shape::Ring : Communicator::Shape::Line;
    step.rootSeed = random();
    std::vector<int> order(static_cast<std::size_t>(devices));
    for (int device = 0; device < devices; ++device)
        order[static_cast<std::size_t>(device)] = device;
    std::ranges::shuffle(order, random);
    step.groups.emplace_back();
    for (const int device : order) {
        if (!step.groups.back().empty() && oneIn(random, 5))
            step.groups.emplace_back();
        step.groups.back().push_back(device);
    }
    return step;
}

struct Round {
    std::uint64_t seed = 0;
    int devices = 1;
    int processes = 1;
    int workers = 1;
    std::vector<Step> steps;
    int failingDevice = -1;  ///< -1: none
    int failingStep = 0;
};

Round randomRound(std::uint64_t seed) {
    Random random(seed);
    Round round;
    round.seed = seed;
    round.devices = between(random, 1, 8);
    round.processes = oneIn(random, 4) ? between(random, 1, std::min(3, round.devices)) : 1;
    round.workers = between(random, 1, 2);
    const int steps = between(random, 20, 60);
    for (int i = 0; i < steps; ++i)
        round.steps.push_back(randomStep(random, round.devices));
    if (oneIn(random, 4)) {
        round.failingDevice = between(random, 0, round.devices - 1);
        round.failingStep = between(random, 0, steps - 1);
    }
    return round;
}

/// What a device contributes: small integers, whose sums are exact in any order.
float valueOf(std::size_t step, int from, int to, int index) {
    return static_cast<float>((static_cast<int>(step) * 31 + from * 7 + to * 3 + index) % 1'000);
}

/// One device's part of a step: its memory, and what must have come out of it.
class Participant {
  public:
    Participant(Communicator& group, const Step& step, std::size_t number)
        : m_group(group), m_step(step), m_number(number) {}

    /// Whole for collectives that have no started form.
    void start() {
        switch (m_step.kind) {
            case Kind::AllToAll:
                m_pending = m_group.startAllToAll(outgoing(), incoming());
                break;
            case Kind::Shift:
                m_pending = m_group.startShift(m_step.hops, m_step.shape, outgoing()[0], incoming()[0]);
                break;
            case Kind::AllGather:
                m_pending = m_group.startAllGather(outgoing()[0], incoming());
                break;
            case Kind::ReduceScatter:
                startReduceScatter();
                break;
            case Kind::Broadcast:
                startBroadcast();
                break;
            case Kind::AllReduceSum:
            case Kind::AllReduceMax:
                reduce();
                break;
            case Kind::Barrier:
                m_pending = m_group.startBarrier();
                break;
        }
    }

    void wait() {
        m_pending.wait();
        for (int part = 0; part < static_cast<int>(m_received.size()); ++part)
            for (int i = 0; i < m_step.length; ++i)
                require(m_received[static_cast<std::size_t>(part)][static_cast<std::size_t>(i)],
                        expected(part, i));
    }

  private:
    using Parts = std::vector<std::vector<float>>;

    /// Values for every position, from this one.
    std::vector<ConstBlock> outgoing() {
        std::vector<ConstBlock> blocks;
        for (int to = 0; to < m_group.size(); ++to)
            m_sent.push_back(contribution(m_group.position(), to));
        for (const std::vector<float>& values : m_sent)
            blocks.push_back(toBlock(std::span(values)));
        return blocks;
    }

    std::vector<Block> incoming() {
        const bool one = m_step.kind == Kind::Shift;
        m_received.resize(one ? 1 : m_group.members().size());
        std::vector<Block> blocks;
        for (std::vector<float>& values : m_received) {
            values.assign(static_cast<std::size_t>(m_step.length), -1.0F);
            blocks.push_back(toBlock(std::span(values)));
        }
        return blocks;
    }

    void startReduceScatter() {
        (void)outgoing();
        const std::vector<std::span<const float>> slices(m_sent.begin(), m_sent.end());
        m_received.emplace_back(static_cast<std::size_t>(m_step.length));
        m_pending = m_group.startReduceScatter(slices, m_received[0]);
    }

    void startBroadcast() {
        m_received.push_back(contribution(m_group.position(), 0));
        m_pending = m_group.startBroadcast(root(), toBlock(std::span(m_received[0])));
    }

    void reduce() {
        m_received.push_back(contribution(m_group.position(), 0));
        if (m_step.kind == Kind::AllReduceSum)
            m_group.allReduceSum(m_received[0]);
        else
            m_group.allReduceMax(m_received[0]);
    }

    [[nodiscard]] float value(int from, int to, int index) const {
        return valueOf(m_number, m_group.members()[static_cast<std::size_t>(from)], to, index);
    }

    [[nodiscard]] std::vector<float> contribution(int from, int to) const {
        std::vector<float> values(static_cast<std::size_t>(m_step.length));
        for (int i = 0; i < m_step.length; ++i)
            values[static_cast<std::size_t>(i)] = value(from, to, i);
        return values;
    }

    [[nodiscard]] int root() const {
        return static_cast<int>(m_step.rootSeed % static_cast<std::uint64_t>(m_group.size()));
    }

    [[nodiscard]] float expected(int part, int index) const {
        const int self = m_group.position();
        switch (m_step.kind) {
            case Kind::AllToAll:
                return value(part, self, index);
            case Kind::Shift:
                return shifted(index);
            case Kind::AllGather:
                return value(part, 0, index);
            case Kind::ReduceScatter:
                return combined(self, index, std::plus<>());
            case Kind::Broadcast:
                return value(root(), 0, index);
            case Kind::AllReduceSum:
                return combined(0, index, std::plus<>());
            case Kind::AllReduceMax:
                return combined(0, index, [](float a, float b) { return std::max(a, b); });
            case Kind::Barrier:
                break;
        }
        return 0;
    }

    [[nodiscard]] float shifted(int index) const {
        const int size = m_group.size();
        int from = m_group.position() - m_step.hops;
        if (m_step.shape == Communicator::Shape::Ring)
            from = (from % size + size) % size;
        return from >= 0 && from < size ? value(from, 0, index) : -1.0F;
    }

    template <typename Operation>
    [[nodiscard]] float combined(int to, int index, Operation operation) const {
        float result = value(0, to, index);
        for (int from = 1; from < m_group.size(); ++from)
            result = operation(result, value(from, to, index));
        return result;
    }

    void require(float received, float wanted) const {
        if (received != wanted)
            throw Error(ErrorKind::Mismatch, "a collective gave " + std::to_string(received) +
                                                 " instead of " + std::to_string(wanted));
    }

    Communicator& m_group;
    const Step& m_step;
    std::size_t m_number;
    Parts m_sent;
    Parts m_received;
    Pending m_pending;
};

void delay(Random& random) {
    switch (between(random, 0, 30)) {
        case 0:
            std::this_thread::sleep_for(std::chrono::microseconds(between(random, 1, 300)));
            break;
        case 1:
        case 2:
        case 3:
            std::this_thread::yield();
            break;
        default:
            break;
    }
}

std::vector<int> groupOf(const Step& step, int device) {
    for (const std::vector<int>& group : step.groups)
        if (std::ranges::find(group, device) != group.end())
            return group;
    return {};
}

/// What a device does: starts every step, waits for them at once or later, in any order.
void runSteps(Device& device, const Round& round) {
    Random random(round.seed * 1'000 + static_cast<std::uint64_t>(device.index()));
    std::vector<std::unique_ptr<Participant>> started;
    const auto waitForAny = [&] {
        const auto which = started.begin() + between(random, 0, static_cast<int>(started.size()) - 1);
        const std::unique_ptr<Participant> participant = std::move(*which);
        started.erase(which);
        participant->wait();
    };
    for (std::size_t number = 0; number < round.steps.size(); ++number) {
        delay(random);
        if (device.index() == round.failingDevice && static_cast<int>(number) == round.failingStep)
            throw Error(ErrorKind::Resources, "injected");
        const Step& step = round.steps[number];
        auto participant = std::make_unique<Participant>(
            device.everyone().subgroup(groupOf(step, device.index())), step, number);
        participant->start();
        started.push_back(std::move(participant));
        while (!started.empty() && (started.size() > 6 || oneIn(random, 2)))
            waitForAny();
    }
    while (!started.empty())
        waitForAny();
}

/// What run() of a round's processes threw, by kind; -1 for nothing.
std::vector<int> outcomesOf(const Round& round) {
    const DeviceMeshOptions options{.layout = MeshLayout({.context = round.devices}),
                                    .workersPerDevice = round.workers};
    LoopbackProcesses processes(options, round.processes);
    std::vector<int> kindsThrown;
    for (const std::exception_ptr& failure :
         processes.run({}, [&](Device& device) { runSteps(device, round); })) {
        try {
            if (failure)
                std::rethrow_exception(failure);
            kindsThrown.push_back(-1);
        } catch (const Error& error) {
            kindsThrown.push_back(static_cast<int>(error.kind()));
        }
    }
    return kindsThrown;
}

TEST(RandomCollectives, TenThousandWithDelaysAndFailuresNeitherHangNorMix) {
    constexpr int wanted = 10'000;
    Watchdog watchdog;
    int collectives = 0;
    int failures = 0;
    for (std::uint64_t seed = 1; collectives < wanted; ++seed) {
        const Round round = randomRound(seed);
        watchdog.roundBegins(seed);
        const std::vector<int> outcomes = outcomesOf(round);
        if (round.failingDevice < 0) {
            for (const int outcome : outcomes)
                ASSERT_EQ(outcome, -1) << "seed " << seed;
            collectives += static_cast<int>(round.steps.size());
            continue;
        }
        ++failures;
        collectives += round.failingStep;
        // The process of the failing device tells what it threw, the others that a device failed. Those that
        // were done before may have noticed nothing.
        ASSERT_EQ(std::ranges::count(outcomes, static_cast<int>(ErrorKind::Resources)), 1) << "seed " << seed;
        for (const int outcome : outcomes)
            ASSERT_TRUE(outcome == -1 || outcome == static_cast<int>(ErrorKind::Resources) ||
                        outcome == static_cast<int>(ErrorKind::Device))
                << "seed " << seed;
    }
    EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace meshreel
