// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/transformer_memory.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/attention/paired_keys.h"
#include "engine/base/numbers.h"
#include "engine/estimates/work.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/dtype.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

/// Of the latents of token groups: the run's, and those that a pass is given.
constexpr double groupCopies = 2;

double perDevice(std::int64_t extent, int parts) {
    return real((extent + parts - 1) / parts);
}

double exchangeElements(const AttentionPlan& attention, const WanTransformerConfig& config,
                        const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    RingMemory ring = work.ranks == 1 ? RingMemory::Shared : RingMemory::Apart;
    if (work.placement.hasGpus())
        ring = RingMemory::Staged;
    const DType type = work.precision.activations;
    double shards = attention.exchangedShards(type, ring);
    if (work.drivingKeys)
        shards += attention.biasedShards(type, work.placement.hasGpus());
    if (work.timedText)
        shards = std::max(shards, work.timedText->exchangedShards(type, ring) +
                                      work.timedText->biasedShards(type, work.placement.hasGpus()));
    return shards * perDevice(work.tokens, mesh.context) * real(config.innerDim()) / mesh.tensor;
}

/// Halves of guidance that a device takes through the transformer together.
int rowsOfAPass(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return work.guided && !work.partsGuidance && mesh.data * mesh.fsdp == 1 ? 2 : 1;
}

/// Videos and their negative halves that a device computes, one pass after the other.
double ownRows(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return perDevice(work.latentShape[0] * work.rowsOfVideo(), mesh.data * mesh.fsdp);
}

/// Copies of a pass's tokens that a step cache keeps for each row, and for one beside them.
double keptStreams(const Workload& work) {
    return ownRows(work) * work.keptStreams + (work.asksBehindFirstBlock ? 2 : 0);
}

/// Numbers of the keys of one block that a device's queries see of a driving video, or of the values: on the
/// device that sees most.
double pairedElements(const AttentionPlan& attention, const WanTransformerConfig& config,
                      const Workload& work) {
    std::int64_t most = 0;
    for (int device = 0; device < attention.split.devices(); ++device) {
        const PairedShare share = pairedShare(attention, work.drivingPairs(), device);
        std::int64_t heads = 0;
        for (const ShardRange& ofChunk : share.heads)
            heads += ofChunk.size();
        most = std::max(most, share.tokens.size() * heads);
    }
    return real(most * config.headDim);
}

constexpr double keyAndValue = 2;

/// The same work on the driving video, whose first tokens a second pass needs again as it does its own.
Workload drivingWork(const Workload& work) {
    Workload driving = work;
    driving.drivingKeys.reset();
    driving.tokens = work.drivingPairs().keyLength();
    driving.timedText.reset();
    driving.keptStreams = 0;
    driving.asksBehindFirstBlock = false;
    return driving;
}

/// On one device for a driving video: its keys where they are kept, those of the block in use where they are
/// unpacked or computed beside the pass, with the buffers in which they are.
template <typename PassBytes>
double drivingBytes(const AttentionPlan& attention, const WanTransformerConfig& config, const Workload& work,
                    const PassBytes& passBytes) {
    if (!work.drivingKeys)
        return 0;
    const double block = keyAndValue * work.activationBytes() * pairedElements(attention, config, work);
    const auto kept = static_cast<double>(drivingKeyBytes(config, work, attention, *work.drivingKeys));
    if (*work.drivingKeys == DrivingKeysUse::Recomputed)
        return block + passBytes(drivingWork(work));
    return kept + (*work.drivingKeys == DrivingKeysUse::Int8 ? block : 0);
}

