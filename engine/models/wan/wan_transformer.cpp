// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "engine/attention/paired_keys.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/animate/face_adapter.h"
#include "engine/models/animate/face_encoder.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/sound/sound_tokens.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_pass.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// One device's way through the layers that make a context of conditions.
class WanTransformer::Preparation {
  public:
    Preparation(const WanTransformer& model, Device& device, const Probe& probe)
        : m_model(model), m_device(device), m_execution(device.execution()), m_probe(probe) {}

    /// The conditions fit the model.
    [[nodiscard]] CrossAttentionCache run(const WanConditions& conditions);

  private:
    /// Returns the text's embedding, of this device's tokens, and counts the tokens.
    [[nodiscard]] Tensor embedText(const LayerTensors& weights, const Tensor& text, CrossTokens& tokens,
                                   const Probe& probe) const;
    void embedImage(const LayerTensors& weights, const Tensor& image);
    void runLayer(const WanLayerPlace& place, const LayerTensors& weights, const WanConditions& conditions);
    /// Returns those of `count` keys that this device holds.
    [[nodiscard]] ShardRange ownKeys(const AttentionPlan& attention, std::int64_t count) const;
    void report(std::string_view name, const Tensor& value) const;

    const WanTransformer& m_model;
    Device& m_device;
    const Execution& m_execution;
    const Probe& m_probe;
    CrossAttentionCache m_context;
    Tensor m_text;
    std::optional<Tensor> m_image;
    std::optional<Tensor> m_negative;
    Tensor m_faces;
    SoundTokens m_sound;
};

namespace {

// Frames `range` of a face video [3, frames, side, side]: [range.size(), 3, side, side].
Tensor faceImages(const Tensor& video, ShardRange range) {
    const std::int64_t colours = video.extent(0);
    const std::int64_t side = video.extent(2);
    Tensor images = Tensor::empty({range.size(), colours, side, side});
    auto to = images.data<float>().begin();
    for (std::int64_t frame = range.begin; frame < range.end; ++frame)
        for (std::int64_t colour = 0; colour < colours; ++colour) {
            const Tensor plane = video.slice(colour, colour + 1).reshaped({video.extent(1), side, side});
            to = std::ranges::copy(plane.slice(frame, frame + 1).data<float>(), to).out;
        }
    return images;
}

/// f32 [batch, latent frames, face tokens, innerDim] of a motion, where the device computes; the first frame,
/// that of the reference, is of zeros.
Tensor embedMotion(const Execution& execution, const FaceEncoder& encoder, const Tensor& motion,
                   const Probe& probe) {
    const auto span = traceSpan(execution.trace, "face_encoder");
    const Tensor encoded = encoder.encode(execution, motion);
    if (probe)
        probe("face_encoder_out", encoded);
    const Shape& shape = encoded.shape();
    Tensor withReference = Tensor::zeros(shape.with(1, shape[1] + 1));
    for (std::int64_t video = 0; video < shape[0]; ++video) {
        const Tensor from = encoded.slice(video, video + 1);
        Tensor behind = withReference.slice(video, video + 1);
        std::ranges::copy(from.data<float>(),
                          behind.data<float>().last(static_cast<std::size_t>(from.elements())).begin());
    }
    return withReference.in(execution.memory());
}

}  // namespace

void WanTransformer::Preparation::report(std::string_view name, const Tensor& value) const {
    if (m_probe)
        m_probe(name, value);
}

CrossAttentionCache WanTransformer::Preparation::run(const WanConditions& conditions) {
    m_context.batch = conditions.text.extent(0);
    m_context.guidance = conditions.guidance;
    m_context.timed = conditions.timed;
    const std::span<const LayerWeights> beforeOutput(m_model.m_layers.data(), m_model.m_layers.size() - 1);
    LayerStream layers(beforeOutput, m_device.along(MeshAxis::Fsdp), m_model.m_gatherMeter, &m_execution);
    for (std::size_t layer = 0; layer < beforeOutput.size(); ++layer) {
        throwIfStopped(m_execution.stop);
        runLayer(m_model.m_places[layer], *layers.next(), conditions);
    }
    return std::move(m_context);
}

