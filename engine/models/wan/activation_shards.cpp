// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/activation_shards.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace meshreel {

ShardRange ownTokens(Device& device, std::int64_t length) {
    const Communicator& context = device.along(MeshAxis::Context);
    return shardOf(length, context.size(), context.position());
}

Tensor tokensOfEach(const Tensor& x, ShardRange range) {
    if (range.size() == x.extent(1))
        return x;
    Tensor part = Tensor::empty({x.extent(0), range.size(), x.extent(2)});
    for (std::int64_t index = 0; index < x.extent(0); ++index) {
        const Tensor one = x.slice(index, index + 1).reshaped({x.extent(1), x.extent(2)});
        std::ranges::copy(one.slice(range.begin, range.end).data<float>(),
                          part.slice(index, index + 1).data<float>().begin());
    }
    return part;
}

Tensor gatherTokens(Device& device, const Tensor& own, std::int64_t tokens) {
    Communicator& context = device.along(MeshAxis::Context);
    if (context.size() == 1)
        return own;
    Tensor all = Tensor::empty({own.extent(0), tokens, own.extent(2)});
    const std::int64_t tokenBytes = own.extent(2) * static_cast<std::int64_t>(sizeof(float));
    std::vector<Block> parts;
    for (int position = 0; position < context.size(); ++position) {
        const ShardRange range = shardOf(tokens, context.size(), position);
        parts.push_back({.data = all.raw() + range.begin * tokenBytes,
                         .rowBytes = range.size() * tokenBytes,
                         .rows = all.extent(0),
                         .rowStride = tokens * tokenBytes});
    }
    context.allGather(blockOf(own.data<float>()), parts);
    return all;
}

ShardRange ownVideos(Device& device, std::int64_t videos) {
    const Communicator& batch = device.batch();
    return balancedShardOf(videos, batch.size(), batch.position());
}

Tensor gatherVideos(Device& device, const Tensor& own, std::int64_t videos) {
    Communicator& batch = device.batch();
    if (batch.size() == 1)
        return own;
    std::vector<std::int64_t> extents = own.shape().extents();
    extents[0] = videos;
    Tensor all = Tensor::empty(Shape(std::move(extents)));
    std::vector<Block> parts;
    for (int position = 0; position < batch.size(); ++position) {
        const ShardRange range = balancedShardOf(videos, batch.size(), position);
        parts.push_back(blockOf(all.slice(range.begin, range.end).data<float>()));
    }
    batch.allGather(blockOf(own.data<float>()), parts);
    return all;
}

}  // namespace meshreel
