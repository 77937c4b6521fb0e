// SPDX-License-Identifier: GPL-3.0-or-later
// How long rotations take on devices that stand in a line, joined by links of limited bandwidth. Time is
// counted, not measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "engine/attention/key_rotation.h"

namespace meshreel {
namespace {

/// Two directed links between neighbours: each carries one message at a time, one byte in one unit of time. A
/// message to a device further away is passed on by those in between once they have all of it.
class LineOfLinks {
  public:
    /// When the sender is rid of it.
    double post(int from, int to, const ConstBlock& block, double now) {
        const std::lock_guard lock(m_mutex);
        const int step = to > from ? 1 : -1;
        const auto bytes = static_cast<double>(block.bytes());
        double sent = 0;
        double time = now;
        for (int device = from; device != to; device += step) {
            double& freeAt = m_freeAt[{device, device + step}];
            time = std::max(time, freeAt) + bytes;
            freeAt = time;
            if (device == from)
                sent = time;
        }
        m_messages[{from, to}].push_back({time, {block.data, block.data + block.bytes()}});
        m_news.notify_all();
        return sent;
    }

    /// When it has arrived.
    double take(int from, int to, const Block& block) {
        std::unique_lock lock(m_mutex);
        auto& queue = m_messages[{from, to}];
        m_news.wait(lock, [&] { return !queue.empty(); });
        const Message message = std::move(queue.front());
        queue.pop_front();
        std::ranges::copy(message.bytes, block.data);
        return message.arrival;
    }

  private:
    struct Message {
        double arrival;
        std::vector<std::byte> bytes;
    };

    std::mutex m_mutex;
    std::condition_variable m_news;
    std::map<std::pair<int, int>, double> m_freeAt;
    std::map<std::pair<int, int>, std::deque<Message>> m_messages;
};

/// A device of the line, which computes in no time.
class LinkedEndpoint final : public Endpoint {
  public:
    LinkedEndpoint(LineOfLinks& line, int device) : m_line(line), m_device(device) {}

    [[nodiscard]] int device() const override { return m_device; }

    [[nodiscard]] std::shared_ptr<Transfer> start(std::span<const Send> sends,
                                                  std::span<const Receive> receives) override {
        double sent = m_now;
        for (const Send& send : sends)
            sent = std::max(sent, m_line.post(m_device, send.to, send.block, m_now));
        return std::make_shared<LinkedTransfer>(*this, sent, receives);
    }

    void copy(const ConstBlock& from, const Block& to) override { copyBlock(from, to); }
    [[nodiscard]] TransferCounters counters() const override { return {}; }
    [[nodiscard]] double now() const { return m_now; }

  private:
    class LinkedTransfer final : public Transfer {
      public:
        LinkedTransfer(LinkedEndpoint& endpoint, double sent, std::span<const Receive> receives)
            : m_endpoint(endpoint), m_sent(sent), m_receives(receives.begin(), receives.end()) {}

        void wait() override {
            m_endpoint.m_now = std::max(m_endpoint.m_now, m_sent);
            for (const Receive& receive : m_receives)
                m_endpoint.m_now =
                    std::max(m_endpoint.m_now,
                             m_endpoint.m_line.take(receive.from, m_endpoint.m_device, receive.block));
        }

      private:
        LinkedEndpoint& m_endpoint;
        double m_sent;
        std::vector<Receive> m_receives;
    };

    LineOfLinks& m_line;
    int m_device;
    double m_now = 0;
};

/// Of the last device, in hop times: those of a pair of keys and values over one link.
double hopTimes(decltype(&rotateKeys) rotate, int devices) {
    constexpr std::int64_t tokens = 3;
    constexpr std::int64_t features = 4;
    std::vector<ShardRange> ranges;
    std::vector<int> members(static_cast<std::size_t>(devices));
    std::iota(members.begin(), members.end(), 0);
    for (int device = 0; device < devices; ++device)
        ranges.push_back({device * tokens, (device + 1) * tokens});
    LineOfLinks line;
    std::vector<double> ends(members.size());
    std::vector<std::jthread> threads;
    for (const int device : members)
        threads.emplace_back([&, device] {
            LinkedEndpoint endpoint(line, device);
            Communicator all(endpoint, members);
            const KeyShard own{.tokens = ranges[static_cast<std::size_t>(device)],
                               .key = {Tensor::zeros({1, tokens, 1, features})},
                               .value = {Tensor::zeros({1, tokens, 1, features})}};
            ScratchArena scratch;
            rotate(all, own, ranges, RingReads(devices), scratch, nullptr, [](const KeyShard&) {});
            ends[static_cast<std::size_t>(device)] = endpoint.now();
        });
    threads.clear();
    return std::ranges::max(ends) / static_cast<double>(2 * tokens * features * sizeof(float));
}

TEST(LineOfLinks, BothWaysTakeOneHopTimeLessThanThereAreDevices) {
    for (const int devices : {2, 3, 4, 5, 8})
        EXPECT_DOUBLE_EQ(hopTimes(rotateKeysBothWays, devices), devices - 1) << devices << " devices";
}

TEST(LineOfLinks, ARingWaitsForWhatCrossesTheWholeLine) {
    EXPECT_DOUBLE_EQ(hopTimes(rotateKeys, 2), 1);
    for (const int devices : {3, 4, 5, 8})
        EXPECT_GT(hopTimes(rotateKeys, devices), hopTimes(rotateKeysBothWays, devices))
            << devices << " devices";
}

}  // namespace
}  // namespace meshreel
