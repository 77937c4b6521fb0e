// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/key_rotation.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "engine/mesh/memory_block.h"
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

    /// What stands where no shard comes or goes.
    [[nodiscard]] Held nothing() const {
        return {.buffer = {}, .shard = takeTokens({m_own.key, m_own.value}, {}), .exists = false};
    }

    /// Room for the shard of `position`, in a free buffer when there is one.
    [[nodiscard]] Held roomFor(int position, bool comes) {
        if (!comes)
            return nothing();
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

/// Visits what came, unless it is on its way to others only.
void look(const Held& held, bool isRead, const KeyVisitor& visit) {
    if (held.exists && isRead)
        visit(held.shard);
}

}  // namespace

RingReads::RingReads(int members)
    : m_members(members), m_reads(static_cast<std::size_t>(members * members), std::uint8_t{1}) {}

bool RingReads::travelsRing(int owner, int hop) const {
    for (int distance = hop; distance < m_members; ++distance)
        if (reads((owner + distance) % m_members, owner))
            return true;
    return false;
}

bool RingReads::travelsRight(int owner, int hop) const {
    for (int reader = owner + hop; reader < m_members; ++reader)
        if (reads(reader, owner))
            return true;
    return false;
}

bool RingReads::travelsLeft(int owner, int hop) const {
    for (int reader = owner - hop; reader >= 0; --reader)
        if (reads(reader, owner))
            return true;
    return false;
}

int rotateKeys(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
               const RingReads& reads, ScratchArena& scratch, Trace* trace, const KeyVisitor& visit) {
    const int size = ring.size();
    const int here = ring.position();
    const auto ownerAt = [&](int hop) { return (here - hop + size) % size; };  // of what is here after it
    Passage passage(own, ranges, scratch);
    Held held = passage.own();
    int hops = 0;
    for (int hop = 1; hop < size; ++hop) {
        Held next = passage.roomFor(ownerAt(hop), reads.travelsRing(ownerAt(hop), hop));
        const Held sent = reads.travelsRing(ownerAt(hop - 1), hop) ? held : passage.nothing();
        Hop onItsWay(ring, 1, Communicator::Shape::Ring, sent.shard, next.shard);
        look(held, reads.reads(here, ownerAt(hop - 1)), visit);
        onItsWay.wait(trace);
        hops += next.exists ? 1 : 0;
        passage.release(std::exchange(held, std::move(next)));
    }
    look(held, reads.reads(here, ownerAt(size - 1)), visit);
    return hops;
}