void WanTransformer::Preparation::runLayer(const WanLayerPlace& place, const LayerTensors& weights,
                                           const WanConditions& conditions) {
    const auto at = static_cast<std::size_t>(place.index);
    switch (place.role) {
        case WanLayerRole::Faces:
            if (!conditions.faces)
                break;
            m_faces =
                embedMotion(m_execution, FaceEncoder(*m_model.m_config.animate, weights),
                            m_model.motionOf(m_device, weights, conditions.faces->toF32(), m_probe), m_probe);
            m_context.faces.frames = m_faces.extent(1);
            break;
        case WanLayerRole::Embeddings:
            m_text = embedText(weights, conditions.text.toF32(), m_context.text, m_probe);
            if (conditions.negativeText)
                m_negative = embedText(weights, conditions.negativeText->toF32(), m_context.negative, {});
            if (conditions.image)
                embedImage(weights, *conditions.image);
            break;
        case WanLayerRole::VideoBlock:
            m_context.blocks.push_back(
                m_model.m_blocks[at].makeContext(m_device, weights, m_text, m_image, m_negative));
            break;
        case WanLayerRole::VaceBlock:
            m_context.vaceBlocks.push_back(
                m_model.m_vaceBlocks[at].block.makeContext(m_device, weights, m_text, m_image));
            break;
        case WanLayerRole::FaceAdapter:
            if (conditions.faces)
                m_context.faces.adapters.push_back(
                    m_model.m_faceAdapters[at].keyValue(m_device, weights, m_faces));
            break;
        case WanLayerRole::Sound:
            m_sound = SoundTokenEncoder(*m_model.m_config.sound, weights)
                          .encodeClip(m_execution, conditions.sound->toF32(), conditions.soundLead);
            m_context.sound.frames = m_sound.global.extent(1);
            report("audio_emb", m_sound.local);
            report("audio_emb_global", m_sound.global);
            break;
        case WanLayerRole::AudioInjector:
            m_context.sound.injectors.push_back(
                m_model.m_injectors[at].makeContext(m_device, weights, m_sound));
            break;
        case WanLayerRole::Output:
            break;
    }
}

ShardRange WanTransformer::Preparation::ownKeys(const AttentionPlan& attention, std::int64_t count) const {
    return attention.keysSharded ? ownTokens(m_device, count) : ShardRange{0, count};
}

Tensor WanTransformer::Preparation::embedText(const LayerTensors& weights, const Tensor& text,
                                              CrossTokens& tokens, const Probe& probe) const {
    const auto span = traceSpan(m_execution.trace, "condition_embedder");
    const PaddedText padded = PaddedText::of(text);
    tokens = {.count = padded.rows.extent(1), .lastCount = padded.lastRowCount};
    const ShardRange own = ownKeys(m_model.m_attention.text, tokens.count);
    const Tensor embedded =
        m_model.m_embeddings->embedText(m_execution, weights, tokensOfEach(padded.rows, own));
    if (probe)
        probe("text_embed", own.size() == tokens.count ? padded.repeated(embedded) : embedded);
    return embedded.in(m_execution.memory());
}

void WanTransformer::Preparation::embedImage(const LayerTensors& weights, const Tensor& image) {
    const auto span = traceSpan(m_execution.trace, "image_embedder");
    const Tensor sequence = WanImageEmbedding::sequence(m_model.m_config, image, m_context.batch);
    m_context.image.count = sequence.extent(1);
    m_image = WanImageEmbedding(m_model.m_config, weights)
                  .embed(m_execution, sequence, ownKeys(m_model.m_attention.image, m_context.image.count));
    report("image_embed", *m_image);
    m_image = m_image->in(m_execution.memory());
}

