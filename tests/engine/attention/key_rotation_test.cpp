// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/key_rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include "engine/base/error.h"
#include "engine/mesh/device_mesh.h"
#include "engine/tensor/tensor_memory.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using Rotate = decltype(&rotateKeys);

int readRing(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
             const RingReads& reads, ScratchArena&, Trace* trace, const KeyVisitor& visit) {
    return readKeysInPlace(ring, ringOrder(ring.position(), ring.size()), own, ranges, reads, trace, visit);
}

int readLine(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
             const RingReads& reads, ScratchArena&, Trace* trace, const KeyVisitor& visit) {
    return readKeysInPlace(line, lineOrder(line.position(), line.size()), own, ranges, reads, trace, visit);
}

/// Which shards each device saw, in order.
using Visits = std::vector<std::vector<int>>;

/// `length` tokens whose keys hold their place in the sequence and whose values hold its opposite.
Visits visitsOf(Rotate rotate, int devices, std::int64_t length) {
    Visits visits(static_cast<std::size_t>(devices));
    std::vector<ShardRange> ranges;
    for (int device = 0; device < devices; ++device)
        ranges.push_back(shardRange(length, devices, device));
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const auto index = static_cast<std::size_t>(device.index());
        const ShardRange tokens = ranges[index];
        KeyShard own{.tokens = tokens,
                     .key = {Tensor::empty({1, tokens.size(), 1, 1})},
                     .value = {Tensor::empty({1, tokens.size(), 1, 1})}};
        for (std::int64_t token = tokens.begin; token < tokens.end; ++token) {
            own.key.data.data<float>()[static_cast<std::size_t>(token - tokens.begin)] =
                static_cast<float>(token);
            own.value.data.data<float>()[static_cast<std::size_t>(token - tokens.begin)] =
                static_cast<float>(-token);
        }
        ScratchArena scratch;
        const int hops =
            rotate(device.along(MeshAxis::Context), own, ranges, RingReads(devices), scratch, nullptr,
                   [&](const KeyShard& keys) {
                       const auto from = std::ranges::find(ranges, keys.tokens);
                       visits[index].push_back(static_cast<int>(from - ranges.begin()));
                       for (std::int64_t i = 0; i < keys.tokens.size(); ++i) {
                           const auto place = static_cast<float>(keys.tokens.begin + i);
                           EXPECT_EQ(keys.key.data.data<float>()[static_cast<std::size_t>(i)], place);
                           EXPECT_EQ(keys.value.data.data<float>()[static_cast<std::size_t>(i)], -place);
                       }
                   });
        EXPECT_EQ(hops, devices - 1);
    });
    return visits;
}

TEST(KeyRotation, ARingTakesFromTheDeviceBefore) {
    EXPECT_THAT(visitsOf(rotateKeys, 4, 8), ElementsAre(ElementsAre(0, 3, 2, 1), ElementsAre(1, 0, 3, 2),
                                                        ElementsAre(2, 1, 0, 3), ElementsAre(3, 2, 1, 0)));
}

TEST(KeyRotation, ALineTakesFromBothSides) {
    EXPECT_THAT(visitsOf(rotateKeysBothWays, 4, 8),
                ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(1, 0, 2, 3), ElementsAre(2, 1, 3, 0),
                            ElementsAre(3, 2, 1, 0)));
}

// The order of merges, and so the bits.
TEST(KeyRotation, ReadInPlaceShardsComeInTheSameOrder) {
    for (const int devices : {1, 2, 3, 5, 8}) {
        EXPECT_EQ(visitsOf(readRing, devices, 16), visitsOf(rotateKeys, devices, 16));
        EXPECT_EQ(visitsOf(readLine, devices, 16), visitsOf(rotateKeysBothWays, devices, 16));
    }
}

