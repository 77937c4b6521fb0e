// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/base/function_ref.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/shard_range.h"
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

/// The same along a line without a way around: keys and values travel from every device both ways, at most
/// size() - 1 hops each; in a hop both directions move at once. Three pairs come from `scratch`, two on lines
/// of up to four devices, one at the ends of the line, and one more where another shard is longer than `own`.
int rotateKeysBothWays(Communicator& line, const KeyShard& own, std::span<const ShardRange> ranges,
                       ScratchArena& scratch, Trace* trace, const KeyVisitor& visit);

/// The positions whose keys a member meets, its own first: of a ring and of a line.
std::vector<int> ringOrder(int position, int size);
std::vector<int> lineOrder(int position, int size);

/// The same for devices that share memory: calls `visit` with the keys and values of the devices in `order`,
/// each where its owner has them. Nothing is copied or overwritten, and `own` must stay as it is until this
/// returns. Gives the hops that a rotation would take.
int readKeysInPlace(Communicator& ring, std::span<const int> order, const KeyShard& own,
                    std::span<const ShardRange> ranges, Trace* trace, const KeyVisitor& visit);

}  // namespace meshreel