// The devices of the context axis share the frames out: the motion encoder sees each by itself.
Tensor WanTransformer::motionOf(Device& device, const LayerTensors& tensors, const Tensor& faces,
                                const Probe& probe) const {
    const auto span = traceSpan(device.execution().trace, "face_encoder");
    const AnimateConfig& config = *m_config.animate;
    const std::int64_t frames = faces.extent(2);
    if (faces.extent(0) == 0)
        return Tensor::zeros({0, frames, config.motionDim});
    const ShardRange own = ownTokens(device, frames);
    const MotionEncoder encoder(config, tensors);
    Tensor motion = Tensor::empty({faces.extent(0), own.size(), config.motionDim});
    auto to = motion.data<float>().begin();
    for (std::int64_t video = 0; video < faces.extent(0); ++video) {
        const Tensor pixels = faces.slice(video, video + 1)
                                  .reshaped({faces.extent(1), frames, config.faceSide, config.faceSide});
        const Tensor encoded = encoder.encode(device.execution(), faceImages(pixels, own), probe);
        to = std::ranges::copy(encoded.data<float>(), to).out;
    }
    Tensor all = gatherTokens(device, motion, frames);
    if (probe)
        probe("motion_vec", all.reshaped({all.extent(0) * frames, config.motionDim}));
    return all;
}

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
    requireGiven(sentence("a pose video"), "pose", inputs.pose.has_value(),
                 config.animate.has_value() || config.sound.has_value());
    if (!inputs.pose)
        return;
    const Shape& latents = inputs.latents.shape();
    const Shape& pose = inputs.pose->shape();
    const std::int64_t channels = config.animate ? config.animate->poseChannels : config.sound->poseChannels;
    const std::int64_t frames = config.animate ? latents[2] - 1 : latents[2];
    if (pose != Shape{latents[0], channels, frames, latents[3], latents[4]})
        throw Error(ErrorKind::Input,
                    sentence("Latents of shape {} need a pose of {} channels and {} frames, got {}",
                             latents.text(), channels, frames, pose.text()),
                    "pose", sentence("Encode the pose video at the size of the video"));
}

void requireSound(const SoundConfig& config, const Shape& sound, std::int64_t batch) {
    if (sound.rank() != 4 || sound[3] < 1 || sound[3] % SoundConfig::columnsPerFrame != 0 ||
        sound != Shape{batch, config.states, config.width, sound[3]})
        throw Error(
            ErrorKind::Input,
            sentence("{} videos of this transformer need the hidden states [{}, {}, {}, columns] of a "
                     "sound, with {} columns for each latent frame, got {}",
                     batch, batch, config.states, config.width, SoundConfig::columnsPerFrame, sound.text()),
            "audio encoder", sentence("Use the sound encoder that belongs to the transformer"));
}

bool packsWithoutGrowing(const LayerSource& source) {
    return std::ranges::all_of(source.parameters(), [&](const WanParameter& parameter) {
        return !parameter.blockLinear || source.staysQuantised(parameter) ||
               source.packsWithoutGrowing(parameter);
    });
}

}  // namespace

AttentionPlans planAttentions(const AttentionSettings& settings, const WanTransformerConfig& config,
                              const MeshShape& mesh, const WanSequences& sequences) {
    return planAttentions(settings, {.tokens = sequences.tokens,
                                     .textTokens = sequences.textTokens,
                                     .imageTokens = config.imageTokens(),
                                     .heads = config.heads / mesh.tensor,
                                     .contextDevices = mesh.context,
                                     .layers = config.layers,
                                     .stretches = sequences.stretches});
}

KernelNeeds WanTransformer::kernelNeeds(const WanTransformerConfig& config, const WanPrecision& precision) {
    KernelNeeds needs;
    if (precision.linears() != Arithmetic::F32)
        needs.linears.push_back(precision.linears());
    needs.heads.push_back({.headDim = config.headDim, .type = precision.activations});
    return needs;
}

WanTransformer::WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                               const AttentionPlans& attention, const WeightShard& shard,
                               const WanPrecision& precision, PackedLinearStore* store,
                               std::optional<std::int64_t> residentLayers, Memory* memory)
    : m_config(config),
      m_patches(config),
      m_attention(attention),
      m_shard(shard),
      m_precision(precision),
      m_gatherMeter(std::make_shared<MemoryMeter>()),
      m_fixedM(std::make_shared<FixedMLog>()),
      m_sparse(std::make_shared<SparseLog>()) {
    requireTensorDivides(config, shard.tensorDevices);
    prepareKernels(memory, kernelNeeds(config, precision));
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
    if (memory != nullptr)
        store = nullptr;  // a device takes the checkpoint's own order
    for (const WanLayer& layer : layers) {
        const bool stays = staysResident(std::ssize(m_layers), std::ssize(layers), resident);
        Memory* const own = stays || memory == nullptr ? memory : &memory->forStreaming();
        m_layers.emplace_back(layer, kept, shard, precision, store,
                              stays ? Residence::Kept : Residence::Streamed, own);
        m_places.push_back(layer.place);
        addLayer(layer.place, m_layers.back().slots());
    }
}