TEST(KeyRotation, EveryDeviceSeesEachShardOnce) {
    for (const Rotate rotate : {rotateKeys, rotateKeysBothWays, readRing, readLine})
        for (const int devices : {1, 2, 3, 4, 5, 8})
            for (const std::int64_t length : {16, 19, 7}) {
                const Visits visits = visitsOf(rotate, devices, length);
                for (std::vector<int> seen : visits) {
                    ASSERT_EQ(static_cast<int>(seen.size()), devices);
                    // Empty shards look alike and are found as the first of them.
                    std::ranges::sort(seen);
                    for (int position = 0; position < devices; ++position)
                        if (shardRange(length, devices, position).size() > 0) {
                            EXPECT_EQ(seen[static_cast<std::size_t>(position)], position);
                        }
                }
            }
}

// The middle one of five holds K1 and K3 in its second hop. While it still looks at K1, which goes to the
// right, K3 must reach its left neighbour.
TEST(KeyRotation, BothDirectionsOfAHopMoveAtOnce) {
    constexpr int devices = 5;
    std::vector<ShardRange> ranges;
    for (int device = 0; device < devices; ++device)
        ranges.push_back(shardRange(devices, devices, device));
    std::promise<void> arrived;
    const std::shared_future<void> arrival(arrived.get_future());
    bool inTime = false;
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const KeyShard own{.tokens = ranges[static_cast<std::size_t>(device.index())],
                           .key = {Tensor::zeros({1, 1, 1, 1})},
                           .value = {Tensor::zeros({1, 1, 1, 1})}};
        ScratchArena scratch;
        rotateKeysBothWays(device.along(MeshAxis::Context), own, ranges, RingReads(devices), scratch, nullptr,
                           [&](const KeyShard& keys) {
                               if (device.index() == 1 && keys.tokens == ranges[3])
                                   arrived.set_value();
                               if (device.index() == 2 && keys.tokens == ranges[1])
                                   inTime = arrival.wait_for(std::chrono::seconds(20)) ==
                                            std::future_status::ready;
                           });
    });
    EXPECT_TRUE(inTime);
}

/// What the device at `position` takes.
std::int64_t peakOf(Rotate rotate, std::int64_t length, int position, int devices = 4) {
    const auto meter = std::make_shared<MemoryMeter>();
    std::vector<ShardRange> ranges;
    for (int device = 0; device < devices; ++device)
        ranges.push_back(shardRange(length, devices, device));
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const ShardRange tokens = ranges[static_cast<std::size_t>(device.index())];
        const KeyShard own{.tokens = tokens,
                           .key = {Tensor::zeros({1, tokens.size(), 1, 16})},
                           .value = {Tensor::zeros({1, tokens.size(), 1, 16})}};
        std::optional<MeterScope> scope;
        if (device.index() == position)
            scope.emplace(meter);
        ScratchArena scratch;
        rotate(device.along(MeshAxis::Context), own, ranges, RingReads(devices), scratch, nullptr,
               [](const KeyShard&) {});
    });
    return static_cast<std::int64_t>(meter->peak());
}

TEST(KeyRotation, TakesOnePairMoreAndTwoBothWays) {
    constexpr std::int64_t pair = 2 * 16 * sizeof(float) * 4;  // of four tokens
    constexpr int inside = 1;
    constexpr int atTheEnd = 3;
    EXPECT_EQ(peakOf(rotateKeys, 16, atTheEnd), pair);
    EXPECT_EQ(peakOf(rotateKeys, 15, atTheEnd), 2 * pair) << "the own shard is too short for the others";
    EXPECT_EQ(peakOf(rotateKeysBothWays, 16, inside), 2 * pair);
    EXPECT_EQ(peakOf(rotateKeysBothWays, 20, 2, 5), 3 * pair) << "two come while two are looked at";
    EXPECT_EQ(peakOf(rotateKeysBothWays, 16, atTheEnd), pair);
    EXPECT_EQ(peakOf(rotateKeysBothWays, 15, atTheEnd), 2 * pair);
    EXPECT_EQ(peakOf(readRing, 15, atTheEnd), 0) << "nothing is copied";
    EXPECT_EQ(peakOf(readLine, 15, inside), 0);
}

