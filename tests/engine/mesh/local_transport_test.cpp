// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/local_transport.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;

/// Devices without a mesh around them.
class ThreadTransport : public ::testing::Test {
  protected:
    static constexpr int devices = 3;

    explicit ThreadTransport(std::chrono::milliseconds stallTimeout = 10s)
        : m_transport({.devices = devices, .stallTimeout = stallTimeout}) {
        for (int device = 0; device < devices; ++device)
            m_endpoints.push_back(makeThreadEndpoint(device, m_transport, m_workers, nullptr));
    }

    std::shared_ptr<Transfer> send(int from, int to, const std::vector<float>& values) {
        return endpoint(from).start(std::array{Send{.to = to, .block = toBlock(std::span(values))}}, {});
    }

    std::shared_ptr<Transfer> receive(int from, int to, std::vector<float>& values) {
        return endpoint(to).start({}, std::array{Receive{.from = from, .block = toBlock(std::span(values))}});
    }

    Endpoint& endpoint(int device) { return *m_endpoints[static_cast<std::size_t>(device)]; }
    LocalTransport& transport() { return m_transport; }

  private:
    WorkerPool m_workers{{.workers = 1}};
    LocalTransport m_transport;
    std::vector<std::unique_ptr<Endpoint>> m_endpoints;
};

/// With a stall timeout that tests wait for.
class ImpatientTransport : public ThreadTransport {
  protected:
    ImpatientTransport() : ThreadTransport(30ms) {}
};

ErrorKind kindThrownBy(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorKind::Internal;
}

TEST_F(ThreadTransport, MatchesInTheOrderOfStarts) {
    const std::vector<float> first{1};
    const std::vector<float> second{2};
    std::vector<float> received(2);
    std::vector<float> other(1);
    const auto send1 = send(0, 1, first);
    const auto elsewhere = send(0, 2, second);
    const auto send2 = send(0, 1, second);
    const auto receiving =
        endpoint(1).start({}, std::array{Receive{.from = 0, .block = toBlock(std::span(received).first(1))},
                                         Receive{.from = 0, .block = toBlock(std::span(received).last(1))}});
    receiving->wait();
    EXPECT_THAT(received, ElementsAre(1.0F, 2.0F));
    receive(0, 2, other)->wait();
    EXPECT_THAT(other, ElementsAre(2.0F));
}

TEST_F(ThreadTransport, AWaitNeedsOfTheOtherOnlyThatItStarted) {
    const std::vector<float> values{1, 2, 3};
    std::vector<float> received(3);
    const auto receiving = receive(0, 1, received);
    const auto sending = send(0, 1, values);
    sending->wait();  // device 1 waits for nothing
    EXPECT_EQ(received, values);
    receiving->wait();
    sending->wait();
}

TEST_F(ThreadTransport, WaitsMayBeInOppositeOrders) {
    const std::vector<float> first{1};
    const std::vector<float> second{2};
    std::vector<float> receivedFirst(1);
    std::vector<float> receivedSecond(1);
    const auto sends = std::async(std::launch::async, [&] {
        const auto a = send(0, 1, first);
        const auto b = send(0, 1, second);
        a->wait();
        b->wait();
    });
    const auto a = receive(0, 1, receivedFirst);
    const auto b = receive(0, 1, receivedSecond);
    b->wait();
    EXPECT_THAT(receivedSecond, ElementsAre(2.0F));
    a->wait();
    EXPECT_THAT(receivedFirst, ElementsAre(1.0F));
}