void WanTransformer::addLayer(const WanLayerPlace& place, const LayerSlots& slots) {
    switch (place.role) {
        case WanLayerRole::Faces:
            break;  // used once in a run
        case WanLayerRole::Embeddings:
            m_embeddings.emplace(m_config, slots);
            m_controlProjection = slots.find("vace_blocks.0.proj_in.weight");
            break;
        case WanLayerRole::VideoBlock:
            m_blocks.emplace_back(m_config, m_precision, slots,
                                  WanBlockNames{.probe = fmt::format("block{}", place.index),
                                                .trace = fmt::format("transformer_block {}", place.index),
                                                .error = fmt::format("block {}", place.index)});
            break;
        case WanLayerRole::VaceBlock:
            m_vaceBlocks.push_back({.block = WanBlock(m_config, m_precision, slots,
                                                      {.probe = fmt::format("vace_block{}", place.index),
                                                       .trace = fmt::format("vace_block {}", place.index),
                                                       .error = fmt::format("VACE block {}", place.index)}),
                                    .projection = slots.linear("proj_out")});
            break;
        case WanLayerRole::FaceAdapter:
            m_faceAdapters.emplace_back(m_config, m_precision, slots, place.index);
            break;
        case WanLayerRole::Sound:
            break;  // used once for each clip
        case WanLayerRole::AudioInjector:
            m_injectors.emplace_back(m_config, m_precision, slots, place.index);
            break;
        case WanLayerRole::Output:
            m_output = {.scaleShift = slots.require("scale_shift_table"),
                        .projection = slots.linear("proj_out")};
            break;
    }
}

std::size_t WanTransformer::residentBytes() const {
    std::size_t sum = 0;
    for (const LayerWeights& layer : m_layers)
        sum += layer.residentBytes();
    return sum;
}

void WanTransformer::requireOwnDevice(const Device& device) const {
    if (WeightShard::of(device) != m_shard)
        throw Error(ErrorKind::Internal,
                    fmt::format("device {} was given the weights of another", device.index()));
}

CrossAttentionCache WanTransformer::prepare(Device& device, const WanConditions& conditions,
                                            const Probe& probe) const {
    requireOwnDevice(device);
    requireFit(conditions);
    return Preparation(*this, device, probe).run(conditions);
}

Tensor WanTransformer::encodeMotion(Device& device, const Tensor& faces, const Probe& probe) const {
    requireOwnDevice(device);
    requireFaces(m_config.animate.value(), faces.shape(), faces.extent(0));
    const auto place = std::ranges::find(m_places, WanLayerRole::Faces, &WanLayerPlace::role);
    const auto layer = static_cast<std::size_t>(place - m_places.begin());
    LayerStream stream = layers(device, layer, layer + 1);
    return motionOf(device, *stream.next(), faces.toF32(), probe);
}

std::vector<FaceContext> WanTransformer::prepareFaces(Device& device, std::span<const Tensor> motions,
                                                      const Probe& probe) const {
    requireOwnDevice(device);
    std::vector<Tensor> faces;
    std::vector<FaceContext> contexts(motions.size());
    for (std::size_t layer = 0; layer < m_places.size(); ++layer) {
        const auto [role, index] = m_places[layer];
        if (role != WanLayerRole::Faces && role != WanLayerRole::FaceAdapter)
            continue;
        throwIfStopped(device.execution().stop);
        LayerStream stream = layers(device, layer, layer + 1);
        const std::shared_ptr<const LayerTensors> tensors = stream.next();
        if (role == WanLayerRole::Faces) {
            const FaceEncoder encoder(*m_config.animate, *tensors);
            for (const Tensor& motion : motions)
                faces.push_back(embedMotion(device.execution(), encoder, motion, probe));
            continue;
        }
        const FaceAdapter& adapter = m_faceAdapters[static_cast<std::size_t>(index)];
        for (std::size_t own = 0; own < motions.size(); ++own)
            contexts[own].adapters.push_back(adapter.keyValue(device, *tensors, faces[own]));
    }
    for (std::size_t own = 0; own < motions.size(); ++own)
        contexts[own].frames = faces[own].extent(1);
    return contexts;
}

