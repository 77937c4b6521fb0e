// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/transformer/block_keeper.h"
#include "engine/models/transformer/token_shards.h"
#include "engine/models/transformer/wan_pass.h"
#include "engine/models/transformer/wan_preparation.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

void requireGiven(const Sentence& what, const char* where, bool given, bool wanted) {
    if (given != wanted)
        throw Error(ErrorKind::Input,
                    given ? sentence("This transformer has no use for {}", what)
                          : sentence("This transformer needs {}", what),
                    where, sentence("Choose the task that the model was made for"));
}

void requireFaces(const AnimateConfig& config, const Shape& faces, std::int64_t batch) {
    constexpr std::int64_t colours = 3;
    if (faces.rank() != 5 || faces[2] < 1 ||
        faces != Shape{batch, colours, faces[2], config.faceSide, config.faceSide})
        throw Error(ErrorKind::Input,
                    sentence("{} videos of this transformer need face videos [{}, {}, frames, {}, {}], "
                             "got {}",
                             batch, batch, colours, config.faceSide, config.faceSide, faces.text()),
                    "faces", sentence("Scale the faces to {}x{} pixels", config.faceSide, config.faceSide));
}

void requireControl(const WanTransformerConfig& config, const WanInputs& inputs) {
    const std::size_t blocks = config.vaceLayers.size();
    requireGiven(sentence("a control video"), "control", inputs.control.has_value(), blocks > 0);
    if (!inputs.control)
        return;
    const Shape& latents = inputs.latents.shape();
    const Shape& control = inputs.control->shape();
    if (control.rank() != 5 || control[2] > latents[2] ||
        control != Shape{latents[0], config.vaceChannels, control[2], latents[3], latents[4]})
        throw Error(ErrorKind::Input,
                    sentence("Latents of shape {} need a control of {} channels and no other size, got {}",
                             latents.text(), config.vaceChannels, control.text()),
                    "control", sentence("Encode the control video at the size of the video"));
    if (!inputs.controlScales.empty() && inputs.controlScales.size() != blocks)
        throw Error(
            ErrorKind::Input,
            sentence("{} control scales were given for {} VACE blocks", inputs.controlScales.size(), blocks),
            "conditioning_scale", sentence("Give one scale for each block, or one for all"));
}

void requirePose(const WanTransformerConfig& config, const WanInputs& inputs) {
    requireGiven(sentence("a pose video"), "pose", inputs.pose.has_value(), config.animate.has_value());
    if (!inputs.pose)
        return;
    const Shape& latents = inputs.latents.shape();
    const Shape& pose = inputs.pose->shape();
    if (pose != Shape{latents[0], config.animate->poseChannels, latents[2] - 1, latents[3], latents[4]})
        throw Error(ErrorKind::Input,
                    sentence("Latents of shape {} need a pose of {} channels and {} frames, got {}",
                             latents.text(), config.animate->poseChannels, latents[2] - 1, pose.text()),
                    "pose", sentence("Encode the pose video at the size of the video"));
}

bool packsWithoutGrowing(const LayerSource& source) {
    return std::ranges::all_of(source.parameters(), [&](const WanParameter& parameter) {
        return !parameter.blockLinear || source.staysQuantised(parameter) ||
               source.packsWithoutGrowing(parameter);
    });
}

}  // namespace

WanTransformer::WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                               const AttentionSettings& attention, const WeightShard& shard,
                               const WanPrecision& precision, PackedLinearStore* store,
                               std::optional<std::int64_t> residentLayers)
    : m_config(config),
      m_attention(attention),
      m_crossAttention(crossAttentionSettings(attention)),
      m_shard(shard),
      m_precision(precision),
      m_gatherMeter(std::make_shared<MemoryMeter>()) {
    requireTensorDivides(config, shard.tensorDevices);
    const auto kept = std::make_shared<const Checkpoint>(checkpoint);
    const std::vector<WanLayer> layers = wanLayers(config);
    const std::int64_t resident = residentLayers.value_or(std::ssize(layers));
    // A store must be filled with all layers or none. Streamed ones gain nothing where packing makes more
    // bytes to read of them.
    if (residentLayers && store != nullptr && store->collects() &&
        !std::ranges::all_of(layers, [&](const WanLayer& layer) {
            return packsWithoutGrowing(LayerSource(layer, kept, shard, precision));
        }))
        store = nullptr;
    for (const WanLayer& layer : layers) {
        const bool stays = staysResident(std::ssize(m_layers), std::ssize(layers), resident);
        m_layers.emplace_back(layer, kept, shard, precision, store,
                              stays ? Residence::Kept : Residence::Streamed);
        m_places.push_back(layer.place);
    }
}

