// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"

namespace meshreel::testing {

/// What a transformer is called with.
struct WanCall {
    WanInputs inputs;
    WanConditions conditions;

    [[nodiscard]] std::int64_t videos() const { return inputs.latents.extent(0); }

    /// `size` is [videos, frames, rows, columns].
    static WanCall random(const WanTransformerConfig& config, const Shape& size, std::int64_t textTokens,
                          std::uint32_t seed) {
        Tensor timesteps = Tensor::empty({size[0]});
        for (float& timestep : timesteps.data<float>())
            timestep = 937.5F - 100.0F * static_cast<float>(&timestep - timesteps.data<float>().data());
        WanCall call{
            .inputs = {.latents = randomTensor({size[0], config.inChannels, size[1], size[2], size[3]}, seed),
                       .timesteps = timesteps},
            .conditions = {.text = randomTensor({size[0], textTokens, config.textDim}, seed + 1)}};
        if (config.imageDim > 0) {
            const std::int64_t images = config.imagePositions > 0 ? 2 : 1;
            const std::int64_t tokens = config.imagePositions > 0 ? config.imagePositions / images : 5;
            call.conditions.image = randomTensor({images * size[0], tokens, config.imageDim}, seed + 2);
        }
        if (config.vaceChannels > 0) {  // of all frames but the last one
            call.inputs.control = randomTensor(
                {size[0], config.vaceChannels, std::max<std::int64_t>(1, size[1] - 1), size[2], size[3]},
                seed + 3);
            for (std::size_t block = 0; block < config.vaceLayers.size(); ++block)
                call.inputs.controlScales.push_back(1.0F - 0.3F * static_cast<float>(block));
        }
        if (config.animate) {
            const std::int64_t side = config.animate->faceSide;
            call.inputs.pose = randomTensor(
                {size[0], config.animate->poseChannels, size[1] - 1, size[2], size[3]}, seed + 4);
            call.conditions.faces = randomTensor({size[0], 3, 4 * (size[1] - 2) + 1, side, side}, seed + 5);
        }
        if (config.sound) {
            const SoundConfig& sound = *config.sound;
            call.inputs.pose =
                randomTensor({size[0], sound.poseChannels, size[1], size[2], size[3]}, seed + 4);
            call.inputs.groups = {
                {.latents = randomTensor({size[0], config.inChannels, 1, size[2], size[3]}, seed + 8),
                 .firstFrame = SoundConfig::referenceFrame},
                {.latents = randomTensor({size[0], config.inChannels, motionLatentFrames, size[2], size[3]},
                                         seed + 9),
                 .embedding = PatchEmbedding::Motion}};
            call.inputs.soundScale = 0.8F;
            call.conditions.sound = randomTensor(
                {size[0], sound.states, sound.width, SoundConfig::columnsPerFrame * size[1]}, seed + 10);
        }
        return call;
    }

    /// A negative text of another length, by which attention is guided.
    void guideAttention(const WanTransformerConfig& config, std::uint32_t seed) {
        conditions.negativeText = randomTensor({videos(), 5, config.textDim}, seed);
        conditions.guidance = {.scale = 3, .tau = 1.5F, .alpha = 0.5F};
    }

    /// Two parts of the text that hold for some of the frames, the first from the text's beginning on.
    void timeText() {
        const auto frames = static_cast<std::size_t>(inputs.latents.extent(2));
        std::vector<float> falling(frames);
        std::vector<float> rising(frames);
        for (std::size_t frame = 0; frame < frames; ++frame) {
            const auto distance = static_cast<float>(frame);
            falling[frame] = -1.5F * distance * distance;
            rising[frames - 1 - frame] = -24.0F * distance;
        }
        conditions.timed = {{{0, 2}, falling}, {{3, 5}, rising}};
    }

    /// The first token of every video at time 0, as behind a first image; tokens in between at a third time.
    void giveEveryTokenATime(const WanTransformerConfig& config) {
        const Shape& size = inputs.latents.shape();
        const std::int64_t tokens = size[2] * size[3] * size[4] / config.patchElements();
        Tensor timesteps = Tensor::empty({videos(), tokens});
        for (std::int64_t index = 0; index < timesteps.elements(); ++index) {
            const std::int64_t token = index % tokens;
            timesteps.data<float>()[static_cast<std::size_t>(index)] =
                token < tokens / 3       ? 0.0F
                : token < tokens * 4 / 5 ? 937.5F - 100.0F * static_cast<float>(index / tokens)
                                         : 300.0F;
        }
        inputs.timesteps = timesteps;
    }

    /// Two groups whose tokens are odd in number and fit no shard: one behind the video in time, one of a
    /// source, among its first frames, of another size.
    void addGroups(const WanTransformerConfig& config, std::uint32_t seed) {
        const Shape& size = inputs.latents.shape();
        inputs.groups = {{.latents = randomTensor({videos(), config.inChannels, 1, size[3], 2}, seed),
                          .firstFrame = size[2]},
                         {.latents = randomTensor({videos(), config.inChannels, 3, 2, 10}, seed + 1),
                          .firstFrame = 1,
                          .source = 2}};
    }