Tensor WanTransformer::forward(Device& device, const WanInputs& inputs, const WanConditions& conditions,
                               const Probe& probe) const {
    return forward(device, inputs, prepare(device, conditions, probe), probe);
}

Tensor WanTransformer::forward(Device& device, const WanInputs& inputs, const CrossAttentionCache& context,
                               const Probe& probe) const {
    const std::array<const CrossAttentionCache*, 1> contexts{&context};
    return forward(device, inputs, contexts, rotary(device, inputs.latents.shape(), inputs.groups), probe)
        .front();
}

std::vector<Tensor> WanTransformer::forward(Device& device, const WanInputs& inputs,
                                            std::span<const CrossAttentionCache* const> contexts,
                                            const RotaryTable& rotary, const Probe& probe,
                                            BlockReuse* reuse) const {
    requireOwnDevice(device);
    const auto whole = traceSpan(device.execution().trace, "WanModel");
    const Tensor& latents = inputs.latents;
    const TokenSequence sequence(m_patches, latents.shape(), inputs.groups);
    for (const CrossAttentionCache* context : contexts)
        requireFit(inputs, sequence, *context);
    if (latents.extent(0) > 0)
        return Pass(*this, device, sequence, rotary, probe).run(inputs, contexts, reuse);
    walkLayers(device, contexts.size(), reuse);
    return {contexts.size(), Tensor::empty({0, m_config.outChannels, latents.extent(2), latents.extent(3),
                                            latents.extent(4)})};
}

RotaryTable WanTransformer::rotary(Device& device, const Shape& latents,
                                   const std::vector<TokenGroup>& groups) const {
    const auto span = traceSpan(device.execution().trace, "rotary_embedding");
    const TokenSequence sequence(m_patches, latents, groups);
    const RotaryTable table = sequence.rotary(m_config.headDim, ownTokens(device, sequence.tokens()));
    Memory* memory = device.execution().memory();
    return {.cos = table.cos.in(memory), .sin = table.sin.in(memory)};
}

Tensor WanTransformer::timeProjections(Device& device, const Tensor& timesteps) const {
    requireOwnDevice(device);
    const std::size_t embeddings = route().embeddings;
    LayerStream stream = layers(device, embeddings, embeddings + 1);
    const std::shared_ptr<const LayerTensors> weights = stream.next();
    return m_embeddings->embedTime(device.execution(), *weights, TokenTimes(timesteps, {0, 1}), {})
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
    if (conditions.negativeText &&
        (conditions.negativeText->shape().rank() != 3 ||
         conditions.negativeText->shape().with(1, text[1]) != text || !conditions.guidance.acts()))
        throw Error(ErrorKind::Internal, fmt::format("a text of shape {} was to be guided by one of shape {}",
                                                     text.text(), conditions.negativeText->shape().text()));
    requireGiven(sentence("the embedding of an image"), "image", conditions.image.has_value(),
                 m_config.imageDim > 0);
    requireGiven(sentence("a face video"), "faces", conditions.faces.has_value() || conditions.facesVary,
                 m_config.animate.has_value());
    if (conditions.faces)
        requireFaces(*m_config.animate, conditions.faces->shape(), text[0]);
    requireGiven(sentence("a sound"), "sound", conditions.sound.has_value(), m_config.sound.has_value());
    if (conditions.sound)
        requireSound(*m_config.sound, conditions.sound->shape(), text[0]);
}