/// On one device: the residual stream, what a sub-layer reads and (when it is summed over devices) adds,
/// queries, keys, values and attention results of its heads, the feed-forward features of some tokens, the
/// rotary table, and the output of all tokens. Exchange buffers use memory where the sub-layer's and the
/// feed-forward's values are not needed.
double transformerBytes(const AttentionPlan& attention, const WanTransformerConfig& config,
                        const Workload& work) {
    constexpr double headStreams = 4;
    const MeshShape mesh = work.layout.shape();
    const double tokens = perDevice(work.tokens, mesh.context);
    const double inner = real(config.innerDim());
    const double features = real(config.ffnDim) / mesh.tensor;
    const double featureTokens = std::min(tokens, real(WanWorkspace::feedForwardTokens));
    const double shared =
        std::max(tokens * inner + featureTokens * features, exchangeElements(attention, config, work));
    // What the halves of guidance share is kept for the second one.
    const bool summed = mesh.tensor > 1 && work.precision.activations != DType::F32;
    const double streams = 1 + (rowsOfAPass(work) > 1 ? 1 : 0);
    // The control stream of VACE is kept likewise.
    const double wholeStreams =
        (config.vaceLayers.empty() ? 1 : 2) * streams + (summed ? 1 : 0) + keptStreams(work);
    const double driving = drivingBytes(attention, config, work, [&](const Workload& other) {
        return transformerBytes(attention, config, other);
    });
    return driving + work.activationBytes() * (shared + headStreams * tokens * inner / mesh.tensor) +
           f32Bytes * (wholeStreams * tokens * inner + tokens * real(config.headDim) +
                       real(work.tokens) * 2 * real(config.patchElements() * config.outChannels));
}

/// Keys and values of every face adapter, of all frames that are seen at a time.
double faceContextElements(const WanTransformerConfig& config, const Workload& work) {
    if (!config.animate)
        return 0;
    return real(faceAdapters(config)) * 2 * real(work.passFrames * config.animate->faceTokens()) *
           real(config.innerDim());
}

/// Keys and values of every injector, and what scales and shifts its tokens.
double soundContextElements(const WanTransformerConfig& config, const Workload& work) {
    if (!config.sound)
        return 0;
    const double ofFrame = real(2 * config.sound->tokensPerFrame() + 4) * real(config.innerDim());
    return real(std::ssize(config.sound->layers)) * real(work.passFrames) * ofFrame;
}

/// Where devices share the batch, each window of a row is dealt out to them by itself.
bool dealsWindows(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return work.windows > 1 && mesh.data * mesh.fsdp > 1;
}

/// Rows whose text a device may attend to: its own, or all where windows of any row may be its own.
double heardRows(const Workload& work) {
    return dealsWindows(work) ? real(work.latentShape[0] * work.rowsOfVideo()) : ownRows(work);
}

/// Prompts among those of the first device: they come first.
double heardPrompts(const Workload& work) {
    return std::min(real(work.latentShape[0]), heardRows(work));
}

/// Faces and sound of a device's rows; in context windows those of every window of a step, which all rows
/// see, and blank ones for negative halves.
double seenAndHeardElements(const WanTransformerConfig& config, const Workload& work) {
    const double contexts = work.windows > 1 ? work.windows + (work.guided ? 1 : 0) : heardRows(work);
    return contexts * (faceContextElements(config, work) + soundContextElements(config, work));
}

/// Cross-attention keys and values of every block, of a device's prompts and heads; with attention guidance
/// those of the negative prompt in the main blocks beside them.
double textContextElements(const WanTransformerConfig& config, std::int64_t length, const Workload& work) {
    const auto keysAndValues = [&](std::int64_t blocks, std::int64_t tokens) {
        return real(blocks * 2 * tokens * config.innerDim());
    };
    const double ofText = keysAndValues(allBlocks(config), length + config.imageTokens());
    const double guiding =
        work.guidesAttention ? heardPrompts(work) * keysAndValues(config.layers, length) : 0;
    const auto otherTexts = real(work.textsOfPrompt - 1);
    const double ofDriving = work.drivingKeys ? ofText : 0;
    return ((heardRows(work) + heardPrompts(work) * otherTexts) * ofText + ofDriving +
            seenAndHeardElements(config, work) + (1 + otherTexts) * guiding) /
           work.layout.shape().tensor;
}

/// Scores and accumulators of the query blocks that the workers hold.
double attentionElements(const AttentionPlan& attention, const WanTransformerConfig& config,
                         const Workload& work) {
    FlashBlockSizes blocks = attention.blocks;
    blocks.blockQ = std::min(blocks.blockQ, work.tokens);
    if (rowOf(attention.kernel).isBlocked)
        return work.workersPerDevice *
               real(static_cast<std::int64_t>(customScratchBytes(blocks, config.headDim))) / sizeof(float);
    return work.workersPerDevice * real(blocks.blockQ) * (real(work.tokens) + 2 * real(config.headDim));
}

