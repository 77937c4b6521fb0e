// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/batch_videos.h"

#include <utility>
#include <vector>

namespace meshreel {

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
