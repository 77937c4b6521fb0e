// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/attention/exchange_memory.h"
#include "engine/base/error.h"
#include "engine/models/modulation.h"
#include "engine/models/non_finite.h"
#include "engine/models/padded_text.h"
#include "engine/models/token_shards.h"
#include "engine/models/wan_image_embedding.h"
#include "engine/models/wan_parameters.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows of the transformer's own scale_shift_table.
enum OutputRow : std::int64_t { OutputShift, OutputScale };

// [1, tokens, 1, headDim], every value twice: the layout upstream keeps.
Tensor interleaved(const Tensor& perPair) {
    Tensor result = Tensor::empty({1, perPair.extent(0), 1, perPair.extent(1) * 2});
    const auto from = perPair.data<float>();
    const auto to = result.data<float>();
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = from[i / 2];
    return result;
}

}  // namespace

/// One device's way through the layers, which come one after the other, once for each text.
class WanTransformer::Pass {
  public:
    Pass(const WanTransformer& model, Device& device, const TokenGrid& grid, const RotaryTable& rotary,
         const Probe& probe)
        : m_model(model),
          m_device(device),
          m_execution(device.execution()),
          m_grid(grid),
          m_own(ownTokens(device, grid.tokens())),
          m_rotary(rotary),
          m_probe(probe) {}

    /// A prediction for each context.
    [[nodiscard]] std::vector<Tensor> run(const WanInputs& inputs,
                                          std::span<const WanContext* const> contexts) {
        std::vector<Tensor> projected;
        {
            const TokenTimes times(inputs.timesteps.toF32(), m_own);
            WanWorkspace work(m_model.m_config, m_model.m_precision, passShape(inputs, times));
            WanEmbeddings::Time time;
            Tensor start;  // the residual stream up to where the first context comes in
            for (const WanContext* context : contexts) {
                const bool first = projected.empty();
                LayerStream layers = m_model.layersFor(m_device, first);
                if (first)
                    time = embed(layers.next(), inputs.latents, times, work);
                else
                    std::ranges::copy(std::as_const(start).data<float>(), work.hidden.data<float>().begin());
                const BlockCall call{*context, times, time.projection, first};
                runBlocks(layers, call, work, [&] {
                    if (first && contexts.size() > 1)
                        start = work.hidden.clone();
                });
                projected.push_back(project(layers.next(), time.embedding, times, work));
            }
        }
        const WanPatches patches(m_model.m_config);
        for (Tensor& one : projected)
            one = patches.assemble(m_execution, gatherTokens(m_device, one, m_grid.tokens()), m_grid);
        return projected;
    }

  private:
    /// What the blocks are called with.
    struct BlockCall {
        const WanContext& context;
        const TokenTimes& times;
        const Tensor& timestepProjection;
        bool first;  ///< of the contexts
    };

    [[nodiscard]] WanPassShape passShape(const WanInputs& inputs, const TokenTimes& times) const {
        const int tensorDevices = m_model.m_shard.tensorDevices;
        const AttentionSettings attention =
            effectiveSettings(m_model.m_attention, m_grid.tokens(), m_grid.tokens());
        return {.batch = inputs.latents.extent(0),
                .tokens = m_own.size(),
                .exchangedShards = exchangedShards(attention, m_model.m_precision.activations,
                                                   m_device.along(MeshAxis::Context).size()),
                .tensorDevices = tensorDevices,
                .summed = tensorDevices > 1 || m_probe || times.scattered()};
    }

    void report(std::string_view name, const Tensor& value) const {
        if (m_probe)
            m_probe(name, value);
    }

    [[nodiscard]] WanEmbeddings::Time embed(const LayerTensors& tensors, const Tensor& latents,
                                            const TokenTimes& times, WanWorkspace& work) const {
        if (m_probe) {
            m_probe("rope_cos", interleaved(m_rotary.cos));
            m_probe("rope_sin", interleaved(m_rotary.sin));
        }
        const WanEmbeddings embeddings(m_model.m_config, tensors);
        {
            const auto span = traceSpan(m_execution.trace, "patch_embedding");
            const Tensor patches = WanPatches(m_model.m_config).cut(m_execution, latents.toF32(), m_own);
            embeddings.embedPatches(m_execution, patches, work.hidden);
        }
        report("patch_embed", work.hidden);
        const auto span = traceSpan(m_execution.trace, "condition_embedder");
        return embeddings.embedTime(m_execution, times, m_probe);
    }

