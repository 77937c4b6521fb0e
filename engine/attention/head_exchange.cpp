// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/head_exchange.h"

namespace meshreel {

namespace {

template <typename Byte>
using Blocks = std::vector<BasicBlock<Byte>>;

std::int64_t headBytes(const Tensor& tensor) {
    return tensor.extent(3) * static_cast<std::int64_t>(sizeOf(tensor.dtype()));
}

/// What each of `parts` devices computes of a chunk's heads, cut out of tensors with all tokens of one
/// device.
template <typename Byte>
Blocks<Byte> headParts(Byte* shard, const Tensor& like, const ShardRange& chunk, int parts) {
    const std::int64_t rowStride = like.extent(2) * headBytes(like);
    const std::int64_t partBytes = chunk.size() / parts * headBytes(like);
    Blocks<Byte> blocks;
    for (int part = 0; part < parts; ++part)
        blocks.push_back({.data = shard + chunk.begin * headBytes(like) + part * partBytes,
                          .rowBytes = partBytes,
                          .rows = like.extent(1),
                          .rowStride = rowStride,
                          .planes = like.extent(0),
                          .planeStride = like.extent(1) * rowStride});
    return blocks;
}

/// The tokens of each device, cut out of tensors with the tokens of all of them.
template <typename Byte>
Blocks<Byte> tokenParts(Byte* group, const Tensor& like, std::span<const ShardRange> tokens) {
    const std::int64_t tokenBytes = like.extent(2) * headBytes(like);
    Blocks<Byte> blocks;
    for (const ShardRange& range : tokens)
        blocks.push_back({.data = group + range.begin * tokenBytes,
                          .rowBytes = range.size() * tokenBytes,
                          .planes = like.extent(0),
                          .planeStride = like.extent(1) * tokenBytes});
    return blocks;
}

}  // namespace

HeadExchange::HeadExchange(Communicator& group, const ContextSplit& split, int ring, std::int64_t length)
    : m_group(&group), m_groupTokens(meshreel::groupTokens(split, length, ring)) {
    for (int device = 0; device < split.ulysses; ++device) {
        const ShardRange shard = shardOf(length, split.devices(), ring * split.ulysses + device);
        m_tokens.push_back({shard.begin - m_groupTokens.begin, shard.end - m_groupTokens.begin});
    }
}

ShardRange HeadExchange::headsOf(const ShardRange& chunk) const {
    const std::int64_t part = chunk.size() / m_group->size();
    const std::int64_t begin = chunk.begin + m_group->position() * part;
    return {begin, begin + part};
}

Pending HeadExchange::startToHeads(const Tensor& shard, const ShardRange& chunk, Tensor& group) {
    return m_group->startAllToAll(headParts(shard.raw(), shard, chunk, m_group->size()),
                                  tokenParts(group.raw(), group, m_tokens));
}

Pending HeadExchange::startToTokens(const Tensor& group, const ShardRange& chunk, Tensor& shard) {
    return m_group->startAllToAll(tokenParts(group.raw(), group, m_tokens),
                                  headParts(shard.raw(), shard, chunk, m_group->size()));
}

}  // namespace meshreel
