// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/key_rotation.h"

#include <algorithm>
#include <utility>

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

/// The buffers of one device through which the shards of all pass.
class Passage {
  public:
    Passage(const KeyShard& own, std::span<const ShardRange> ranges, ScratchArena& scratch)
        : m_own(own), m_ranges(ranges), m_scratch(scratch) {
        for (const ShardRange& range : ranges)
            m_longest = std::max(m_longest, range.size());
    }

    [[nodiscard]] Held own() const { return {.buffer = {m_own.key, m_own.value}, .shard = m_own}; }

    /// A buffer that any shard fits in.
    [[nodiscard]] KeyBuffer take() {
        const auto like = [&](const HeadTensor& own) {
            return HeadTensor{m_scratch.take(own.shapeWith(m_longest), own.data.dtype()), own.order};
        };
        return {.key = like(m_own.key), .value = like(m_own.value)};
    }

    /// The own buffer once nobody needs the own shard any more; another one where a longer shard may come.
    [[nodiscard]] KeyBuffer reuseOwn() {
        return m_own.tokens.size() < m_longest ? take() : KeyBuffer{.key = m_own.key, .value = m_own.value};
    }

    /// Where the shard of `position` goes in `buffer`.
    [[nodiscard]] Held place(int position, const KeyBuffer& buffer) const {
        const bool exists = position >= 0 && position < static_cast<int>(m_ranges.size());
        const ShardRange tokens = exists ? m_ranges[static_cast<std::size_t>(position)] : ShardRange{};
        const Shape shape = m_own.key.shapeWith(tokens.size());
        return {.buffer = buffer,
                .shard = {.tokens = tokens,
                          .key = frontOf(buffer.key, shape),
                          .value = frontOf(buffer.value, shape)},
                .exists = exists};
    }

  private:
    const KeyShard& m_own;
    std::span<const ShardRange> m_ranges;
    ScratchArena& m_scratch;
    std::int64_t m_longest = 0;
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

/// One direction of a line: the shard held now, to be looked at and passed on.
class Stream {
  public:
    Stream(Communicator& line, int direction, Held first)
        : m_line(line), m_direction(direction), m_held(std::move(first)) {}

    /// Passes the shard held on, and takes into `spare` that of `position`, while `visit` looks at the
    /// former. Gives the buffer that has become free.
    KeyBuffer advance(const Passage& passage, int position, const KeyBuffer& spare, Trace* trace,
                      const KeyVisitor& visit) {
        Held next = passage.place(position, spare);
        Hop hop(m_line, m_direction, Communicator::Shape::Line, m_held.shard, next.shard);
        look(visit);
        hop.wait(trace);
        return std::exchange(m_held, std::move(next)).buffer;
    }

    void look(const KeyVisitor& visit) const {
        if (m_held.exists)
            visit(m_held.shard);
    }

  private:
    Communicator& m_line;
    int m_direction;
    Held m_held;
};

}  // namespace

int rotateKeys(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
               ScratchArena& scratch, Trace* trace, const KeyVisitor& visit) {
    const int size = ring.size();
    Passage passage(own, ranges, scratch);
    Held held = passage.own();
    KeyBuffer spare;
    for (int hop = 1; hop < size; ++hop) {
        if (hop == 1)
            spare = passage.take();
        else if (hop == 2)
            spare = passage.reuseOwn();
        Held next = passage.place((ring.position() - hop + size) % size, spare);
        Hop onItsWay(ring, 1, Communicator::Shape::Ring, held.shard, next.shard);
        visit(held.shard);
        onItsWay.wait(trace);
        spare = std::exchange(held, std::move(next)).buffer;
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
    Held before = passage.place(here - 1, passage.take());
    Held after = passage.place(here + 1, passage.take());
    Hop right(line, 1, Communicator::Shape::Line, own, before.shard);
    Hop left(line, -1, Communicator::Shape::Line, own, after.shard);
    visit(own);
    right.wait(trace);
    left.wait(trace);
    Stream rightward(line, 1, std::move(before));
    Stream leftward(line, -1, std::move(after));
    KeyBuffer spare = hops > 1 ? passage.reuseOwn() : KeyBuffer{};
    for (int hop = 2; hop <= hops; ++hop) {
        spare = rightward.advance(passage, here - hop, spare, trace, visit);
        spare = leftward.advance(passage, here + hop, spare, trace, visit);
    }
    rightward.look(visit);
    leftward.look(visit);
    return hops;
}

}  // namespace meshreel