/// What a device holds while it chooses the blocks of a block-sparse attention, of one row: the order of its
/// tokens, which blocks its heads keep, the means of blocks, and the scores of queries that are drawn.
double sparseBytes(const WanTransformerConfig& config, const Workload& work) {
    if (!work.sparseSelf)
        return 0;
    const AttentionPlan& attention = *work.sparseSelf;
    const SparseRule& rule = *attention.sparse;
    const std::int64_t own = ceilDivide(work.tokens, attention.split.ring);
    const std::int64_t blocks = ceilDivide(work.tokens, rule.blockTokens) + attention.split.ring;
    const std::int64_t ownBlocks = ceilDivide(own, rule.blockTokens);
    const double heads = real(attention.mostHeads());
    double bytes = rule.layouts() * real(work.tokens) * sizeof(std::int32_t);
    bytes += (rule.row().choosesByHead ? heads : 1) * real(ownBlocks) * real(blocks);
    if (rule.row().addsMeans)  // keys and values of all blocks and of its own, and its queries
        bytes += heads * real(config.headDim) * work.activationBytes() * real(2 * blocks + 3 * ownBlocks);
    if (rule.row().hasPlaces)
        bytes += work.workersPerDevice * real(rule.profileQueries * work.tokens) * f32Bytes;
    return bytes;
}

/// With further predictions than two, in addition to the rows that they are cut out of.
double latentCopiesOf(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    // What a device predicts of windows, and what all have predicted, before it is fused.
    const double windows = dealsWindows(work)
                               ? real(work.rowsOfVideo() * work.windows * work.passFrames) /
                                     real(work.latentShape[2]) * (1 + 1.0 / (mesh.data * mesh.fsdp))
                               : 0;
    return latentCopies + 2 * std::max(0, work.rowsOfVideo() - 2) + windows;
}

LayerMemory pickLarger(const LayerMemory& first, const LayerMemory& second) {
    return {.copied = std::max(first.copied, second.copied),
            .packed = std::max(first.packed, second.packed),
            .mapped = std::max(first.mapped, second.mapped),
            .used = std::max(first.used, second.used),
            .mappedUse = std::max(first.mappedUse, second.mappedUse),
            .gathered = std::max(first.gathered, second.gathered)};
}

LayerMemory together(const LayerMemory& first, const LayerMemory& second) {
    LayerMemory both = pickLarger(first, second);
    both.copied = first.copied + second.copied;
    both.packed = first.packed + second.packed;
    both.mapped = first.mapped + second.mapped;
    return both;
}

/// What a device keeps and uses of the transformers that are in memory while denoising.
LayerMemory transformerMemory(const ModelFacts& model, const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    const auto memoryOf = [&](const StoredLayers& layers) {
        return layers ? layersMemory(*layers, {.fsdpDevices = mesh.fsdp, .tensorDevices = mesh.tensor},
                                     work.precision,
                                     work.placement.residentLayers().value_or(std::ssize(*layers)))
                      : LayerMemory();
    };
    const LayerMemory first = memoryOf(model.transformerLayers);
    if (!model.secondWeights)
        return first;
    const LayerMemory second = memoryOf(model.secondLayers);
    return work.placement.keepsBothExperts() ? together(first, second) : pickLarger(first, second);
}

/// What a GPU keeps of the transformers: the matrices that it computes with, in the type that they are
/// held in, and the weights of norms. It holds two streamed layers at a time, and one of those whose
/// quantised matrices stay so on the host.
struct GpuWeights {
    std::uint64_t kept = 0;
    std::uint64_t used = 0;
};

/// A matrix with its bias, f32, or the weights of a norm; 0 of what stays on the host.
std::uint64_t gpuBytes(const WanParameter& parameter, const WanPrecision& precision) {
    if (parameter.norm)
        return static_cast<std::uint64_t>(parameter.shape.elements()) * sizeof(float);
    if (!parameter.linear && !parameter.blockLinear)
        return 0;
    const auto outs = static_cast<std::uint64_t>(parameter.shape[0]);
    const auto ins = static_cast<std::uint64_t>(parameter.shape.elements()) / outs;
    const std::uint64_t bias = outs * sizeof(float);
    if (parameter.blockLinear && precision.linears() == Arithmetic::Int8) {
        const std::uint64_t scales = outs * sizeof(float);
        return outs * static_cast<std::uint64_t>(int8RowWidthOnDevice(static_cast<std::int64_t>(ins))) +
               scales + bias;
    }
    return outs * ins * byteSize(heldType(parameter, precision)) + bias;
}