void WanTransformer::setAttention(const AttentionSettings& attention) {
    m_attention = attention;
    m_crossAttention = crossAttentionSettings(attention);
}

std::size_t WanTransformer::residentBytes() const {
    std::size_t sum = 0;
    for (const LayerWeights& layer : m_layers)
        sum += layer.residentBytes();
    return sum;
}

// MaxDiffusion's rules: text and image are whole on every device, but for modes that exchange them as they
// exchange the video's tokens.
bool WanTransformer::crossSharded() const {
    return m_crossAttention.mode->exchange == Exchange::Ulysses;
}

ShardRange WanTransformer::ownKeys(Device& device, std::int64_t count) const {
    return crossSharded() ? ownTokens(device, count) : ShardRange{0, count};
}

void WanTransformer::requireOwnDevice(const Device& device) const {
    if (WeightShard::of(device) != m_shard)
        throw Error(ErrorKind::Internal,
                    fmt::format("device {} was given the weights of another", device.index()));
}

WanContext WanTransformer::prepare(Device& device, const WanConditions& conditions,
                                   const Probe& probe) const {
    requireOwnDevice(device);
    requireFit(conditions);
    return Preparation(*this, device, probe).run(conditions);
}

Tensor WanTransformer::forward(Device& device, const WanInputs& inputs, const WanConditions& conditions,
                               const Probe& probe) const {
    return forward(device, inputs, prepare(device, conditions, probe), probe);
}

Tensor WanTransformer::forward(Device& device, const WanInputs& inputs, const WanContext& context,
                               const Probe& probe) const {
    const std::array<const WanContext*, 1> contexts{&context};
    return forward(device, inputs, contexts, rotary(device, inputs.latents.shape()), probe).front();
}

std::vector<Tensor> WanTransformer::forward(Device& device, const WanInputs& inputs,
                                            std::span<const WanContext* const> contexts,
                                            const RotaryTable& rotary, const Probe& probe,
                                            BlockReuse* reuse) const {
    requireOwnDevice(device);
    const auto whole = traceSpan(device.execution().trace, "WanModel");
    const Tensor& latents = inputs.latents;
    const TokenGrid grid = WanPatches(m_config).grid(latents.shape());
    for (const WanContext* context : contexts)
        requireFit(inputs, grid, *context);
    if (latents.extent(0) > 0)
        return Pass(*this, device, grid, rotary, probe).run(inputs, contexts, reuse);
    walkLayers(device, contexts.size(), reuse);
    return {contexts.size(), Tensor::empty({0, m_config.outChannels, latents.extent(2), latents.extent(3),
                                            latents.extent(4)})};
}

RotaryTable WanTransformer::rotary(Device& device, const Shape& latents) const {
    const auto span = traceSpan(device.execution().trace, "rotary_embedding");
    const TokenGrid grid = WanPatches(m_config).grid(latents);
    const ShardRange own = ownTokens(device, grid.tokens());
    return rotaryTable(grid, m_config.headDim, own.begin, own.end);
}

Tensor WanTransformer::timeProjections(Device& device, const Tensor& timesteps) const {
    requireOwnDevice(device);
    const std::size_t embeddings = route().embeddings;
    LayerStream stream = layers(device, embeddings, embeddings + 1);
    return WanEmbeddings(m_config, stream.next())
        .embedTime(device.execution(), TokenTimes(timesteps, {0, 1}), {})
        .projection;
}