int rotateKeysBothWays(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
                       const RingReads& reads, ScratchArena& scratch, Trace* trace, const KeyVisitor& visit) {
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
    const auto isRead = [&](int owner) { return owner >= 0 && owner <= hops && reads.reads(here, owner); };
    const auto onward = [&](const Held& held, bool travels) {
        return held.exists && travels ? held : passage.nothing();
    };
    int arrivals = 0;
    for (int hop = 1; hop <= hops; ++hop) {
        // What is here came from `hop - 1` places away, and goes on if anyone further on reads it.
        Held fromLeft = passage.roomFor(here - hop, here >= hop && reads.travelsRight(here - hop, hop));
        Held fromRight =
            passage.roomFor(here + hop, here + hop <= hops && reads.travelsLeft(here + hop, hop));
        const Held toRight = onward(rightward, here >= hop - 1 && reads.travelsRight(here - hop + 1, hop));
        const Held toLeft =
            onward(leftward, here + hop - 1 <= hops && reads.travelsLeft(here + hop - 1, hop));
        Hop right(line, 1, Communicator::Shape::Line, toRight.shard, fromLeft.shard);
        Hop left(line, -1, Communicator::Shape::Line, toLeft.shard, fromRight.shard);
        arrivals += (fromLeft.exists ? 1 : 0) + (fromRight.exists ? 1 : 0);
        look(rightward, isRead(here - hop + 1), visit);
        if (hop > 1)
            look(leftward, isRead(here + hop - 1), visit);
        right.wait(trace);
        left.wait(trace);
        passage.release(std::exchange(rightward, std::move(fromLeft)));
        if (hop > 1)
            passage.release(leftward);
        leftward = std::move(fromRight);
    }
    look(rightward, isRead(here - hops), visit);
    look(leftward, isRead(here + hops), visit);
    return arrivals;
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

namespace {

/// Where a device has what it lends: what it lends in the host's memory in the place of numbers that lie in
/// its own.
struct LentPlace {
    Memory* memory = nullptr;
    const std::byte* address = nullptr;
};

/// Keys, or values, that each device of a ring lends the others.
class LentRows {
  public:
    LentRows(Communicator& ring, const HeadTensor& own, std::span<const ShardRange> ranges)
        : m_own(own),
          m_ranges(ranges),
          m_place{.memory = own.data.memory(), .address = own.data.address()},
          m_blocks(ring.shareBlocks(block(), bytes())) {}

    [[nodiscard]] HeadTensor borrow(int position) {
        const std::byte* const lent = m_blocks.borrow(position);
        const Shape shape = m_own.shapeWith(m_ranges[static_cast<std::size_t>(position)].size());
        if (lendsNumbers())
            return {Tensor::view(lent, shape, m_own.data.dtype(), nullptr), m_own.order};
        LentPlace place;
        std::memcpy(&place, lent, sizeof place);
        return {Tensor::viewIn(place.memory, place.address, shape, m_own.data.dtype()), m_own.order};
    }
    void giveBack(int position) { m_blocks.giveBack(position); }
    void wait() { m_blocks.wait(); }

  private:
    [[nodiscard]] bool lendsNumbers() const { return m_place.memory == nullptr; }

    [[nodiscard]] ConstBlock block() const {
        return lendsNumbers() ? ConstBlock{.data = m_own.data.raw(),
                                           .rowBytes = static_cast<std::int64_t>(m_own.data.bytes())}
                              : ConstBlock{.data = reinterpret_cast<const std::byte*>(&m_place),
                                           .rowBytes = sizeof m_place};
    }
    [[nodiscard]] ScratchVector<std::int64_t> bytes() const {
        ScratchVector<std::int64_t> all;
        for (const ShardRange& range : m_ranges)
            all.push_back(lendsNumbers() ? m_own.shapeWith(range.size()).elements() *
                                               static_cast<std::int64_t>(byteSize(m_own.data.dtype()))
                                         : static_cast<std::int64_t>(sizeof m_place));
        return all;
    }

    const HeadTensor& m_own;
    std::span<const ShardRange> m_ranges;
    LentPlace m_place;
    SharedBlocks m_blocks;
};

/// Copies that read what a device borrows. They have ended before the loans go, whatever is thrown meanwhile:
/// declare it behind them.
class BorrowedReads {
  public:
    explicit BorrowedReads(Memory* borrower) : m_borrower(borrower) {}
    ~BorrowedReads() {
        try {
            wait();
        } catch (const std::exception&) {
            // The device is lost and reads no more, or has not answered for a minute: no wait is longer.
        }
    }
    BorrowedReads(const BorrowedReads&) = delete;
    BorrowedReads& operator=(const BorrowedReads&) = delete;

    void wait() {
        if (Memory* borrower = std::exchange(m_borrower, nullptr))
            borrower->awaitBorrowed();
    }

  private:
    Memory* m_borrower;
};

}  // namespace

int readKeysInPlace(Communicator& ring, std::span<const int> order, const KeyShard& own,
                    std::span<const ShardRange> ranges, const RingReads& reads, Trace* trace,
                    const KeyVisitor& visit, Memory* borrower) {
    if (ring.size() == 1) {
        visit(own);
        return 0;
    }
    LentRows keys(ring, own.key, ranges);
    LentRows values(ring, own.value, ranges);
    BorrowedReads borrowing(borrower);
    const auto giveBack = [&](int position) {
        keys.giveBack(position);
        values.giveBack(position);
    };
    int read = 0;
    for (const int position : order) {
        if (position == ring.position()) {
            visit(own);
            continue;
        }
        if (!reads.reads(ring.position(), position)) {
            // Its owner waits for everybody.
            static_cast<void>(keys.borrow(position));
            static_cast<void>(values.borrow(position));
            giveBack(position);
            continue;
        }
        ++read;
        KeyShard shard{.tokens = ranges[static_cast<std::size_t>(position)], .key = {}, .value = {}};
        {
            const Trace::Span span = traceSpan(trace, "rotate", "attention");
            shard.key = keys.borrow(position);
            shard.value = values.borrow(position);
        }
        visit(shard);
        if (borrower == nullptr)
            giveBack(position);
    }
    const Trace::Span span = traceSpan(trace, "rotate", "attention");
    if (borrower != nullptr) {
        borrowing.wait();
        for (const int position : order)
            if (position != ring.position() && reads.reads(ring.position(), position))
                giveBack(position);
    }
    keys.wait();
    values.wait();
    return read;
}

}  // namespace meshreel
