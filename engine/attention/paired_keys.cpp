// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/paired_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

/// The queries that a device computes, of the whole sequence.
ShardRange computedQueries(const AttentionPlan& plan, const FramePairs& pairs, int device) {
    return plan.split.ulysses > 1 ? groupTokens(plan.split, pairs.queryLength(), device / plan.split.ulysses)
                                  : shardRange(pairs.queryLength(), plan.split.devices(), device);
}

ShardRange overlap(const ShardRange& one, const ShardRange& other) {
    const std::int64_t begin = std::max(one.begin, other.begin);
    return {begin, std::max(begin, std::min(one.end, other.end))};
}

/// Tokens and heads of one batch element of `tensor` [batch, tokens, heads, headDim], whose memory is `data`.
template <typename Byte>
BasicBlock<Byte> tokensAndHeads(Byte* data, const Tensor& tensor, std::int64_t batch,
                                const ShardRange& tokens, const ShardRange& heads) {
    const std::int64_t headBytes = tensor.extent(3) * static_cast<std::int64_t>(byteSize(tensor.dtype()));
    const std::int64_t tokenBytes = tensor.extent(2) * headBytes;
    return {.data = data + (batch * tensor.extent(1) + tokens.begin) * tokenBytes + heads.begin * headBytes,
            .rowBytes = heads.size() * headBytes,
            .rows = tokens.size(),
            .rowStride = tokenBytes};
}

ShardRange movedBy(const ShardRange& range, std::int64_t by) {
    return {range.begin + by, range.end + by};
}

}  // namespace

PairedShare pairedShare(const AttentionPlan& plan, const FramePairs& pairs, int device) {
    PairedShare share;
    const ShardRange queries = computedQueries(plan, pairs, device);
    if (queries.size() > 0) {
        const std::int64_t each = pairs.tokensPerFrame;
        const std::int64_t first = queries.begin / each - pairs.firstPaired;
        const std::int64_t end = (queries.end + each - 1) / each - pairs.firstPaired;
        share.tokens = {std::max<std::int64_t>(0, first) * each, std::max<std::int64_t>(0, end) * each};
    }
    if (plan.split.ulysses == 1)
        share.heads = {{0, plan.heads}};
    else
        for (const ShardRange& chunk : plan.chunks)
            share.heads.push_back(headShard(chunk, plan.split.ulysses, device % plan.split.ulysses));
    return share;
}

std::vector<QueryKeyPair> pairsOf(const FramePairs& pairs, const PairedShare& share,
                                  const ShardRange& queries) {
    std::vector<QueryKeyPair> found;
    const std::int64_t each = pairs.tokensPerFrame;
    for (std::int64_t frame = std::max(pairs.firstPaired, queries.begin / each);
         frame < pairs.frames && frame * each < queries.end; ++frame) {
        const ShardRange own = overlap(queries, {frame * each, (frame + 1) * each});
        found.push_back({.firstQuery = own.begin - queries.begin,
                         .queries = own.size(),
                         .firstKey = (frame - pairs.firstPaired) * each - share.tokens.begin,
                         .keys = each});
    }
    return found;
}

std::vector<Tensor> gatherPaired(Device& device, const AttentionPlan& plan, const FramePairs& pairs,
                                 const Tensor& own) {
    Communicator& context = device.along(MeshAxis::Context);
    const ShardRange held = shardRange(pairs.keyLength(), context.size(), context.position());
    if (own.shape().rank() != 4 || own.extent(1) != held.size() || own.extent(2) != plan.heads ||
        plan.split.devices() != context.size())
        throw Error(ErrorKind::Internal, fmt::format("{} keys of {} heads for pairs of frames came in {}",
                                                     held.size(), plan.heads, own.shape().text()));
    if (context.size() == 1)
        return {own.clone()};
    const auto span = traceSpan(device.execution().trace, "exchange", "attention");
    const Tensor shard = own.host();
    const PairedShare mine = pairedShare(plan, pairs, context.position());
    std::vector<Tensor> gathered;
    for (std::size_t chunk = 0; chunk < mine.heads.size(); ++chunk) {
        Tensor whole = Tensor::empty(
            {shard.extent(0), mine.tokens.size(), mine.heads[chunk].size(), shard.extent(3)}, shard.dtype());
        for (std::int64_t batch = 0; batch < shard.extent(0); ++batch) {
            ScratchVector<ConstBlock> sends;
            ScratchVector<Block> receives;
            for (int other = 0; other < context.size(); ++other) {
                const PairedShare theirs = pairedShare(plan, pairs, other);
                sends.push_back(tokensAndHeads(shard.raw(), shard, batch,
                                               movedBy(overlap(held, theirs.tokens), -held.begin),
                                               theirs.heads[chunk]));
                const ShardRange given =
                    overlap(shardRange(pairs.keyLength(), context.size(), other), mine.tokens);
                receives.push_back(tokensAndHeads(whole.raw(), whole, batch,
                                                  movedBy(given, -mine.tokens.begin),
                                                  {0, mine.heads[chunk].size()}));
            }
            context.allToAll(sends, receives);
        }
        gathered.push_back(whole.in(own.memory()));
    }
    return gathered;
}

}  // namespace meshreel