/// What each device saw and received in a ring or line whose members read some shards only: [device] of
/// (visits, hops in which something came).
struct PartlyRead {
    Visits visits;
    std::vector<int> hops;
};

PartlyRead readPartly(Rotate rotate, int devices, const std::function<bool(int reader, int owner)>& isRead) {
    PartlyRead found{.visits = Visits(static_cast<std::size_t>(devices)),
                     .hops = std::vector<int>(static_cast<std::size_t>(devices))};
    std::vector<ShardRange> ranges;
    for (int device = 0; device < devices; ++device)
        ranges.push_back({2 * device, 2 * device + 2});
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const auto index = static_cast<std::size_t>(device.index());
        RingReads reads(devices);
        for (int reader = 0; reader < devices; ++reader)
            for (int owner = 0; owner < devices; ++owner)
                reads.set(reader, owner, reader == owner || isRead(reader, owner));
        const auto place = static_cast<float>(ranges[index].begin);
        const KeyShard own{.tokens = ranges[index],
                           .key = {Tensor::filled({1, 2, 1, 1}, place)},
                           .value = {Tensor::filled({1, 2, 1, 1}, -place)}};
        ScratchArena scratch;
        found.hops[index] = rotate(
            device.along(MeshAxis::Context), own, ranges, reads, scratch, nullptr, [&](const KeyShard& keys) {
                const auto from = std::ranges::find(ranges, keys.tokens);
                found.visits[index].push_back(static_cast<int>(from - ranges.begin()));
                EXPECT_EQ(keys.key.data.data<float>()[1], static_cast<float>(keys.tokens.begin));
                EXPECT_EQ(keys.value.data.data<float>()[1], static_cast<float>(-keys.tokens.begin));
            });
    });
    return found;
}

TEST(KeyRotation, AShardThatNobodyFurtherOnReadsIsNotSent) {
    // 2 reads 0, which passes 1; all else is read by its owner alone.
    const auto onlyTwoReadsZero = [](int reader, int owner) { return reader == 2 && owner == 0; };
    const PartlyRead ring = readPartly(rotateKeys, 4, onlyTwoReadsZero);
    EXPECT_THAT(ring.visits, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2, 0), ElementsAre(3)));
    EXPECT_THAT(ring.hops, ElementsAre(0, 1, 1, 0)) << "1 passes it on";
    const PartlyRead line = readPartly(rotateKeysBothWays, 4, onlyTwoReadsZero);
    EXPECT_EQ(line.visits, ring.visits);
    EXPECT_THAT(line.hops, ElementsAre(0, 1, 1, 0));
    const PartlyRead inPlace = readPartly(readRing, 4, onlyTwoReadsZero);
    EXPECT_EQ(inPlace.visits, ring.visits);
    EXPECT_THAT(inPlace.hops, ElementsAre(0, 0, 1, 0)) << "nobody passes anything on";
}

TEST(KeyRotation, WhoReadsWhatIsSeenOnAnyRingAndLine) {
    for (const int devices : {1, 2, 3, 5, 8})
        for (const int pattern : {1, 2, 3, 5}) {
            const auto isRead = [&](int reader, int owner) { return (reader * 3 + owner) % pattern == 0; };
            for (const Rotate rotate : {rotateKeys, rotateKeysBothWays, readRing, readLine}) {
                PartlyRead found = readPartly(rotate, devices, isRead);
                for (int reader = 0; reader < devices; ++reader) {
                    std::vector<int> expected;
                    for (int owner = 0; owner < devices; ++owner)
                        if (reader == owner || isRead(reader, owner))
                            expected.push_back(owner);
                    std::vector<int>& seen = found.visits[static_cast<std::size_t>(reader)];
                    std::ranges::sort(seen);
                    EXPECT_EQ(seen, expected) << reader << " of " << devices << " pattern " << pattern;
                }
            }
        }
}