    // The first block's self-attention is done already for a context that is not the first one;
    // `contextBegins` is called behind it.
    void runBlocks(LayerStream& layers, const BlockCall& call, WanWorkspace& work,
                   const std::function<void()>& contextBegins) {
        const CrossAttention text = crossAttentionTo(call.context.text);
        const CrossAttention image = crossAttentionTo(call.context.image);
        for (std::int64_t index = 0; index < m_model.m_config.layers; ++index) {
            throwIfStopped(m_execution.stop);
            const auto span = traceSpan(m_execution.trace, fmt::format("transformer_block {}", index));
            const WanBlock block(m_model.m_config, m_model.m_precision, layers.next(),
                                 fmt::format("block{}", index), m_device);
            const WanBlockInputs inputs{.selfAttention = m_model.m_attention,
                                        .text = text,
                                        .image = image,
                                        .crossSharded = m_model.crossSharded(),
                                        .rotary = m_rotary,
                                        .timestepProjection = call.timestepProjection,
                                        .times = call.times,
                                        .context = call.context.blocks[static_cast<std::size_t>(index)],
                                        .tokens = m_grid.tokens(),
                                        .probe = m_probe};
            if (call.first || index > 0)
                block.selfAttention(m_device, inputs, work);
            if (index == 0)
                contextBegins();
            block.finish(m_device, inputs, work);
            requireFinite(m_execution, work.hidden.data<float>(), fmt::format("block {}", index));
        }
    }

    // By the length of the sequence as it was given, not by how much of it is left to compute.
    [[nodiscard]] CrossAttention crossAttentionTo(const CrossTokens& tokens) const {
        AttentionSettings settings =
            effectiveSettings(m_model.m_crossAttention, m_grid.tokens(), tokens.count + tokens.lastCount - 1);
        settings.flashMinSeqLength = 0;
        return {.settings = settings, .tokens = tokens};
    }

    // f32 [batch, own tokens, patch · outChannels].
    [[nodiscard]] Tensor project(const LayerTensors& tensors, const Tensor& timeEmbedding,
                                 const TokenTimes& times, WanWorkspace& work) const {
        const auto span = traceSpan(m_execution.trace, "output_projection");
        const Modulation modulation(tensors.get("scale_shift_table"), timeEmbedding, times);
        modulation.norm(m_execution, work.hidden, m_model.m_config.epsilon, OutputShift, OutputScale,
                        work.hidden);
        Tensor projected = applyTo(m_execution, tensors.linear("proj_out"), work.hidden);
        report("proj_in", work.hidden);
        report("proj_out", projected);
        return projected;
    }

    const WanTransformer& m_model;
    Device& m_device;
    const Execution& m_execution;
    TokenGrid m_grid;
    ShardRange m_own;
    const RotaryTable& m_rotary;
    const Probe& m_probe;
};