    /// A reference picture of the video's size, a frame before its first.
    void addReference(const WanTransformerConfig& config, std::uint32_t seed) {
        const Shape& size = inputs.latents.shape();
        inputs.groups.push_back(
            {.latents = randomTensor({videos(), config.referenceChannels, 1, size[3], size[4]}, seed),
             .firstFrame = -1,
             .embedding = PatchEmbedding::Reference});
    }

    [[nodiscard]] WanCall slice(ShardRange range) const {
        const auto rows = [&](const Tensor& tensor) {
            const std::int64_t each = tensor.extent(0) / videos();  // first and last images are two
            return tensor.slice(range.begin * each, range.end * each);
        };
        const auto optionalRows = [&](const std::optional<Tensor>& tensor) {
            return tensor ? std::optional(rows(*tensor)) : std::nullopt;
        };
        std::vector<TokenGroup> groups;
        for (const TokenGroup& group : inputs.groups)
            groups.push_back({.latents = rows(group.latents),
                              .firstFrame = group.firstFrame,
                              .embedding = group.embedding,
                              .source = group.source});
        return {.inputs = {.latents = rows(inputs.latents),
                           .timesteps = rows(inputs.timesteps),
                           .groups = groups,
                           .control = optionalRows(inputs.control),
                           .controlScales = inputs.controlScales,
                           .pose = optionalRows(inputs.pose),
                           .soundScale = inputs.soundScale},
                .conditions = {.text = rows(conditions.text),
                               .timed = conditions.timed,
                               .image = optionalRows(conditions.image),
                               .negativeText = optionalRows(conditions.negativeText),
                               .guidance = conditions.guidance,
                               .faces = optionalRows(conditions.faces),
                               .sound = optionalRows(conditions.sound)}};
    }
};

/// A transformer whose weights the devices of one process keep as their places in the mesh want it.
class WanOnMesh {
  public:
    WanOnMesh(const RandomWan& model, const AttentionSettings& attention, const MeshShape& shape,
              const WanPrecision& precision = {})
        : WanOnMesh(model.config(), model.checkpoint(), attention, shape, precision) {}

    WanOnMesh(const WanTransformerConfig& config, const Checkpoint& checkpoint,
              const AttentionSettings& attention, const MeshShape& shape, const WanPrecision& precision = {},
              std::optional<std::int64_t> residentLayers = {})
        : m_mesh({.layout = MeshLayout(shape), .workersPerDevice = 1}) {
        const AttentionPlans plans = planAttentions(attention, config, shape);
        for (int fsdp = 0; fsdp < shape.fsdp; ++fsdp)
            for (int tensor = 0; tensor < shape.tensor; ++tensor)
                m_parts[{fsdp, tensor}] =
                    std::make_unique<WanTransformer>(config, checkpoint, plans,
                                                     WeightShard{.fsdpIndex = fsdp,
                                                                 .fsdpDevices = shape.fsdp,
                                                                 .tensorIndex = tensor,
                                                                 .tensorDevices = shape.tensor},
                                                     precision, nullptr, residentLayers);
    }

    [[nodiscard]] DeviceMesh& mesh() { return m_mesh; }

    [[nodiscard]] const WanTransformer& of(const Device& device) const {
        return *m_parts.at({device.at().fsdp, device.at().tensor});
    }

    /// What the devices of this process keep, without what equal parts share.
    [[nodiscard]] std::size_t residentBytes() const {
        std::size_t sum = 0;
        for (const auto& [place, part] : m_parts)
            sum += part->residentBytes();
        return sum;
    }

    /// The predictions for all videos, which every device must have got to the same bits.
    Tensor predict(const WanCall& call) {
        std::vector<Tensor> found(static_cast<std::size_t>(m_mesh.localDevices()));
        m_mesh.run({}, nullptr, [&](Device& device) {
            const WanCall own = call.slice(ownVideos(device, call.videos()));
            const Tensor prediction = of(device).forward(device, own.inputs, own.conditions);
            found[static_cast<std::size_t>(device.index())] = gatherVideos(device, prediction, call.videos());
        });
        for (const Tensor& other : found)
            EXPECT_TRUE(std::ranges::equal(other.data<float>(), found.front().data<float>()))
                << "devices have different predictions";
        return found.front();
    }

  private:
    DeviceMesh m_mesh;
    std::map<std::pair<int, int>, std::unique_ptr<WanTransformer>> m_parts;
};

/// Every mesh of up to `devices` devices.
inline std::vector<MeshShape> meshesUpTo(int devices) {
    std::vector<MeshShape> shapes;
    for (int data = 1; data <= devices; ++data)
        for (int fsdp = 1; data * fsdp <= devices; ++fsdp)
            for (int context = 1; data * fsdp * context <= devices; ++context)
                for (int tensor = 1; data * fsdp * context * tensor <= devices; ++tensor)
                    shapes.push_back({.data = data, .fsdp = fsdp, .context = context, .tensor = tensor});
    return shapes;
}

/// The largest difference, as a part of the largest expected value.
inline double relativeError(const Tensor& found, const Tensor& expected) {
    EXPECT_EQ(found.shape(), expected.shape());
    double error = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
        const auto wanted = static_cast<double>(expected.data<float>()[i]);
        error = std::max(error, std::abs(static_cast<double>(found.data<float>()[i]) - wanted));
        largest = std::max(largest, std::abs(wanted));
    }
    return error / largest;
}

}  // namespace meshreel::testing
