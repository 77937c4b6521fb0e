// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/shard_range.h"

namespace meshreel {
namespace {

/// Up to here everybody adds everything up: one exchange costs less than two that are shorter.
constexpr std::size_t gatheredSumLength = 1024;

void copyUnlessThere(Endpoint& endpoint, const ConstBlock& from, const Block& to) {
    if (from.bytes() > 0 && from.data != to.data)
        endpoint.copy(from, to);
}

template <typename T>
std::span<T> slice(std::span<T> values, int parts, int index) {
    const ShardRange range = balancedShard(static_cast<std::int64_t>(values.size()), parts, index);
    return values.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

using Combination = float (*)(float, float);

float sumOf(float a, float b) {
    return a + b;
}
float pickLarger(float a, float b) {
    return std::max(a, b);
}

/// Everybody's values, combined by everybody in the order of positions.
class GatheredReduction final : public Transfer {
  public:
    GatheredReduction(Communicator& group, std::span<float> values, Combination combination)
        : m_values(values),
          m_combination(combination),
          m_all(values.size() * static_cast<std::size_t>(group.size())) {
        ScratchVector<Block> parts;
        for (std::size_t begin = 0; begin < m_all.size(); begin += values.size())
            parts.push_back(toBlock(std::span(m_all).subspan(begin, values.size())));
        m_gather = group.startAllGather(asConst(toBlock(values)), parts);
    }

    void wait() override {
        m_gather.wait();
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            m_values[i] = m_all[i];
            for (std::size_t other = i + m_values.size(); other < m_all.size(); other += m_values.size())
                m_values[i] = m_combination(m_values[i], m_all[other]);
        }
    }

  private:
    std::span<float> m_values;
    Combination m_combination;
    ScratchVector<float> m_all;
    Pending m_gather;
};

/// A slice of the sum at every position, which is then everybody's.
class ScatteredSum final : public Transfer {
  public:
    ScatteredSum(Communicator& group, std::span<float> values) : m_group(group), m_values(values) {
        ScratchVector<std::span<const float>> slices;
        for (int position = 0; position < m_group.size(); ++position)
            slices.emplace_back(slice(values, m_group.size(), position));
        const std::size_t length = slices[static_cast<std::size_t>(m_group.position())].size();
        m_sum = {m_memory.take<float>(static_cast<std::int64_t>(length)), length};
        m_scatter = m_group.startReduceScatter(slices, m_sum);
    }

    void wait() override {
        m_scatter.wait();
        ScratchVector<Block> parts;
        for (int position = 0; position < m_group.size(); ++position)
            parts.push_back(toBlock(slice(m_values, m_group.size(), position)));
        m_group.allGather(toBlock(std::span<const float>(m_sum)), parts);
    }