GpuWeights gpuWeights(const StoredLayers& stored, const WanTransformerConfig& config, const Workload& work) {
    GpuWeights sum;
    if (!stored)
        return sum;
    const std::vector<WanLayer> layers = wanLayers(config);
    std::uint64_t streamed = 0;
    std::uint64_t unpacked = 0;
    for (std::size_t index = 0; index < stored->size(); ++index) {
        const bool stays = staysResident(static_cast<std::int64_t>(index), std::ssize(*stored),
                                         work.placement.residentLayers().value_or(std::ssize(*stored)));
        std::uint64_t used = 0;
        for (const StoredParameter& parameter : (*stored)[index].parameters) {
            if (!runsOnDevice(layers[index].place.role, parameter.parameter))
                continue;
            const bool staysQuantised =
                isQuantised(parameter.type) && keptQuantised(parameter.parameter, work.precision, 1);
            (stays && !staysQuantised ? sum.kept : used) += gpuBytes(parameter.parameter, work.precision);
        }
        std::uint64_t& most = stays ? unpacked : streamed;
        most = std::max(most, used);
    }
    sum.used = unpacked + 2 * streamed;
    return sum;
}

/// Rows that layers with int8 weights round, of the layer that takes most.
double gpuRoundedBytes(const WanTransformerConfig& config, const Workload& work, double tokens) {
    if (work.precision.linears() != Arithmetic::Int8)
        return 0;
    const auto ofRows = [](double rows, std::int64_t ins) {
        return std::min(rows, real(int8RowsAtOnceOnDevice())) *
               (real(int8RowWidthOnDevice(ins)) + sizeof(float));
    };
    return std::max(ofRows(tokens, config.innerDim()),
                    ofRows(std::min(tokens, real(WanWorkspace::feedForwardTokens)), config.ffnDim));
}

/// Numbers of a token that a GPU has beside the residual stream before the blocks: patches of the latents; of
/// a control or a pose with what is made of them.
std::int64_t embeddedElements(const WanTransformerConfig& config) {
    const auto guide = [&](std::int64_t channels) {
        return channels > 0 ? channels * config.patchElements() + config.innerDim() : 0;
    };
    return std::max({config.inChannels * config.patchElements(), guide(config.vaceChannels),
                     guide(config.animate ? config.animate->poseChannels : 0),
                     guide(config.sound ? config.sound->poseChannels : 0)});
}

/// On one GPU while denoising: the buffers of a pass, what the halves of guidance and step caches keep of it,
/// the rotary table, and what precedes the blocks or the output after them.
double gpuPassBytes(const AttentionPlan& attention, const ModelFacts& model, const Workload& work) {
    const WanTransformerConfig& config = model.transformer;
    const double tokens = perDevice(work.tokens, work.layout.shape().context);
    const double inner = real(config.innerDim());
    const double feedForward = std::min(tokens, real(WanWorkspace::feedForwardTokens)) * real(config.ffnDim);
    const double shared = std::max(tokens * inner + feedForward, exchangeElements(attention, config, work));
    constexpr double headStreams = 4;  // queries, keys, values, what is attended
    const bool summed = model.tokenTimesteps() && work.precision.activations != DType::F32;
    const double streams = (config.vaceLayers.empty() ? 1 : 2) * (rowsOfAPass(work) > 1 ? 2 : 1) +
                           (summed ? 1 : 0) + keptStreams(work);
    const double driving = drivingBytes(attention, config, work, [&](const Workload& other) {
        return gpuPassBytes(attention, model, other);
    });
    return driving + work.activationBytes() * (shared + headStreams * tokens * inner) +
           gpuRoundedBytes(config, work, tokens) +
           f32Bytes * tokens *
               (streams * inner + real(config.headDim + std::max(config.patchElements() * config.outChannels,
                                                                 embeddedElements(config))));
}