TEST_F(ThreadTransport, SummandsWaitForThoseListedBefore) {
    const std::vector<float> large{1.0e8F};
    const std::vector<float> small{3.0F};
    const std::vector<float> negative{-1.0e8F};
    std::vector<float> sum{0};
    const auto block = toBlock(std::span(sum));
    const auto receiving =
        endpoint(2).start(std::array{Send{.to = 2, .block = toBlock(std::span(negative))}},
                          std::array{Receive{.from = 0, .block = block},
                                     Receive{.from = 2, .block = block, .combine = Combine::AddFloats},
                                     Receive{.from = 1, .block = block, .combine = Combine::AddFloats}});
    const auto late = send(1, 2, small);
    auto waiting = std::async(std::launch::async, [&] { late->wait(); });
    EXPECT_EQ(waiting.wait_for(5ms), std::future_status::timeout);
    EXPECT_THAT(sum, ElementsAre(0.0F));
    const auto first = send(0, 2, large);
    waiting.get();  // the last sender brings in what comes before its own
    receiving->wait();
    EXPECT_THAT(sum, ElementsAre(3.0F));  // 0 in any other order
}

TEST_F(ThreadTransport, CountsPayloadOfOthersOnly) {
    const std::vector<float> values(4);
    std::vector<float> received(4);
    const auto own = send(1, 1, values);
    receive(1, 1, received)->wait();
    EXPECT_EQ(endpoint(1).counters().bytesReceived, 0);
    const auto other = send(0, 1, values);
    receive(0, 1, received)->wait();
    EXPECT_EQ(endpoint(1).counters().bytesReceived, 16);
    EXPECT_EQ(endpoint(0).counters().bytesReceived, 0);
    EXPECT_GT(endpoint(1).counters().waitSeconds, 0);
}

TEST_F(ThreadTransport, ALoanIsReadWhereItLiesAndEndsTheLendersWait) {
    const std::vector<float> values{1, 2, 3};
    const auto lent =
        endpoint(0).startLoans(std::array{Send{.to = 1, .block = toBlock(std::span(values))}}, {});
    const auto borrowed = endpoint(1).startLoans({}, std::array{Borrow{.from = 0, .bytes = 12}});
    EXPECT_EQ(static_cast<const void*>(borrowed->borrow(0).data), values.data());
    EXPECT_EQ(endpoint(1).counters().bytesReceived, 12);
    auto lender = std::async(std::launch::async, [&] { lent->wait(); });
    EXPECT_EQ(lender.wait_for(20ms), std::future_status::timeout) << "it is still read";
    borrowed->giveBack(0);
    lender.get();
    borrowed->wait();
    EXPECT_TRUE(endpoint(0).sharesMemoryWith(2));
    EXPECT_FALSE(endpoint(0).sharesMemoryWith(devices));
}

TEST_F(ThreadTransport, ALoanIsNeverCopied) {
    const std::vector<float> values{1};
    const auto borrowed = endpoint(1).startLoans({}, std::array{Borrow{.from = 0, .bytes = 4}});
    const auto lent =
        endpoint(0).startLoans(std::array{Send{.to = 1, .block = toBlock(std::span(values))}}, {});
    auto lender = std::async(std::launch::async, [&] { lent->wait(); });
    EXPECT_EQ(lender.wait_for(20ms), std::future_status::timeout);
    EXPECT_EQ(static_cast<const void*>(borrowed->borrow(0).data), values.data());
    borrowed->giveBack(0);
    lender.get();
}

TEST_F(ThreadTransport, ALenderThatLeavesWaitsForItsReaders) {
    const std::vector<float> values{1};
    auto lent = endpoint(0).startLoans(std::array{Send{.to = 1, .block = toBlock(std::span(values))}}, {});
    auto borrowed = endpoint(1).startLoans({}, std::array{Borrow{.from = 0, .bytes = 4}});
    static_cast<void>(borrowed->borrow(0));
    auto leaving = std::async(std::launch::async, [&] { lent.reset(); });
    EXPECT_EQ(leaving.wait_for(20ms), std::future_status::timeout);
    borrowed.reset();  // gives back what it holds
    leaving.get();
}

