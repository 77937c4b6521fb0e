// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/attention/exchange_memory.h"
#include "engine/base/error.h"
#include "engine/models/modulation.h"
#include "engine/models/non_finite.h"
#include "engine/models/padded_text.h"
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

ShardRange ownPart(Device& device, std::int64_t length) {
    const Communicator& context = device.along(MeshAxis::Context);
    return shardOf(length, context.size(), context.position());
}

// Rows `range` of each batch element of x [batch, rows, width].
Tensor rowsOfEach(const Tensor& x, ShardRange range) {
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

// [batch, tokens, width] of the parts [batch, own tokens, width] that the devices of the context axis have.
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
          m_own(ownPart(device, grid.tokens())),
          m_rotary(rotary),
          m_probe(probe) {}

    /// A prediction for each text.
    [[nodiscard]] std::vector<Tensor> run(const Tensor& latents, const Tensor& timesteps,
                                          std::span<const TextContext* const> texts) {
        std::vector<Tensor> projected;
        {
            WanWorkspace work(m_model.m_config, m_model.m_precision, passShape(latents.extent(0)));
            WanEmbeddings::Time time;
            Tensor start;  // the residual stream up to where the first text comes in
            for (const TextContext* text : texts) {
                const bool first = projected.empty();
                LayerStream layers = m_model.layersFor(m_device, first);
                if (first)
                    time = embed(layers.next(), latents, timesteps, work);
                else
                    std::ranges::copy(std::as_const(start).data<float>(), work.hidden.data<float>().begin());
                runBlocks(layers, time.projection, *text, first, work, [&] {
                    if (first && texts.size() > 1)
                        start = work.hidden.clone();
                });
                projected.push_back(project(layers.next(), time.embedding, work));
            }
        }
        const WanPatches patches(m_model.m_config);
        for (Tensor& one : projected)
            one = patches.assemble(m_execution, gatherTokens(m_device, one, m_grid.tokens()), m_grid);
        return projected;
    }

  private:
    [[nodiscard]] WanPassShape passShape(std::int64_t batch) const {
        const int tensorDevices = m_model.m_shard.tensorDevices;
        const AttentionSettings attention =
            effectiveSettings(m_model.m_attention, m_grid.tokens(), m_grid.tokens());
        return {.batch = batch,
                .tokens = m_own.size(),
                .exchangedShards = exchangedShards(attention, m_model.m_precision.activations,
                                                   m_device.along(MeshAxis::Context).size()),
                .tensorDevices = tensorDevices,
                .summed = tensorDevices > 1 || m_probe};
    }

    void report(std::string_view name, const Tensor& value) const {
        if (m_probe)
            m_probe(name, value);
    }

    [[nodiscard]] WanEmbeddings::Time embed(const LayerTensors& tensors, const Tensor& latents,
                                            const Tensor& timesteps, WanWorkspace& work) const {
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
        return embeddings.embedTime(m_execution, timesteps.toF32(), m_probe);
    }

    // The first block's self-attention is done already for a text that is not the first one; `textBegins` is
    // called behind it.
    void runBlocks(LayerStream& layers, const Tensor& timestepProjection, const TextContext& text,
                   bool firstText, WanWorkspace& work, const std::function<void()>& textBegins) {
        const AttentionSettings crossAttention = crossAttentionTo(text);
        for (std::int64_t index = 0; index < m_model.m_config.layers; ++index) {
            throwIfStopped(m_execution.stop);
            const auto span = traceSpan(m_execution.trace, fmt::format("transformer_block {}", index));
            const WanBlock block(m_model.m_config, m_model.m_precision, layers.next(), index, m_device);
            const WanBlockInputs inputs{.selfAttention = m_model.m_attention,
                                        .crossAttention = crossAttention,
                                        .rotary = m_rotary,
                                        .timestepProjection = timestepProjection,
                                        .text = text.blocks[static_cast<std::size_t>(index)],
                                        .tokens = m_grid.tokens(),
                                        .textTokens = text.tokens,
                                        .textSharded = m_model.textSharded(),
                                        .lastTextCount = text.lastTokenCount,
                                        .probe = m_probe};
            if (firstText || index > 0)
                block.selfAttention(m_device, inputs, work);
            if (index == 0)
                textBegins();
            block.finish(m_device, inputs, work);
            requireFinite(m_execution, work.hidden.data<float>(), fmt::format("block {}", index));
        }
    }

    // By the length of the text as it was given, not by how much of it is left to compute.
    [[nodiscard]] AttentionSettings crossAttentionTo(const TextContext& text) const {
        AttentionSettings settings = effectiveSettings(m_model.m_crossAttention, m_grid.tokens(),
                                                       text.tokens + text.lastTokenCount - 1);
        settings.flashMinSeqLength = 0;
        return settings;
    }

    // f32 [batch, own tokens, patch · outChannels].
    [[nodiscard]] Tensor project(const LayerTensors& tensors, const Tensor& timeEmbedding,
                                 WanWorkspace& work) const {
        const auto span = traceSpan(m_execution.trace, "output_projection");
        const Modulation modulation(tensors.get("scale_shift_table"), timeEmbedding);
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
    for (const WanLayer& layer : wanLayers(config))
        m_layers.emplace_back(layer, checkpoint, shard, precision, store);
}

std::size_t WanTransformer::residentBytes() const {
    std::size_t sum = 0;
    for (const LayerWeights& layer : m_layers)
        sum += layer.residentBytes();
    return sum;
}

// MaxDiffusion's rules: the text is whole on every device, but for modes that exchange it as they exchange
// the video's tokens.
bool WanTransformer::textSharded() const {
    return m_crossAttention.mode->exchange == Exchange::Ulysses;
}

void WanTransformer::requireOwnDevice(const Device& device) const {
    if (WeightShard::of(device) != m_shard)
        throw Error(ErrorKind::Internal,
                    fmt::format("device {} was given the weights of another", device.index()));
}

TextContext WanTransformer::prepareText(Device& device, const Tensor& text, const Probe& probe) const {
    requireOwnDevice(device);
    if (text.shape().rank() != 3 || text.extent(2) != m_config.textDim)
        throw Error(ErrorKind::Input,
                    fmt::format("The transformer needs text embeddings [batch, tokens, {}], got {}",
                                m_config.textDim, text.shape().text()),
                    "text encoder", "Use the text encoder that belongs to the transformer");
    const Execution& execution = device.execution();
    const auto span = traceSpan(execution.trace, "condition_embedder");
    const PaddedText padded = PaddedText::of(text.toF32());
    const std::int64_t tokens = padded.rows.extent(1);
    const ShardRange own = textSharded() ? ownPart(device, tokens) : ShardRange{0, tokens};
    const std::span<const LayerWeights> beforeOutput(m_layers.data(), m_layers.size() - 1);
    LayerStream layers(beforeOutput, device.along(MeshAxis::Fsdp), m_gatherMeter);
    const Tensor embedded =
        WanEmbeddings(m_config, layers.next()).embedText(execution, rowsOfEach(padded.rows, own));
    if (probe)
        probe("text_embed", own.size() == tokens ? padded.repeated(embedded) : embedded);
    TextContext context{
        .batch = text.extent(0), .tokens = tokens, .lastTokenCount = padded.lastRowCount, .blocks = {}};
    for (std::int64_t index = 0; index < m_config.layers; ++index) {
        throwIfStopped(execution.stop);
        const WanBlock block(m_config, m_precision, layers.next(), index, device);
        context.blocks.push_back(block.textKeyValue(device, embedded));
    }
    return context;
}

Tensor WanTransformer::forward(Device& device, const Tensor& latents, const Tensor& timesteps,
                               const Tensor& text, const Probe& probe) const {
    return forward(device, latents, timesteps, prepareText(device, text, probe), probe);
}

Tensor WanTransformer::forward(Device& device, const Tensor& latents, const Tensor& timesteps,
                               const TextContext& text, const Probe& probe) const {
    const std::array<const TextContext*, 1> texts{&text};
    return forward(device, latents, timesteps, texts, rotary(device, latents.shape()), probe).front();
}

std::vector<Tensor> WanTransformer::forward(Device& device, const Tensor& latents, const Tensor& timesteps,
                                            std::span<const TextContext* const> texts,
                                            const RotaryTable& rotary, const Probe& probe) const {
    requireOwnDevice(device);
    const auto whole = traceSpan(device.execution().trace, "WanModel");
    const TokenGrid grid = WanPatches(m_config).grid(latents.shape());
    for (const TextContext* text : texts)
        requireOnePerVideo(latents.extent(0), timesteps, *text);
    if (latents.extent(0) > 0)
        return Pass(*this, device, grid, rotary, probe).run(latents, timesteps, texts);

    // Nothing to compute here: the devices that compute still need this one's part of the weights.
    for (std::size_t text = 0; text < texts.size(); ++text) {
        LayerStream layers = layersFor(device, text == 0);
        for (std::size_t layer = text == 0 ? 0 : 1; layer < m_layers.size(); ++layer) {
            throwIfStopped(device.execution().stop);
            static_cast<void>(layers.next());
        }
    }
    return {texts.size(), Tensor::empty({0, m_config.outChannels, latents.extent(2), latents.extent(3),
                                         latents.extent(4)})};
}

RotaryTable WanTransformer::rotary(Device& device, const Shape& latents) const {
    const auto span = traceSpan(device.execution().trace, "rotary_embedding");
    const TokenGrid grid = WanPatches(m_config).grid(latents);
    const ShardRange own = ownPart(device, grid.tokens());
    return rotaryTable(grid, m_config.headDim, own.begin, own.end);
}

LayerStream WanTransformer::layersFor(Device& device, bool withEmbeddings) const {
    const std::span<const LayerWeights> layers(m_layers);
    return {withEmbeddings ? layers : layers.subspan(1), device.along(MeshAxis::Fsdp), m_gatherMeter};
}

void WanTransformer::requireOnePerVideo(std::int64_t batch, const Tensor& timesteps,
                                        const TextContext& text) const {
    if (timesteps.shape() != Shape{batch})
        throw Error(ErrorKind::Input,
                    fmt::format("Latents of {} videos need as many timesteps, got {}", batch,
                                timesteps.shape().text()),
                    "timesteps",
                    "Timesteps of each token belong to TI2V models, which this version does not run");
    const auto blocks = static_cast<std::size_t>(m_config.layers);
    if (text.batch != batch || text.blocks.size() != blocks)
        throw Error(ErrorKind::Internal,
                    fmt::format("Latents of {} videos and {} blocks got text of {} prompts for {} blocks",
                                batch, blocks, text.batch, text.blocks.size()));
}

}  // namespace meshreel