WanTransformer::WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                               const AttentionSettings& attention, const WeightShard& shard,
                               const WanPrecision& precision, PackedLinearStore* store)
    : m_config(config),
      m_attention(attention),
      m_crossAttention(crossAttentionSettings(attention)),
      m_shard(shard),
      m_precision(precision),
      m_gatherMeter(std::make_shared<MemoryMeter>()) {
    requireTensorDivides(config, shard.tensorDevices);
    const auto kept = std::make_shared<const Checkpoint>(checkpoint);
    for (const WanLayer& layer : wanLayers(config))
        m_layers.emplace_back(layer, checkpoint, shard, precision, store, kept);
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
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "condition_embedder");
    const PaddedText padded = PaddedText::of(conditions.text.toF32());
    WanContext context{.batch = conditions.text.extent(0),
                       .text = {.count = padded.rows.extent(1), .lastCount = padded.lastRowCount},
                       .image = {},
                       .blocks = {}};
    const std::span<const LayerWeights> beforeOutput(m_layers.data(), m_layers.size() - 1);
    LayerStream layers(beforeOutput, device.along(MeshAxis::Fsdp), m_gatherMeter);
    const LayerTensors embeddings = layers.next();
    const ShardRange ownText = ownKeys(device, context.text.count);
    const Tensor text =
        WanEmbeddings(m_config, embeddings).embedText(execution, tokensOfEach(padded.rows, ownText));
    if (probe)
        probe("text_embed", ownText.size() == context.text.count ? padded.repeated(text) : text);
    std::optional<Tensor> image;
    if (conditions.image) {
        const Tensor sequence = WanImageEmbedding::sequence(m_config, *conditions.image, context.batch);
        context.image.count = sequence.extent(1);
        image = WanImageEmbedding(m_config, embeddings)
                    .embed(execution, sequence, ownKeys(device, context.image.count));
        if (probe)
            probe("image_embed", *image);
    }
    for (std::int64_t index = 0; index < m_config.layers; ++index) {
        throwIfStopped(execution.stop);
        const WanBlock block(m_config, m_precision, layers.next(), fmt::format("block{}", index), device);
        context.blocks.push_back(block.contextOf(device, text, image));
    }
    return context;
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
                                            const RotaryTable& rotary, const Probe& probe) const {
    requireOwnDevice(device);
    const auto whole = traceSpan(device.execution().trace, "WanModel");
    const Tensor& latents = inputs.latents;
    const TokenGrid grid = WanPatches(m_config).grid(latents.shape());
    for (const WanContext* context : contexts)
        requireFit(inputs, grid, *context);
    if (latents.extent(0) > 0)
        return Pass(*this, device, grid, rotary, probe).run(inputs, contexts);

    // Nothing to compute here: the devices that compute still need this one's part of the weights.
    for (std::size_t context = 0; context < contexts.size(); ++context) {
        LayerStream layers = layersFor(device, context == 0);
        for (std::size_t layer = context == 0 ? 0 : 1; layer < m_layers.size(); ++layer) {
            throwIfStopped(device.execution().stop);
            static_cast<void>(layers.next());
        }
    }
    return {contexts.size(), Tensor::empty({0, m_config.outChannels, latents.extent(2), latents.extent(3),
                                            latents.extent(4)})};
}

RotaryTable WanTransformer::rotary(Device& device, const Shape& latents) const {
    const auto span = traceSpan(device.execution().trace, "rotary_embedding");
    const TokenGrid grid = WanPatches(m_config).grid(latents);
    const ShardRange own = ownTokens(device, grid.tokens());
    return rotaryTable(grid, m_config.headDim, own.begin, own.end);
}

LayerStream WanTransformer::layersFor(Device& device, bool withEmbeddings) const {
    const std::span<const LayerWeights> layers(m_layers);
    return {withEmbeddings ? layers : layers.subspan(1), device.along(MeshAxis::Fsdp), m_gatherMeter};
}

void WanTransformer::requireFit(const WanConditions& conditions) const {
    const Shape& text = conditions.text.shape();
    if (text.rank() != 3 || text[2] != m_config.textDim)
        throw Error(ErrorKind::Input,
                    fmt::format("The transformer needs text embeddings [batch, tokens, {}], got {}",
                                m_config.textDim, text.text()),
                    "text encoder", "Use the text encoder that belongs to the transformer");
    if (conditions.image.has_value() != (m_config.imageDim > 0))
        throw Error(ErrorKind::Input,
                    conditions.image ? "This transformer has no use for the embedding of an image"
                                     : "This transformer needs the embedding of an image",
                    "image", "Choose the task that the model was made for");
}

void WanTransformer::requireFit(const WanInputs& inputs, const TokenGrid& grid,
                                const WanContext& context) const {
    const std::int64_t batch = inputs.latents.extent(0);
    const Shape& timesteps = inputs.timesteps.shape();
    if (timesteps != Shape{batch} && timesteps != Shape{batch, grid.tokens()})
        throw Error(ErrorKind::Input,
                    fmt::format("Latents of {} videos with {} tokens each got timesteps of shape {}", batch,
                                grid.tokens(), timesteps.text()),
                    "timesteps", "Give one timestep for each video or for each of its tokens");
    const auto blocks = static_cast<std::size_t>(m_config.layers);
    if (context.batch != batch || context.blocks.size() != blocks)
        throw Error(ErrorKind::Internal,
                    fmt::format("Latents of {} videos and {} blocks got the context of {} prompts for {} "
                                "blocks",
                                batch, blocks, context.batch, context.blocks.size()));
}

}  // namespace meshreel
