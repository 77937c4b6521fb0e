// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/function_ref.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// Keys and values of some tokens of the whole sequence, in the same order on every device.
struct KeyShard {
    ShardRange tokens;
    HeadTensor key;
    HeadTensor value;
};

using KeyVisitor = FunctionRef<void(const KeyShard&)>;

/// Which shards the members of a ring or a line read; the same on every member. Must end on the thread that
/// made it.
class RingReads {
  public:
    /// All read everything.
    explicit RingReads(int members);

    void set(int reader, int owner, bool isRead) { m_reads[indexOf(reader, owner)] = isRead ? 1 : 0; }
    [[nodiscard]] bool reads(int reader, int owner) const { return m_reads[indexOf(reader, owner)] != 0; }

    /// Returns whether a shard makes its hop number `hop` around the ring: the member that it comes to, or
    /// one behind it, reads it.
    [[nodiscard]] bool travelsRing(int owner, int hop) const;

    /// Returns whether a shard makes hop number `hop` along a line, to the right or to the left; the member
    /// that it comes to must exist.
    [[nodiscard]] bool travelsRight(int owner, int hop) const;
    [[nodiscard]] bool travelsLeft(int owner, int hop) const;

  private:
    [[nodiscard]] std::size_t indexOf(int reader, int owner) const {
        return static_cast<std::size_t>(reader) * static_cast<std::size_t>(m_members) +
               static_cast<std::size_t>(owner);
    }

    int m_members;
    ScratchVector<std::uint8_t> m_reads;  // [readers, owners]
};

/// Calls `visit` with the keys and values of every device of the ring that it reads, `own` first, while those
/// that come next are on their way; each device takes them from the one before it, and after size() - 1 hops
/// all have seen everything. What nobody further on reads is not sent. `ranges` are the tokens of each
/// position. The memory of `own` is overwritten; one more pair comes from `scratch`, two where another shard
/// is longer than `own`. Returns how many shards came: the hops of keys and
/// values that end here, size() - 1 where all read everything.
int rotateKeys(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
               const RingReads& reads, ScratchArena& scratch, Trace* trace, const KeyVisitor& visit);

/// Rotates along a line that is not closed to a ring: keys and values travel from every device both ways, at
/// most size() - 1 hops each; in a hop both directions move at once. Takes three pairs from `scratch`, two on
/// lines of up to four devices, one at the ends of the line, and one more when another shard is longer than
/// `own`.
int rotateKeysBothWays(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
                       const RingReads& reads, ScratchArena& scratch, Trace* trace, const KeyVisitor& visit);

/// Returns the positions whose keys a member meets, its own first: of a ring and of a line.
ScratchVector<int> ringOrder(int position, int size);
ScratchVector<int> lineOrder(int position, int size);

/// Rotates between devices that share memory: calls `visit` with the keys and values of the devices in
/// `order` that it reads, each in its owner's memory: the host's or, where `own` lies in a device's
/// (Memory::isReached()), in those of devices. Copies and overwrites nothing; `own` must not change until
/// this returns. `visit` may borrow what it gets for `borrower` (Tensor::borrow()); null: it is done with it
/// when it returns. Returns the shards of others that were read: the hops that a rotation would take.
int readKeysInPlace(Communicator& ring, std::span<const int> order, const KeyShard& own,
                    std::span<const ShardRange> ranges, const RingReads& reads, Trace* trace,
                    const KeyVisitor& visit, Memory* borrower = nullptr);

}  // namespace meshreel