DeviceMemory estimateGpuMemory(const ModelFacts& model, const Workload& work, const AttentionPlan& attention,
                               std::int64_t promptTokens) {
    const GpuWeights first = gpuWeights(model.transformerLayers, model.transformer, work);
    const GpuWeights second =
        model.secondWeights ? gpuWeights(model.secondLayers, model.transformer, work) : GpuWeights();
    const double text = textContextElements(model.transformer, promptTokens + 1, work);
    return {.weights = work.placement.keepsBothExperts() ? first.kept + second.kept
                                                         : std::max(first.kept, second.kept),
            .used = std::max(first.used, second.used),
            .gathered = 0,
            .activations = static_cast<std::uint64_t>(gpuPassBytes(attention, model, work) +
                                                      work.activationBytes() * text)};
}

/// What the host keeps of the transformers when a GPU computes: embeddings, as for a run on the CPU, and,
/// while a layer of the others goes to the GPU, its intermediate forms.
LayerMemory hostMemoryBesideGpu(const ModelFacts& model, const Workload& work) {
    const std::vector<WanLayer> layers = wanLayers(model.transformer);
    const auto memoryOf = [&](const StoredLayers& stored) {
        LayerMemory sum;
        for (std::size_t index = 0; stored && index < stored->size(); ++index) {
            const bool onGpu = runsOnDevice(layers[index].place.role, {});
            const LayerMemory one = layerMemory((*stored)[index], {}, work.precision, onGpu);
            sum.copied += one.copied;
            sum.packed += one.packed;
            sum.mapped += one.mapped;
            sum.used = std::max(sum.used, one.used);
            sum.mappedUse = std::max(sum.mappedUse, one.mappedUse);
        }
        return sum;
    };
    const LayerMemory first = memoryOf(model.transformerLayers);
    return model.secondWeights ? (work.placement.keepsBothExperts() ? together : pickLarger)(
                                     first, memoryOf(model.secondLayers))
                               : first;
}

}  // namespace

std::uint64_t drivingKeyBytes(const WanTransformerConfig& config, const Workload& work,
                              const AttentionPlan& attention, DrivingKeysUse use) {
    if (use == DrivingKeysUse::Recomputed)
        return 0;
    // In int8 a byte each, and a scale for each head of each token.
    const double bytesOfNumber =
        use == DrivingKeysUse::Int8 ? 1 + f32Bytes / real(config.headDim) : work.activationBytes();
    return static_cast<std::uint64_t>(real(config.layers) * keyAndValue * bytesOfNumber *
                                      pairedElements(attention, config, work));
}

DeviceMemory estimateDeviceMemory(const ModelFacts& model, const Workload& work,
                                  const AttentionPlan& attention, std::int64_t promptTokens) {
    if (work.placement.hasGpus())
        return estimateGpuMemory(model, work, attention, promptTokens);
    const LayerMemory weights = transformerMemory(model, work);
    const double latents =
        latentCopiesOf(work) * real(work.latentShape.elements()) + groupCopies * real(work.groupElements);
    const double text = textContextElements(model.transformer, promptTokens + 1, work);
    return {.weights = weights.kept(),
            .used = weights.used,
            .gathered = 2 * weights.gathered,
            .activations = static_cast<std::uint64_t>(
                transformerBytes(attention, model.transformer, work) + work.activationBytes() * text +
                sparseBytes(model.transformer, work) +
                f32Bytes * (latents + attentionElements(attention, model.transformer, work)))};
}

LayerMemory transformerMemoryOnHost(const ModelFacts& model, const Workload& work) {
    return work.placement.hasGpus() ? hostMemoryBesideGpu(model, work) : transformerMemory(model, work);
}

double hostBytesBesideGpu(const AttentionPlan& attention, const WanTransformerConfig& config,
                          const Workload& work) {
    const double exchanged =
        work.devicesPerRank() * work.activationBytes() * exchangeElements(attention, config, work);
    return exchanged +
           f32Bytes *
               real(work.tokens * config.patchElements() * (config.inChannels + 2 * config.outChannels)) +
           (work.placement.residentLayers() ? 2 : 1) * work.devicesPerRank() *
               real(static_cast<std::int64_t>(GpuStaging::bytes));
}

}  // namespace meshreel
