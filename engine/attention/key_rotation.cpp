// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/key_rotation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

namespace {

/// Room for the keys and values of one shard.
struct KeyBuffer {
    HeadTensor key;
    HeadTensor value;
};

/// A shard, and the buffer it lies in.
struct Held {
    KeyBuffer buffer;
    KeyShard shard;
    bool exists = true;  ///< false: what comes from beyond the end of a line
};

/// The buffers of one device through which the shards of all devices pass.
class Passage {
  public:
    Passage(const KeyShard& own, std::span<const ShardRange> ranges, ScratchArena& scratch)
        : m_own(own), m_ranges(ranges), m_scratch(scratch) {
        for (const ShardRange& range : ranges)
            m_longest = std::max(m_longest, range.size());
    }

    [[nodiscard]] Held own() const { return {.buffer = {m_own.key, m_own.value}, .shard = m_own}; }

    /// Room for the shard of `position`, in a free buffer when there is one.
    [[nodiscard]] Held roomFor(int position) {
        if (position < 0 || position >= static_cast<int>(m_ranges.size()))
            return {.buffer = {}, .shard = takeTokens({m_own.key, m_own.value}, {}), .exists = false};
        const KeyBuffer buffer = freeBuffer();
        return {.buffer = buffer, .shard = takeTokens(buffer, m_ranges[static_cast<std::size_t>(position)])};
    }

    /// The shard is no longer needed. The device's own buffer cannot be reused if a longer shard may come.
    void release(const Held& held) {
        if (held.exists && held.buffer.key.tokens() >= m_longest)
            m_free.push_back(held.buffer);
    }

  private:
    [[nodiscard]] KeyBuffer freeBuffer() {
        if (!m_free.empty()) {
            const KeyBuffer buffer = m_free.back();
            m_free.pop_back();
            return buffer;
        }
        const auto like = [&](const HeadTensor& own) {
            return HeadTensor{m_scratch.take(own.shapeWith(m_longest), own.data.dtype()), own.order};
        };
        return {.key = like(m_own.key), .value = like(m_own.value)};
    }

    [[nodiscard]] KeyShard takeTokens(const KeyBuffer& buffer, const ShardRange& tokens) const {
        const Shape shape = m_own.key.shapeWith(tokens.size());
        return {
            .tokens = tokens, .key = takeFront(buffer.key, shape), .value = takeFront(buffer.value, shape)};
    }

    const KeyShard& m_own;
    std::span<const ShardRange> m_ranges;
    ScratchArena& m_scratch;
    std::int64_t m_longest = 0;
    ScratchVector<KeyBuffer> m_free;
};

/// Keys and values on their way between neighbours.
class Hop {
  public:
    Hop(Communicator& devices, int hops, Communicator::Shape shape, const KeyShard& send, KeyShard& receive)
        : m_key(start(devices, hops, shape, send.key.data, receive.key.data)),
          m_value(start(devices, hops, shape, send.value.data, receive.value.data)) {}

    void wait(Trace* trace) {
        const Trace::Span span = traceSpan(trace, "rotate", "attention");
        m_key.wait();
        m_value.wait();
    }

  private:
    static Pending start(Communicator& devices, int hops, Communicator::Shape shape, const Tensor& send,
                         Tensor& receive) {
        return devices.startShift(
            hops, shape, {.data = send.raw(), .rowBytes = static_cast<std::int64_t>(send.bytes())},
            {.data = receive.raw(), .rowBytes = static_cast<std::int64_t>(receive.bytes())});
    }

    Pending m_key;
    Pending m_value;
};

void look(const Held& held, const KeyVisitor& visit) {
    if (held.exists)
        visit(held.shard);
}

}  // namespace