  private:
    Communicator& m_group;
    std::span<float> m_values;
    ScratchBuffer m_memory;
    std::span<float> m_sum;
    Pending m_scatter;
};

template <typename T, typename... Arguments>
Pending startInScratch(Arguments&&... arguments) {
    return Pending(std::allocate_shared<T>(ScratchAllocator<T>(), std::forward<Arguments>(arguments)...));
}

}  // namespace

void Pending::wait() {
    if (const std::shared_ptr<Transfer> transfer = std::move(m_transfer))
        transfer->wait();
}

Communicator::Communicator(Endpoint& endpoint, std::vector<int> members)
    : m_endpoint(&endpoint), m_members(std::move(members)) {
    const auto self = std::ranges::find(m_members, endpoint.device());
    if (self == m_members.end())
        throw Error(ErrorKind::Internal,
                    fmt::format("device {} is no member of its own group", endpoint.device()));
    m_position = static_cast<int>(self - m_members.begin());
}

Communicator& Communicator::subgroup(std::span<const int> positions) {
    const auto memberAt = [this](int position) { return m_members.at(static_cast<std::size_t>(position)); };
    for (const std::unique_ptr<Communicator>& known : m_subgroups)
        if (std::ranges::equal(known->m_members, positions, {}, {}, memberAt))
            return *known;
    std::vector<int> members;
    std::ranges::transform(positions, std::back_inserter(members), memberAt);
    return *m_subgroups.emplace_back(std::make_unique<Communicator>(*m_endpoint, std::move(members)));
}

Pending Communicator::startAllToAll(std::span<const ConstBlock> sends, std::span<const Block> receives) {
    ScratchVector<Send> outgoing;
    ScratchVector<Receive> incoming;
    // Starts with the next member, so that the members do not all begin with the first one.
    for (int distance = 1; distance < size(); ++distance) {
        const auto to = static_cast<std::size_t>((m_position + distance) % size());
        const auto from = static_cast<std::size_t>((m_position + size() - distance) % size());
        outgoing.push_back({.to = m_members[to], .block = sends[to]});
        incoming.push_back({.from = m_members[from], .block = receives[from]});
    }
    const auto self = static_cast<std::size_t>(m_position);
    if (size() == 1) {
        copyUnlessThere(*m_endpoint, sends[self], receives[self]);
        return {};
    }
    Pending pending(m_endpoint->start(outgoing, incoming));
    copyUnlessThere(*m_endpoint, sends[self], receives[self]);
    return pending;
}

Pending Communicator::startShift(int hops, Shape shape, const ConstBlock& send, const Block& receive) {
    int to = m_position + hops;
    int from = m_position - hops;
    if (shape == Shape::Ring) {
        to = (to % size() + size()) % size();
        from = (from % size() + size()) % size();
    }
    if (to == m_position) {
        copyUnlessThere(*m_endpoint, send, receive);
        return {};
    }
    const auto exists = [this](int position) { return position >= 0 && position < size(); };
    ScratchVector<Send> outgoing;
    ScratchVector<Receive> incoming;
    if (exists(to))
        outgoing.push_back({.to = m_members[static_cast<std::size_t>(to)], .block = send});
    if (exists(from))
        incoming.push_back({.from = m_members[static_cast<std::size_t>(from)], .block = receive});
    if (outgoing.empty() && incoming.empty())
        return {};
    return Pending(m_endpoint->start(outgoing, incoming));
}

Pending Communicator::startAllGather(const ConstBlock& own, std::span<const Block> parts) {
    const ScratchVector<ConstBlock> sends(m_members.size(), own);
    return startAllToAll(sends, parts);
}

SharedBlocks::SharedBlocks(std::shared_ptr<Loans> loans, int position, int members)
    : m_loans(std::move(loans)), m_position(position), m_members(members) {}

// By the distance to the owner, in the order in which they were started.
std::size_t SharedBlocks::indexOf(int position) const {
    return static_cast<std::size_t>((m_position - position + m_members) % m_members - 1);
}

const std::byte* SharedBlocks::borrow(int position) {
    return m_loans->borrow(indexOf(position)).data;
}

void SharedBlocks::giveBack(int position) {
    m_loans->giveBack(indexOf(position));
}

void SharedBlocks::wait() {
    m_loans->wait();
}

bool Communicator::sharesMemory() const {
    return std::ranges::all_of(m_members,
                               [this](int member) { return m_endpoint->sharesMemoryWith(member); });
}

SharedBlocks Communicator::shareBlocks(const ConstBlock& own, std::span<const std::int64_t> bytes) {
    ScratchVector<Send> lent;
    ScratchVector<Borrow> borrowed;
    for (int distance = 1; distance < size(); ++distance) {
        const auto from = static_cast<std::size_t>((m_position + size() - distance) % size());
        lent.push_back(
            {.to = m_members[static_cast<std::size_t>((m_position + distance) % size())], .block = own});
        borrowed.push_back({.from = m_members[from], .bytes = bytes[from]});
    }
    return {m_endpoint->startLoans(lent, borrowed), m_position, size()};
}

Pending Communicator::startReduceScatter(std::span<const std::span<const float>> slices,
                                         std::span<float> part) {
    if (size() == 1) {
        copyUnlessThere(*m_endpoint, toBlock(slices[0]), toBlock(part));
        return {};
    }
    ScratchVector<Send> outgoing;
    ScratchVector<Receive> incoming;
    for (int position = 0; position < size(); ++position) {
        const int member = m_members[static_cast<std::size_t>(position)];
        outgoing.push_back({.to = member, .block = toBlock(slices[static_cast<std::size_t>(position)])});
        incoming.push_back({.from = member,
                            .block = toBlock(part),
                            .combine = position == 0 ? Combine::Replace : Combine::AddFloats});
    }
    return Pending(m_endpoint->start(outgoing, incoming));
}

Pending Communicator::startBroadcast(int root, const Block& block) {
    if (size() == 1)
        return {};
    ScratchVector<Send> outgoing;
    ScratchVector<Receive> incoming;
    if (m_position == root) {
        for (const int member : m_members)
            if (member != m_endpoint->device())
                outgoing.push_back({.to = member, .block = asConst(block)});
    } else {
        incoming.push_back({.from = m_members[static_cast<std::size_t>(root)], .block = block});
    }
    return Pending(m_endpoint->start(outgoing, incoming));
}

void Communicator::allToAll(std::span<const ConstBlock> sends, std::span<const Block> receives) {
    startAllToAll(sends, receives).wait();
}

void Communicator::shift(int hops, Shape shape, const ConstBlock& send, const Block& receive) {
    startShift(hops, shape, send, receive).wait();
}

void Communicator::allGather(const ConstBlock& own, std::span<const Block> parts) {
    startAllGather(own, parts).wait();
}

void Communicator::reduceScatter(std::span<const std::span<const float>> slices, std::span<float> part) {
    startReduceScatter(slices, part).wait();
}

void Communicator::broadcast(int root, const Block& block) {
    startBroadcast(root, block).wait();
}

Pending Communicator::startAllReduceSum(std::span<float> values) {
    if (size() == 1 || values.empty())
        return {};
    if (values.size() <= gatheredSumLength)
        return startInScratch<GatheredReduction>(*this, values, sumOf);
    return startInScratch<ScatteredSum>(*this, values);
}

Pending Communicator::startBarrier() {
    const ScratchVector<ConstBlock> nothing(m_members.size());
    const ScratchVector<Block> nowhere(m_members.size());
    return startAllToAll(nothing, nowhere);
}

void Communicator::allReduceSum(std::span<float> values) {
    startAllReduceSum(values).wait();
}

void Communicator::allReduceMax(std::span<float> values) {
    if (size() > 1 && !values.empty())
        GatheredReduction(*this, values, pickLarger).wait();
}

void Communicator::barrier() {
    startBarrier().wait();
}

}  // namespace meshreel