void WanTransformer::requireDriving(const DrivingVideo& video, const Shape& latents) const {
    const Shape& driving = video.latents.shape();
    if (driving.rank() != 5 || latents.rank() != 5 || latents[2] < 2 ||
        driving != latents.with(2, latents[2] - 1))
        throw Error(ErrorKind::Input,
                    sentence("A driving video of latents {} does not go with latents {}, whose first frame "
                             "shows the character",
                             driving.text(), latents.text()),
                    "driving video", sentence("Give it the size of the video, and a frame less"));
    if (video.context.batch != driving[0] || std::ssize(video.context.blocks) != m_config.layers ||
        m_config.patch[0] != 1 || m_config.animate || !m_config.vaceLayers.empty())
        throw Error(
            ErrorKind::Internal,
            fmt::format("{} driving videos and {} blocks got the context of {} texts for {} blocks",
                        driving[0], m_config.layers, video.context.batch, video.context.blocks.size()));
}

void WanTransformer::requireFit(const WanInputs& inputs, const TokenSequence& sequence,
                                const CrossAttentionCache& context) const {
    const std::int64_t batch = inputs.latents.extent(0);
    const Shape& timesteps = inputs.timesteps.shape();
    if (timesteps != Shape{batch} && timesteps != Shape{batch, sequence.tokens()})
        throw Error(ErrorKind::Input,
                    sentence("Latents of {} videos with {} tokens each got timesteps of shape {}", batch,
                             sequence.tokens(), timesteps.text()),
                    "timesteps", sentence("Give one timestep for each video or for each of its tokens"));
    for (const TokenGroup& group : inputs.groups)
        if (group.latents.extent(0) != batch || m_config.animate ||
            (group.embedding == PatchEmbedding::Motion &&
             (!m_config.sound || group.latents.extent(1) != m_config.inChannels)))
            throw Error(ErrorKind::Internal,
                        fmt::format("Latents of {} videos got a group of tokens of shape {}", batch,
                                    group.latents.shape().text()));
    requireControl(m_config, inputs);
    requirePose(m_config, inputs);
    if (inputs.driving != nullptr) {
        const FramePairs& pairs = inputs.driving->pairs;
        if (!inputs.groups.empty() || pairs.queryLength() != sequence.tokens() ||
            pairs.frames != sequence.video().frames || inputs.driving->video.latents.extent(0) != batch)
            throw Error(ErrorKind::Internal,
                        fmt::format("Latents {} got a driving video for {} frames of {} "
                                    "tokens",
                                    inputs.latents.shape().text(), pairs.frames, pairs.tokensPerFrame));
    }
    if (m_config.animate && sequence.tokens() % context.faces.frames != 0)
        throw Error(ErrorKind::Input,
                    sentence("The {} tokens of a video cannot be shared out to {} frames of a face",
                             sequence.tokens(), context.faces.frames),
                    "faces", sentence("Give 4 (F - 2) + 1 face images for F latent frames"));
    if (m_config.sound && context.sound.frames != sequence.video().frames)
        throw Error(ErrorKind::Input,
                    sentence("Latents of {} frames got the sound of {}", sequence.video().frames,
                             context.sound.frames),
                    "sound",
                    sentence("Give {} columns of sound for each latent frame", SoundConfig::columnsPerFrame));
    const std::int64_t frames =
        inputs.frames.empty() ? inputs.latents.extent(2) - 1 : std::ranges::max(inputs.frames);
    if ((!inputs.frames.empty() && std::ssize(inputs.frames) != inputs.latents.extent(2)) ||
        std::ranges::any_of(context.timed,
                            [&](const TimedKeys& timed) { return std::ssize(timed.ofFrames) <= frames; }))
        throw Error(ErrorKind::Internal, fmt::format("Latents {} got a text whose times are of other frames",
                                                     inputs.latents.shape().text()));
    const auto blocks = static_cast<std::size_t>(m_config.layers);
    if (context.batch != batch || context.blocks.size() != blocks ||
        context.vaceBlocks.size() != m_config.vaceLayers.size())
        throw Error(ErrorKind::Internal,
                    fmt::format("Latents of {} videos and {} blocks got the context of {} prompts for {} "
                                "blocks",
                                batch, blocks, context.batch, context.blocks.size()));
}

}  // namespace meshreel
