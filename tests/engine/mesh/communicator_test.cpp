// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/communicator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <ostream>

#include "engine/mesh/device_mesh.h"
#include "tests/support/loopback_link.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

constexpr auto elementBytes = static_cast<std::int64_t>(sizeof(float));

struct MeshCase {
    int devices;
    int processes;
};

void PrintTo(const MeshCase& mesh, std::ostream* out) {
    *out << mesh.devices << " devices of " << mesh.processes << " processes";
}

/// Runs `program` on devices of one worker along the context axis.
void onDevices(const MeshCase& mesh, const std::function<void(Communicator&)>& program) {
    runOnMesh({.layout = MeshLayout({.context = mesh.devices}), .workersPerDevice = 1}, mesh.processes,
              [&](Device& device) { program(device.along(MeshAxis::Context)); });
}

/// A value that tells who made it, for whom and which.
float mark(int from, int to, int index) {
    return static_cast<float>(from * 10'000 + to * 1'000 + index);
}

class CommunicatorOn : public ::testing::TestWithParam<MeshCase> {};

TEST_P(CommunicatorOn, AllToAllSendsEveryoneHisPart) {
    onDevices(GetParam(), [](Communicator& group) {
        const int size = group.size();
        // What goes from a to b has a + 2·b + 1 values: odd lengths, all different.
        const auto length = [](int from, int to) { return static_cast<std::size_t>(from + 2 * to + 1); };
        std::vector<std::vector<float>> out;
        std::vector<std::vector<float>> in;
        std::vector<ConstBlock> sends;
        std::vector<Block> receives;
        for (int p = 0; p < size; ++p) {
            auto& values = out.emplace_back(length(group.position(), p));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = mark(group.position(), p, static_cast<int>(i));
            in.emplace_back(length(p, group.position()));
        }
        for (std::size_t p = 0; p < out.size(); ++p) {
            sends.push_back(toBlock(std::span<const float>(out[p])));
            receives.push_back(toBlock(std::span(in[p])));
        }
        group.allToAll(sends, receives);
        for (int p = 0; p < size; ++p)
            for (std::size_t i = 0; i < in[static_cast<std::size_t>(p)].size(); ++i)
                ASSERT_EQ(in[static_cast<std::size_t>(p)][i], mark(p, group.position(), static_cast<int>(i)));
    });
}

TEST_P(CommunicatorOn, AllToAllReadsAndWritesStrided) {
    onDevices(GetParam(), [](Communicator& group) {
        // [tokens, size·heads] → [size·tokens, heads]: heads to sequence.
        constexpr std::int64_t tokens = 3;
        constexpr std::int64_t heads = 5;
        const auto size = static_cast<std::int64_t>(group.size());
        std::vector<float> mine(static_cast<std::size_t>(tokens * size * heads));
        std::vector<float> result(mine.size());
        const auto value = [&](std::int64_t token, std::int64_t head) {
            return static_cast<float>(token * 1000 + head);
        };
        for (std::int64_t t = 0; t < tokens; ++t)
            for (std::int64_t h = 0; h < size * heads; ++h)
                mine[static_cast<std::size_t>(t * size * heads + h)] =
                    value(group.position() * tokens + t, h);
        std::vector<ConstBlock> sends;
        std::vector<Block> receives;
        for (std::int64_t p = 0; p < size; ++p) {
            ConstBlock columns = toBlock(std::span<const float>(mine));
            columns.data += p * heads * elementBytes;
            columns.rowBytes = heads * elementBytes;
            columns.rows = tokens;
            columns.rowStride = size * heads * elementBytes;
            sends.push_back(columns);
            receives.push_back(toBlock(std::span(result).subspan(static_cast<std::size_t>(p * tokens * heads),
                                                                 static_cast<std::size_t>(tokens * heads))));
        }
        group.allToAll(sends, receives);
        for (std::int64_t t = 0; t < size * tokens; ++t)
            for (std::int64_t h = 0; h < heads; ++h)
                ASSERT_EQ(result[static_cast<std::size_t>(t * heads + h)],
                          value(t, group.position() * heads + h));
    });
}

