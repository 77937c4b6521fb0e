// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/head_exchange.h"

namespace meshreel {

namespace {

template <typename Byte>
using Blocks = std::vector<BasicBlock<Byte>>;

std::int64_t headBytes(const Tensor& tensor) {
    return tensor.extent(3) * static_cast<std::int64_t>(sizeOf(tensor.dtype()));
}

/// What each of `parts` devices computes of a chunk's heads, cut out of one batch element of a tensor with
/// all heads, by token. `data` is the memory of `shard`.
template <typename Byte>
Blocks<Byte> headParts(Byte* data, const Tensor& shard, std::int64_t batch, const ShardRange& chunk,
                       int parts) {
    const std::int64_t rowBytes = headBytes(shard);
    const std::int64_t tokenBytes = shard.extent(2) * rowBytes;
    const std::int64_t heads = chunk.size() / parts;
    Blocks<Byte> blocks;
    for (int part = 0; part < parts; ++part)
        blocks.push_back(
            {.data = data + batch * shard.extent(1) * tokenBytes + (chunk.begin + part * heads) * rowBytes,
             .rowBytes = rowBytes,
             .rows = shard.extent(1),
             .rowStride = tokenBytes,
             .planes = heads,
             .planeStride = rowBytes});
    return blocks;
}

/// The tokens of each device, cut out of one batch element of a tensor with the tokens of all of them, by
/// head.
template <typename Byte>
Blocks<Byte> tokenParts(Byte* data, const Tensor& group, std::int64_t batch,
                        std::span<const ShardRange> tokens) {
    const std::int64_t rowBytes = headBytes(group);
    const std::int64_t planeBytes = group.extent(2) * rowBytes;
    Blocks<Byte> blocks;
    for (const ShardRange& range : tokens)
        blocks.push_back({.data = data + batch * group.extent(1) * planeBytes + range.begin * rowBytes,
                          .rowBytes = range.size() * rowBytes,
                          .planes = group.extent(1),
                          .planeStride = planeBytes});
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

Exchanges HeadExchange::startToHeads(const Tensor& shard, const ShardRange& chunk, HeadTensor& group) {
    Exchanges exchanges;
    for (std::int64_t batch = 0; batch < shard.extent(0); ++batch)
        exchanges.push_back(
            m_group->startAllToAll(headParts(shard.raw(), shard, batch, chunk, m_group->size()),
                                   tokenParts(group.data.raw(), group.data, batch, m_tokens)));
    return exchanges;
}

Exchanges HeadExchange::startToTokens(const HeadTensor& group, const ShardRange& chunk, Tensor& shard) {
    Exchanges exchanges;
    for (std::int64_t batch = 0; batch < shard.extent(0); ++batch)
        exchanges.push_back(
            m_group->startAllToAll(tokenParts(group.data.raw(), group.data, batch, m_tokens),
                                   headParts(shard.raw(), shard, batch, chunk, m_group->size())));
    return exchanges;
}

}  // namespace meshreel
