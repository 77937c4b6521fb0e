// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

/// Calls `visit` with the keys and values of every device of the ring, `own` first, while those that come
/// next are on their way; each device takes them from the one before it, and after size() - 1 hops all have
/// seen everything. `ranges` are the tokens of each position. The memory of `own` is overwritten; one more
/// pair comes from `scratch`, two where another shard is longer than `own`. Gives the hops.
int rotateKeys(Communicator& ring, const KeyShard& own, std::span<const ShardRange> ranges,
               ScratchArena& scratch, Trace* trace, const KeyVisitor& visit);

/// Rotates along a line that is not closed to a ring: keys and values travel from every device both ways, at
/// most size() - 1 hops each; in a hop both directions move at once. Takes three pairs from `scratch`, two on
/// lines of up to four devices, one at the ends of the line, and one more when another shard is longer than
/// `own`.
int rotateKeysBothWays(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
                       ScratchArena& scratch, Trace* trace, const KeyVisitor& visit);

/// Returns the positions whose keys a member meets, its own first: of a ring and of a line.
ScratchVector<int> ringOrder(int position, int size);
ScratchVector<int> lineOrder(int position, int size);

/// Rotates between devices that share memory: calls `visit` with the keys and values of the devices in
/// `order`, each in its owner's memory: the host's or, where `own` lies in a device's (Memory::isReached()),
/// in those of devices. Copies and overwrites nothing; `own` must not change until this returns. `visit` may
/// borrow what it gets for `borrower` (Tensor::borrow()); null: it is done with it when it returns. Returns
/// the hops that a rotation would take.
int readKeysInPlace(Communicator& ring, std::span<const int> order, const KeyShard& own,
                    std::span<const ShardRange> ranges, Trace* trace, const KeyVisitor& visit,
                    Memory* borrower = nullptr);

}  // namespace meshreel