// Two devices stand still while the third looks at what they lend: a failure must not free it.
TEST(KeyRotation, WhoFailsKeepsItsKeysUntilOthersHaveLooked) {
    constexpr int devices = 3;
    std::vector<ShardRange> ranges;
    for (int device = 0; device < devices; ++device)
        ranges.push_back({device, device + 1});
    std::promise<void> looking;
    const std::shared_future<void> othersLook(looking.get_future());
    std::atomic<bool> looked = false;
    std::atomic<bool> freedEarly = false;
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    const auto run = [&] {
        mesh.run({}, nullptr, [&](Device& device) {
            const std::shared_ptr<void> memory(nullptr, [&](void*) {
                if (device.index() == 0 && !looked)
                    freedEarly = true;
            });
            const KeyShard own{.tokens = ranges[static_cast<std::size_t>(device.index())],
                               .key = {Tensor::zeros({1, 1, 1, 1})},
                               .value = {Tensor::zeros({1, 1, 1, 1})}};
            ScratchArena scratch;
            readRing(device.along(MeshAxis::Context), own, ranges, RingReads(devices), scratch, nullptr,
                     [&](const KeyShard& keys) {
                         if (device.index() == 0 && keys.tokens == ranges[0]) {
                             othersLook.wait();
                             throw Error(ErrorKind::Input, "device 0 fails");
                         }
                         if (device.index() == 1 && keys.tokens == ranges[0]) {
                             looking.set_value();
                             std::this_thread::sleep_for(std::chrono::milliseconds(100));
                             EXPECT_EQ(keys.key.data.data<float>()[0], 0.0F);
                             looked = true;
                         }
                     });
        });
    };
    EXPECT_THROW(run(), Error);
    EXPECT_TRUE(looked);
    EXPECT_FALSE(freedEarly);
}

/// Of a device that reads what it borrows a while after it was told to.
class SlowBorrower final : public Memory {
  public:
    explicit SlowBorrower(std::atomic<bool>& hasRead) : m_hasRead(hasRead) {}
    [[nodiscard]] ComputeDevice& device() override { throw std::logic_error("not of a device"); }
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t) override { return nullptr; }
    void copyIn(std::byte*, std::span<const std::byte>) override {}
    void copyOut(std::span<std::byte>, const std::byte*) override {}
    void copyWithin(std::byte*, const std::byte*, std::size_t) override {}
    void awaitBorrowed() override {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        m_hasRead = true;
    }

  private:
    std::atomic<bool>& m_hasRead;
};

TEST(KeyRotation, WhoFailsGivesBackWhatItBorrowsWhenItsCopiesHaveReadIt) {
    const std::vector<ShardRange> ranges{{0, 1}, {1, 2}};
    std::atomic<bool> hasRead = false;
    std::atomic<bool> freedEarly = false;
    SlowBorrower borrower(hasRead);
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
    const auto run = [&] {
        mesh.run({}, nullptr, [&](Device& device) {
            const std::shared_ptr<void> memory(nullptr, [&](void*) {
                if (device.index() == 0 && !hasRead)
                    freedEarly = true;
            });
            const KeyShard own{.tokens = ranges[static_cast<std::size_t>(device.index())],
                               .key = {Tensor::zeros({1, 1, 1, 1})},
                               .value = {Tensor::zeros({1, 1, 1, 1})}};
            Communicator& ring = device.along(MeshAxis::Context);
            readKeysInPlace(
                ring, ringOrder(ring.position(), ring.size()), own, ranges, RingReads(ring.size()), nullptr,
                [&](const KeyShard& keys) {
                    if (device.index() == 1 && keys.tokens == ranges[0])
                        throw Error(ErrorKind::Input, "device 1 fails as it borrows");
                },
                device.index() == 1 ? &borrower : nullptr);
        });
    };
    EXPECT_THROW(run(), Error);
    EXPECT_TRUE(hasRead);
    EXPECT_FALSE(freedEarly);
}

}  // namespace
}  // namespace meshreel