WanTransformer::Route WanTransformer::route() const {
    const auto placeOf = [this](const auto& found) {
        return static_cast<std::size_t>(found - m_places.begin());
    };
    return {
        .embeddings = placeOf(std::ranges::find(m_places, WanLayerRole::Embeddings, &WanLayerPlace::role)),
        .behindFirstBlock =
            placeOf(std::ranges::find(m_places, WanLayerRole::VideoBlock, &WanLayerPlace::role)) + 1,
        .output = m_places.size() - 1};
}

LayerStream WanTransformer::layers(Device& device, std::size_t begin, std::size_t end) const {
    return {std::span(m_layers).subspan(begin, end - begin), device.along(MeshAxis::Fsdp), m_gatherMeter,
            &device.execution()};
}

void WanTransformer::walkLayers(Device& device, std::size_t contexts, BlockReuse* reuse) const {
    const auto walk = [&](std::size_t begin, std::size_t end) {
        LayerStream stream = layers(device, begin, end);
        for (std::size_t layer = begin; layer < end; ++layer) {
            throwIfStopped(device.execution().stop);
            static_cast<void>(stream.next());
        }
    };
    BlockKeeper keeper(device.execution(), reuse, contexts);
    const Route route = this->route();
    const std::size_t end = route.output + 1;
    for (std::size_t context = 0; context < contexts; ++context) {
        const std::size_t begin = route.embeddings + (context == 0 ? 0 : 1);
        if (keeper.skips()) {
            walk(begin, route.embeddings + 1);
            walk(route.output, end);
        } else if (keeper.asks()) {
            walk(begin, route.behindFirstBlock);
            const bool skipped = context == 0 ? keeper.askWithoutVideos() : reuse->skipped;
            walk(skipped ? route.output : route.behindFirstBlock, end);
        } else {
            walk(begin, end);
        }
    }
}

void WanTransformer::requireFit(const WanConditions& conditions) const {
    const Shape& text = conditions.text.shape();
    if (text.rank() != 3 || text[2] != m_config.textDim)
        throw Error(ErrorKind::Input,
                    sentence("The transformer needs text embeddings [batch, tokens, {}], got {}",
                             m_config.textDim, text.text()),
                    "text encoder", sentence("Use the text encoder that belongs to the transformer"));
    requireGiven(sentence("the embedding of an image"), "image", conditions.image.has_value(),
                 m_config.imageDim > 0);
    requireGiven(sentence("a face video"), "faces", conditions.faces.has_value(),
                 m_config.animate.has_value());
    if (conditions.faces)
        requireFaces(*m_config.animate, conditions.faces->shape(), text[0]);
}

void WanTransformer::requireFit(const WanInputs& inputs, const TokenGrid& grid,
                                const WanContext& context) const {
    const std::int64_t batch = inputs.latents.extent(0);
    const Shape& timesteps = inputs.timesteps.shape();
    if (timesteps != Shape{batch} && timesteps != Shape{batch, grid.tokens()})
        throw Error(ErrorKind::Input,
                    sentence("Latents of {} videos with {} tokens each got timesteps of shape {}", batch,
                             grid.tokens(), timesteps.text()),
                    "timesteps", sentence("Give one timestep for each video or for each of its tokens"));
    requireControl(m_config, inputs);
    requirePose(m_config, inputs);
    if (m_config.animate && grid.tokens() % context.faceFrames != 0)
        throw Error(ErrorKind::Input,
                    sentence("The {} tokens of a video cannot be shared out to {} frames of a face",
                             grid.tokens(), context.faceFrames),
                    "faces", sentence("Give 4 (F - 2) + 1 face images for F latent frames"));
    const auto blocks = static_cast<std::size_t>(m_config.layers);
    if (context.batch != batch || context.blocks.size() != blocks ||
        context.vaceBlocks.size() != m_config.vaceLayers.size())
        throw Error(ErrorKind::Internal,
                    fmt::format("Latents of {} videos and {} blocks got the context of {} prompts for {} "
                                "blocks",
                                batch, blocks, context.batch, context.blocks.size()));
}

}  // namespace meshreel