int rotateKeys(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
               ScratchArena& scratch, Trace* trace, const KeyVisitor& visit) {
    const int size = ring.size();
    Passage passage(own, ranges, scratch);
    Held held = passage.own();
    for (int hop = 1; hop < size; ++hop) {
        Held next = passage.roomFor((ring.position() - hop + size) % size);
        Hop onItsWay(ring, 1, Communicator::Shape::Ring, held.shard, next.shard);
        visit(held.shard);
        onItsWay.wait(trace);
        passage.release(std::exchange(held, std::move(next)));
    }
    visit(held.shard);
    return size - 1;
}

int rotateKeysBothWays(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
                       ScratchArena& scratch, Trace* trace, const KeyVisitor& visit) {
    const int hops = line.size() - 1;
    if (hops == 0) {
        visit(own);
        return 0;
    }
    const int here = line.position();
    Passage passage(own, ranges, scratch);
    // What came from the left and travels on to the right, and the other way round: first one's own.
    Held rightward = passage.own();
    Held leftward = passage.own();
    for (int hop = 1; hop <= hops; ++hop) {
        Held fromLeft = passage.roomFor(here - hop);
        Held fromRight = passage.roomFor(here + hop);
        Hop right(line, 1, Communicator::Shape::Line, rightward.shard, fromLeft.shard);
        Hop left(line, -1, Communicator::Shape::Line, leftward.shard, fromRight.shard);
        look(rightward, visit);
        if (hop > 1)
            look(leftward, visit);
        right.wait(trace);
        left.wait(trace);
        passage.release(std::exchange(rightward, std::move(fromLeft)));
        if (hop > 1)
            passage.release(leftward);
        leftward = std::move(fromRight);
    }
    look(rightward, visit);
    look(leftward, visit);
    return hops;
}

ScratchVector<int> ringOrder(int position, int size) {
    ScratchVector<int> order;
    for (int hop = 0; hop < size; ++hop)
        order.push_back((position - hop + size) % size);
    return order;
}

ScratchVector<int> lineOrder(int position, int size) {
    ScratchVector<int> order{position};
    for (int hop = 1; hop < size; ++hop)
        for (const int from : {position - hop, position + hop})
            if (from >= 0 && from < size)
                order.push_back(from);
    return order;
}

int readKeysInPlace(Communicator& ring, std::span<const int> order, const KeyShard& own,
                    std::span<const ShardRange> ranges, Trace* trace, const KeyVisitor& visit) {
    if (ring.size() == 1) {
        visit(own);
        return 0;
    }
    const auto shardShape = [&](int position) {
        return own.key.shapeWith(ranges[static_cast<std::size_t>(position)].size());
    };
    ScratchVector<std::int64_t> bytes;
    for (int position = 0; position < ring.size(); ++position)
        bytes.push_back(shardShape(position).elements() *
                        static_cast<std::int64_t>(byteSize(own.key.data.dtype())));
    const auto lend = [&](const HeadTensor& rows) {
        return ring.shareBlocks(
            {.data = rows.data.raw(), .rowBytes = static_cast<std::int64_t>(rows.data.bytes())}, bytes);
    };
    SharedBlocks keys = lend(own.key);
    SharedBlocks values = lend(own.value);
    const auto borrow = [&](SharedBlocks& blocks, int position) {
        return HeadTensor{
            Tensor::view(blocks.borrow(position), shardShape(position), own.key.data.dtype(), nullptr),
            own.key.order};
    };
    for (const int position : order) {
        if (position == ring.position()) {
            visit(own);
            continue;
        }
        KeyShard shard{.tokens = ranges[static_cast<std::size_t>(position)], .key = {}, .value = {}};
        {
            const Trace::Span span = traceSpan(trace, "rotate", "attention");
            shard.key = borrow(keys, position);
            shard.value = borrow(values, position);
        }
        visit(shard);
        keys.giveBack(position);
        values.giveBack(position);
    }
    const Trace::Span span = traceSpan(trace, "rotate", "attention");
    keys.wait();
    values.wait();
    return ring.size() - 1;
}

}  // namespace meshreel