TEST_P(CommunicatorOn, ShiftsEitherWayRoundTheRing) {
    onDevices(GetParam(), [](Communicator& group) {
        const int size = group.size();
        for (int hops = -2 * size; hops <= 2 * size; ++hops) {
            const std::vector<float> mine(7, mark(group.position(), 0, 0));
            std::vector<float> received(7, -1.0F);
            group.shift(hops, Communicator::Shape::Ring, toBlock(std::span(mine)),
                        toBlock(std::span(received)));
            const int from = ((group.position() - hops) % size + size) % size;
            ASSERT_THAT(received, ::testing::Each(mark(from, 0, 0)));
        }
    });
}

TEST_P(CommunicatorOn, ShiftsOnALineEndAtItsEnds) {
    onDevices(GetParam(), [](Communicator& group) {
        const int size = group.size();
        for (int hops = -size; hops <= size; ++hops) {
            const std::vector<float> mine(3, mark(group.position(), 0, 0));
            std::vector<float> received(3, -1.0F);
            group.shift(hops, Communicator::Shape::Line, toBlock(std::span(mine)),
                        toBlock(std::span(received)));
            const int from = group.position() - hops;
            const bool exists = from >= 0 && from < size;
            ASSERT_THAT(received, ::testing::Each(exists ? mark(from, 0, 0) : -1.0F));
        }
    });
}

TEST_P(CommunicatorOn, AllGatherInPlaceAndFromElsewhere) {
    onDevices(GetParam(), [](Communicator& group) {
        for (const bool inPlace : {false, true}) {
            std::vector<std::vector<float>> all;
            std::vector<Block> parts;
            for (int p = 0; p < group.size(); ++p)
                parts.push_back(toBlock(std::span(all.emplace_back(static_cast<std::size_t>(2 * p + 1)))));
            for (std::size_t p = 0; p < all.size(); ++p)
                parts[p] = toBlock(std::span(all[p]));
            const auto self = static_cast<std::size_t>(group.position());
            const std::vector<float> mine(all[self].size(), mark(group.position(), 0, 0));
            if (inPlace)
                all[self] = mine;
            parts[self] = toBlock(std::span(all[self]));
            group.allGather(inPlace ? asConst(parts[self]) : toBlock(std::span(mine)), parts);
            for (int p = 0; p < group.size(); ++p)
                ASSERT_THAT(all[static_cast<std::size_t>(p)], ::testing::Each(mark(p, 0, 0)));
        }
    });
}

/// Values whose sum depends on the order.
std::vector<float> summands(int position, std::size_t length) {
    std::vector<float> values(length);
    for (std::size_t i = 0; i < length; ++i)
        values[i] = static_cast<float>((i * 7919 + static_cast<std::size_t>(position) * 104729) % 1000) *
                    1.0e-3F * (position % 2 == 0 ? 1.0F : 1.0e4F);
    return values;
}

std::vector<float> sumInOrder(int size, std::size_t length) {
    std::vector<float> sum = summands(0, length);
    for (int p = 1; p < size; ++p) {
        const std::vector<float> values = summands(p, length);
        std::ranges::transform(sum, values, sum.begin(), std::plus<>());
    }
    return sum;
}

TEST_P(CommunicatorOn, ReduceScatterAddsInTheOrderOfPositions) {
    onDevices(GetParam(), [](Communicator& group) {
        constexpr std::size_t length = 13;
        const std::size_t total = length * static_cast<std::size_t>(group.size());
        const std::vector<float> mine = summands(group.position(), total);
        std::vector<std::span<const float>> slices;
        for (std::size_t begin = 0; begin < total; begin += length)
            slices.push_back(std::span(mine).subspan(begin, length));
        std::vector<float> part(length);
        group.reduceScatter(slices, part);
        const std::vector<float> sum = sumInOrder(group.size(), total);
        for (std::size_t i = 0; i < length; ++i)
            ASSERT_EQ(part[i], sum[static_cast<std::size_t>(group.position()) * length + i]);
    });
}