TEST_F(ThreadTransport, TellsCopyingFromStandingStill) {
    const std::vector<float> values(1 << 20);
    std::vector<float> received(values.size());
    const auto receiving = receive(0, 1, received);
    const auto sending = send(0, 1, values);
    const auto start = std::chrono::steady_clock::now();
    receiving->wait();  // copies
    sending->wait();    // finds it copied
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const TransferCounters receiver = endpoint(1).counters();
    const TransferCounters sender = endpoint(0).counters();
    EXPECT_GT(receiver.copySeconds, 0);
    EXPECT_LE(receiver.copySeconds, receiver.waitSeconds);
    EXPECT_EQ(sender.copySeconds, 0);
    EXPECT_GT(sender.waitSeconds, 0);
    EXPECT_LE(receiver.waitSeconds + sender.waitSeconds, elapsed.count());
}

TEST_F(ThreadTransport, DifferentSizesAreADefect) {
    const std::vector<float> values(4);
    std::vector<float> received(5);
    const auto sending = send(0, 1, values);
    const auto receiving = receive(0, 1, received);
    EXPECT_EQ(kindThrownBy([&] { receiving->wait(); }), ErrorKind::Internal);
}

TEST_F(ThreadTransport, AFailureEndsEveryWait) {
    std::vector<float> received(1);
    const auto receiving = receive(0, 1, received);
    auto waiting = std::async(std::launch::async, [&] { receiving->wait(); });
    std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(transport().fail({.device = 2, .host = {}, .reason = "out of luck"}));
    EXPECT_FALSE(transport().fail({.device = 1, .host = {}, .reason = "too late"}));
    try {
        waiting.get();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_THAT(error.problem(), testing::Names("2", "out of luck"));
    }
}

TEST_F(ThreadTransport, NobodyReadsWhatWasWithdrawn) {
    std::vector<float> received(2, -1.0F);
    {
        const std::vector<float> gone{1, 2};
        (void)send(0, 1, gone);
    }
    const auto receiving = receive(0, 1, received);
    EXPECT_THROW(receiving->wait(), LeftBehind);
    EXPECT_THAT(received, Each(-1.0F));
}

TEST_F(ThreadTransport, NobodyWritesWhereAReceiveWasWithdrawn) {
    const std::vector<float> values{1, 2};
    std::vector<float> received(2, -1.0F);
    (void)receive(0, 1, received);
    const auto sending = send(0, 1, values);
    EXPECT_THROW(sending->wait(), LeftBehind);
    EXPECT_THAT(received, Each(-1.0F));
}

TEST_F(ThreadTransport, LaterTransfersDoNotTakeTheWithdrawnOnesPlace) {
    const std::vector<float> values{1};
    std::vector<float> gone(1, -1.0F);
    std::vector<float> received(1, -1.0F);
    (void)receive(0, 1, gone);
    const auto receiving = receive(0, 1, received);
    const auto first = send(0, 1, values);
    EXPECT_THROW(receiving->wait(), LeftBehind);
    EXPECT_THAT(received, Each(-1.0F));
}

TEST_F(ThreadTransport, ASenderThatLeavesLetsACopyInProgressEnd) {
    constexpr std::size_t length = 1 << 20;
    for (int round = 0; round < 20; ++round) {
        std::vector<float> received(length, -1.0F);
        auto memory = std::make_unique<std::vector<float>>(length, 7.0F);
        auto sending = send(0, 1, *memory);
        const auto receiving = receive(0, 1, received);
        auto taking = std::async(std::launch::async, [&] {
            try {
                receiving->wait();
                return true;
            } catch (const LeftBehind&) {
                return false;
            }
        });
        std::this_thread::sleep_for(std::chrono::microseconds(37 * round));
        sending.reset();
        memory->assign(length, 9.0F);  // whoever still copied would take these
        memory.reset();
        const bool taken = taking.get();
        const float wanted = taken ? 7.0F : -1.0F;
        EXPECT_TRUE(std::ranges::all_of(received, [wanted](float value) { return value == wanted; }));
        if (!taken)
            return;  // nothing matches after a withdrawal
    }
}

TEST_F(ImpatientTransport, SaysWhoIsWaitedFor) {
    const std::vector<float> values{1};
    const auto sending = send(0, 2, values);
    try {
        sending->wait();
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(testing::valuesOf(error.message()), ::testing::ElementsAre("0", "0.03", "2"));
    }
}

}  // namespace
}  // namespace meshreel
