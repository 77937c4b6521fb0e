// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_inputs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_layout.h"

namespace meshreel {

namespace {

// Rows up to the last one that is not zero in some batch element.
std::int64_t rowsInUse(const Tensor& text) {
    const auto values = text.data<float>();
    const auto width = static_cast<std::size_t>(text.extent(2));
    std::int64_t used = 0;
    for (std::int64_t batch = 0; batch < text.extent(0); ++batch)
        for (std::int64_t row = text.extent(1); row > used; --row) {
            const auto begin = static_cast<std::size_t>(batch * text.extent(1) + row - 1) * width;
            if (std::ranges::any_of(values.subspan(begin, width), [](float value) { return value != 0.0F; }))
                used = row;
        }
    return used;
}

// `kept` rows of each batch element of x, the last one again for all that `rows` has beyond.
Tensor withRows(const Tensor& x, std::int64_t kept, std::int64_t rows) {
    Tensor result = Tensor::empty({x.extent(0), rows, x.extent(2)});
    const auto width = static_cast<std::size_t>(x.extent(2));
    auto to = result.data<float>().begin();
    for (std::int64_t batch = 0; batch < x.extent(0); ++batch)
        for (std::int64_t row = 0; row < rows; ++row) {
            const auto from = static_cast<std::size_t>(batch * x.extent(1) + std::min(row, kept - 1)) * width;
            to = std::ranges::copy(x.data<float>().subspan(from, width), to).out;
        }
    return result;
}

}  // namespace

PaddedText PaddedText::of(const Tensor& text) {
    const std::int64_t rows = text.extent(1);
    const std::int64_t kept = std::min(rows, rowsInUse(text) + 1);
    return {.rows = kept == rows ? text : withRows(text, kept, kept), .lastRowCount = rows - kept + 1};
}

Tensor PaddedText::repeated(const Tensor& kept) const {
    return withRows(kept, kept.extent(1), kept.extent(1) + lastRowCount - 1);
}

WanConditions WanConditions::zeros(const WanTransformerConfig& config, std::int64_t videos,
                                   std::int64_t latentFrames) {
    constexpr std::int64_t faceColours = 3;
    constexpr std::int64_t facesPerLatent = 4;
    WanConditions conditions{.text = Tensor::zeros({videos, 1, config.textDim})};
    if (config.imageDim > 0)
        conditions.image = config.imagePositions > 0
                               ? Tensor::zeros({2 * videos, config.imagePositions / 2, config.imageDim})
                               : Tensor::zeros({videos, 1, config.imageDim});
    if (config.animate)
        conditions.faces = Tensor::zeros({videos, faceColours, facesPerLatent * (latentFrames - 2) + 1,
                                          config.animate->faceSide, config.animate->faceSide});
    if (config.sound)
        conditions.sound = Tensor::zeros(
            {videos, config.sound->states, config.sound->width, SoundConfig::columnsPerFrame * latentFrames});
    return conditions;
}

WanInputs WanInputs::zeros(const WanTransformerConfig& config, std::int64_t videos, std::int64_t frames,
                           std::int64_t rows, std::int64_t columns) {
    WanInputs inputs{.latents = Tensor::zeros({videos, config.inChannels, frames, rows, columns}),
                     .timesteps = Tensor::zeros({videos})};
    if (config.vaceChannels > 0)
        inputs.control = Tensor::zeros({videos, config.vaceChannels, frames, rows, columns});
    if (config.animate)
        inputs.pose = Tensor::zeros({videos, config.animate->poseChannels, frames - 1, rows, columns});
    if (config.sound)
        inputs.pose = Tensor::zeros({videos, config.sound->poseChannels, frames, rows, columns});
    return inputs;
}

ShardRange ownTokens(Device& device, std::int64_t length) {
    const Communicator& context = device.along(MeshAxis::Context);
    return shardRange(length, context.size(), context.position());
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
        const ShardRange range = shardRange(tokens, context.size(), position);
        parts.push_back({.data = all.raw() + range.begin * tokenBytes,
                         .rowBytes = range.size() * tokenBytes,
                         .rows = all.extent(0),
                         .rowStride = tokens * tokenBytes});
    }
    context.allGather(toBlock(own.data<float>()), parts);
    return all;
}

ShardRange ownVideos(Device& device, std::int64_t videos) {
    const Communicator& batch = device.batch();
    return balancedShard(videos, batch.size(), batch.position());
}

Tensor gatherVideos(Device& device, const Tensor& own, std::int64_t videos) {
    Communicator& batch = device.batch();
    if (batch.size() == 1)
        return own;
    Tensor all = Tensor::empty(own.shape().with(0, videos));
    std::vector<Block> parts;
    for (int position = 0; position < batch.size(); ++position) {
        const ShardRange range = balancedShard(videos, batch.size(), position);
        parts.push_back(toBlock(all.slice(range.begin, range.end).data<float>()));
    }
    batch.allGather(toBlock(own.data<float>()), parts);
    return all;
}

}  // namespace meshreel