TEST_P(CommunicatorOn, AllReduceSumGivesEveryoneTheSameBits) {
    onDevices(GetParam(), [](Communicator& group) {
        for (const std::size_t length : {0, 1, 2, 5, 1024, 1025, 4099}) {
            std::vector<float> values = summands(group.position(), length);
            group.allReduceSum(values);
            ASSERT_EQ(values, sumInOrder(group.size(), length));
        }
    });
}

TEST_P(CommunicatorOn, SumsCanBeStartedTogether) {
    onDevices(GetParam(), [](Communicator& group) {
        std::vector<float> small = summands(group.position(), 3);
        std::vector<float> large = summands(group.position(), 2001);
        Pending first = group.startAllReduceSum(large);
        Pending second = group.startAllReduceSum(small);
        first.wait();
        second.wait();
        ASSERT_EQ(large, sumInOrder(group.size(), 2001));
        ASSERT_EQ(small, sumInOrder(group.size(), 3));
    });
}

TEST_P(CommunicatorOn, AllReduceMaxTakesEachByItself) {
    onDevices(GetParam(), [](Communicator& group) {
        std::vector<float> values{static_cast<float>(group.position()), static_cast<float>(-group.position()),
                                  3.0F};
        group.allReduceMax(values);
        EXPECT_THAT(values, ::testing::ElementsAre(static_cast<float>(group.size() - 1), 0.0F, 3.0F));
    });
}

TEST_P(CommunicatorOn, BroadcastFromEveryRoot) {
    onDevices(GetParam(), [](Communicator& group) {
        for (int root = 0; root < group.size(); ++root) {
            std::vector<float> values(9, mark(group.position(), root, 0));
            group.broadcast(root, toBlock(std::span(values)));
            ASSERT_THAT(values, ::testing::Each(mark(root, root, 0)));
        }
    });
}

TEST_P(CommunicatorOn, NobodyPassesABarrierEarly) {
    std::atomic<int> arrived = 0;
    onDevices(GetParam(), [&](Communicator& group) {
        for (int round = 1; round <= 20; ++round) {
            ++arrived;
            group.barrier();
            ASSERT_GE(arrived, round * group.size());
            group.barrier();
        }
    });
}

std::vector<MeshCase> meshCases() {
    std::vector<MeshCase> cases{{5, 3}, {8, 8}};
    for (int devices = 1; devices <= 8; ++devices)
        for (int processes = 1; processes <= std::min(devices, 2); ++processes)
            cases.push_back({devices, processes});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Meshes, CommunicatorOn, ::testing::ValuesIn(meshCases()), testing::PrintedName());

TEST(Communicator, SubgroupsSplitTheContextAxis) {
    // c = r·U + u with R = 3, U = 2.
    constexpr int ulysses = 2;
    onDevices({6, 1}, [](Communicator& group) {
        const int ring = group.position() / ulysses;
        const int inner = group.position() % ulysses;
        const std::array chips{ring * ulysses, ring * ulysses + 1};
        const std::array ringOf{inner, inner + ulysses, inner + 2 * ulysses};
        Communicator& exchange = group.subgroup(chips);
        Communicator& rotation = group.subgroup(ringOf);
        EXPECT_EQ(exchange.size(), 2);
        EXPECT_EQ(exchange.position(), inner);
        EXPECT_EQ(rotation.position(), ring);
        std::vector<float> sum{static_cast<float>(group.position())};
        exchange.allReduceSum(sum);
        EXPECT_EQ(sum[0], static_cast<float>(4 * ring + 1));
        sum = {static_cast<float>(group.position())};
        rotation.allReduceSum(sum);
        EXPECT_EQ(sum[0], static_cast<float>(3 * inner + 6));
    });
}

}  // namespace
}  // namespace meshreel
