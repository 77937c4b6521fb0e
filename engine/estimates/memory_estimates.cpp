// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/memory_estimates.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/block_sizes.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/estimates/vae_memory.h"
#include "engine/estimates/work.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/device_kernels.h"
#include "engine/media/video_writer.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/project/project_settings.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

std::uint64_t tinyDecoderParameters(const WanVaeConfig& config) {
    constexpr std::int64_t blocksOfLevel = 3;
    constexpr std::int64_t kernel = 9;
    constexpr std::int64_t kernelsOfBlock = 4;  // the first convolution reads two frames
    const std::vector<std::int64_t>& widths = config.tiny->widths;
    std::int64_t count = kernel * (widths.front() * config.zDim + widths.back() * config.outChannels);
    for (std::size_t level = 0; level + 1 < widths.size(); ++level) {
        const std::int64_t channels = widths[level];
        count += blocksOfLevel * kernelsOfBlock * kernel * channels * channels;
        count += (config.temporalDownsample[level] ? 2 : 1) * channels * channels;
        count += kernel * channels * widths[level + 1];
    }
    return static_cast<std::uint64_t>(count);
}

constexpr double f32Bytes = sizeof(float);

/// The VAE's encoder is held beside its decoder.
bool encodes(const Workload& work) {
    return work.placement.find(PlacedPart::VaeEncoder) != nullptr;
}

std::uint64_t bytes(double value) {
    return static_cast<std::uint64_t>(value);
}

/// Returns the bytes of so many weights, nearly all of which belong to convolutions, as the kernels of this
/// CPU hold them.
std::uint64_t vaeWeightBytes(std::uint64_t weights, DType activations) {
    const Arithmetic products = VaePrecision{.activations = activations}.products();
    return weights * byteSize(convolutionKernel(products).type);
}

/// Weights of a part of the VAE; 0 where the run has no such part.
std::uint64_t vaeParameters(const ModelFacts& model, const Workload& work, PlacedPart part) {
    switch (part) {
        case PlacedPart::VaeEncoder:
            return encodes(work) ? model.vaeWeights.parameters - model.vaeDecoderWeights.parameters : 0;
        case PlacedPart::PreviewDecoder: {
            const WanVaeConfig* const decoder = previewDecoder(model);
            return decoder == nullptr ? 0 : tinyDecoderParameters(decoder->forPreview());
        }
        default:
            return model.vaeDecoderWeights.parameters;
    }
}

/// The program, its libraries and what they allocate for themselves; OpenBLAS takes a buffer for each thread.
double resident(const Workload& work) {
    constexpr double processBytes = 8.0 * (1 << 20);
    constexpr double workerBytes = 3.0 * (1 << 20);
    return processBytes + workerBytes * work.workersPerDevice * work.devicesPerRank();
}

/// Elements alive in one layer of the text encoder: three rows of dModel, four of the heads, two of dFf, and
/// the bias of each distance.
double textEncoderElements(const Umt5Config& config, std::int64_t length) {
    const double rows = real(length);
    const double inner = real(config.heads * config.dKv);
    return rows * (3 * real(config.dModel) + 4 * inner + 2 * real(config.dFf)) +
           real(config.heads) * 2 * rows;
}

/// Tokens of a prompt at most: a token stands for one byte or more, beside the end mark and the space that
/// tokenizers put in front.
std::int64_t tokensOfPrompt(std::string_view prompt, const Project& project) {
    constexpr std::size_t marks = 2;
    return std::min(project.maxSequenceLength, static_cast<std::int64_t>(prompt.size() + marks));
}

/// Returns the tokens of the longer prompt.
std::int64_t promptTokens(const Project& project) {
    return std::max(tokensOfPrompt(project.prompt, project), tokensOfPrompt(project.negativePrompt, project));
}

double perDevice(std::int64_t extent, int parts) {
    return real((extent + parts - 1) / parts);
}

double exchangeElements(const AttentionPlan& attention, const WanTransformerConfig& config,
                        const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    RingMemory ring = work.ranks == 1 ? RingMemory::Shared : RingMemory::Apart;
    if (work.placement.hasGpus())
        ring = RingMemory::Staged;
    return attention.exchangedShards(work.precision.activations, ring) *
           perDevice(work.tokens, mesh.context) * real(config.innerDim()) / mesh.tensor;
}

double activationBytes(const Workload& work) {
    return static_cast<double>(byteSize(work.precision.activations));
}

/// Halves of guidance that a device takes through the transformer together.
int rowsOfAPass(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return work.guided && mesh.data * mesh.fsdp == 1 ? 2 : 1;
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
    return activationBytes(work) * (shared + headStreams * tokens * inner / mesh.tensor) +
           f32Bytes * (wholeStreams * tokens * inner + tokens * real(config.headDim) +
                       real(work.tokens) * 2 * real(config.patchElements() * config.outChannels));
}

/// Keys and values of every face adapter, of all latent frames.
double faceContextElements(const WanTransformerConfig& config, const Workload& work) {
    if (!config.animate)
        return 0;
    return real(faceAdapters(config)) * 2 * real(work.latentShape[2] * config.animate->faceTokens()) *
           real(config.innerDim());
}

/// Cross-attention keys and values of every block, of a device's prompts and heads.
double textContextElements(const WanTransformerConfig& config, std::int64_t length, const Workload& work) {
    const double ofText =
        real(allBlocks(config)) * 2 * real(length + config.imageTokens()) * real(config.innerDim());
    return ownRows(work) * (ofText + faceContextElements(config, work)) / work.layout.shape().tensor;
}

/// Different parts of the transformer that the devices of the first process keep.
int distinctShards(const Workload& work) {
    std::set<std::pair<int, int>> shards;
    for (int device = 0; device < work.devicesPerRank(); ++device) {
        const DeviceCoordinates at = work.layout.coordinates(device);
        shards.emplace(at.fsdp, at.tensor);
    }
    return static_cast<int>(shards.size());
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

/// Latents, the two predictions and their guided sum, and what UniPC of order 2 remembers.
constexpr double latentCopies = 8;

/// And the third prediction, in addition to the rows that it is cut out of.
double latentCopiesOf(const Workload& work) {
    return latentCopies + (work.guidesImages ? 2 : 0);
}

/// Latent frames that are decoded together.
std::int64_t decodeChunkFrames(const Project& project, const Workload& work) {
    const std::int64_t afterFirst = std::max<std::int64_t>(1, work.latentShape[2] - 1);
    return project.vaeDecodeChunk == -1 ? afterFirst : std::min(project.vaeDecodeChunk, afterFirst);
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
                     guide(config.animate ? config.animate->poseChannels : 0)});
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
    return activationBytes(work) * (shared + headStreams * tokens * inner) +
           gpuRoundedBytes(config, work, tokens) +
           f32Bytes * tokens *
               (streams * inner + real(config.headDim + std::max(config.patchElements() * config.outChannels,
                                                                 embeddedElements(config))));
}

DeviceMemory estimateGpuMemory(const Project& project, const ModelFacts& model, const Workload& work,
                               const AttentionPlan& attention) {
    const GpuWeights first = gpuWeights(model.transformerLayers, model.transformer, work);
    const GpuWeights second =
        model.secondWeights ? gpuWeights(model.secondLayers, model.transformer, work) : GpuWeights();
    const double text = textContextElements(model.transformer, promptTokens(project) + 1, work);
    return {.weights = work.placement.keepsBothExperts() ? first.kept + second.kept
                                                         : std::max(first.kept, second.kept),
            .used = std::max(first.used, second.used),
            .gathered = 0,
            .activations = bytes(gpuPassBytes(attention, model, work) + activationBytes(work) * text)};
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

DeviceMemory estimateDeviceMemory(const Project& project, const ModelFacts& model, const Workload& work,
                                  const AttentionPlan& attention) {
    if (work.placement.hasGpus())
        return estimateGpuMemory(project, model, work, attention);
    const LayerMemory weights = transformerMemory(model, work);
    const double latents = latentCopiesOf(work) * real(work.latentShape.elements());
    const double text = textContextElements(model.transformer, promptTokens(project) + 1, work);
    return {.weights = weights.kept(),
            .used = weights.used,
            .gathered = 2 * weights.gathered,
            .activations =
                bytes(transformerBytes(attention, model.transformer, work) + activationBytes(work) * text +
                      f32Bytes * (latents + attentionElements(attention, model.transformer, work)))};
}

/// MaxDiffusion's Wan trainer (maxdiffusion_utils, calculate_wan_tflops' working half), forward only: it
/// counts the keys and values of cross-attention three times and leaves the embeddings and the head out.
double maxDiffusionFlops(const WanTransformerConfig& config, double s, double t) {
    const double n = real(config.innerDim());
    const double self = 3 * 2 * s * n * n + 2 * 2 * s * s * n;
    const double cross = 3 * 2 * t * n * n + 2 * s * n * n + 2 * 2 * s * t * n;
    return real(config.layers) * (self + cross + 2 * 2 * s * n * n + 2 * 2 * s * n * real(config.ffnDim));
}

/// What the process keeps of the transformer.
void addKept(StageMemory& stage, const LayerMemory& memory, const Workload& work) {
    const auto shards = static_cast<std::uint64_t>(distinctShards(work));
    stage.weights += shards * memory.copied;
    stage.packed += shards * memory.packed;
    stage.mapped += shards * memory.mapped;
}

/// What is in memory of a layer that is used: devices with the same part share it, and may be at two
/// neighbours at a time; what is gathered each device has for itself.
void addUse(StageMemory& stage, const LayerMemory& memory, const Workload& work) {
    const int shards = distinctShards(work);
    const int devices = work.devicesPerRank();
    const int uses = work.layout.shape().fsdp > 1 ? devices : std::min(devices, 2 * shards);
    stage.weights += static_cast<std::uint64_t>(uses) * memory.used;
    stage.mapped += memory.mappedUse;
}

/// On the way to the GPUs and back: patches, the output of all tokens, the buffer that copies go through, and
/// what the devices exchange.
double hostBytesBesideGpu(const AttentionPlan& attention, const WanTransformerConfig& config,
                          const Workload& work) {
    const double exchanged =
        work.devicesPerRank() * activationBytes(work) * exchangeElements(attention, config, work);
    return exchanged +
           f32Bytes *
               real(work.tokens * config.patchElements() * (config.inChannels + 2 * config.outChannels)) +
           (work.placement.residentLayers() ? 2 : 1) * work.devicesPerRank() *
               real(static_cast<std::int64_t>(GpuStaging::bytes));
}

/// What encoding the longest prompt takes, and what becomes of all. A GPU gets the rows of its embedding.
double conditioningBytes(const Project& project, const Umt5Config& encoder, bool onGpu) {
    constexpr double prompts = 2;
    const std::int64_t tokens = promptTokens(project);
    const double encoding = onGpu ? real(tokens * encoder.dModel) : textEncoderElements(encoder, tokens);
    return f32Bytes * (encoding + prompts * real(project.maxSequenceLength * encoder.dModel)) +
           (onGpu ? real(static_cast<std::int64_t>(GpuStaging::bytes)) : 0);
}

/// What the host holds of the text encoder's weights at a time, besides the mapped file: a layer, or on the
/// way to a GPU a matrix, if that needs another type than the file's.
std::uint64_t textEncoderWeightBytes(const ModelFacts& model, const Workload& work) {
    const PartWeights& weights = model.textEncoderWeights;
    if (!work.placement.isOnGpu(PlacedPart::TextEncoder))
        return weights.memory;
    const Umt5Config& encoder = model.textEncoder;
    const bool isAsStored =
        weights.linears == DType::BF16 || (work.encoderProducts == Arithmetic::F32 && weights.copied == 0);
    const std::size_t elementBytes =
        work.encoderProducts == Arithmetic::BF16 ? sizeof(BFloat16) : sizeof(float);
    const std::int64_t largest = encoder.dModel * std::max(encoder.dFf, encoder.heads * encoder.dKv);
    return isAsStored ? 0 : static_cast<std::uint64_t>(largest) * elementBytes;
}

/// What the encoders that a GPU computes take of its memory.
EncoderDeviceMemory estimateEncodersOnGpu(const Project& project, const ModelFacts& model,
                                          const Workload& work) {
    EncoderDeviceMemory memory;
    if (work.placement.isOnGpu(PlacedPart::ImageEncoder))
        memory.image = ClipVisionEncoder::gpuBytes(*model.imageEncoder, model.imageEncoderWeights.linears,
                                                   work.encoderProducts, project.lastImage.empty() ? 1 : 2);
    if (!work.placement.isOnGpu(PlacedPart::TextEncoder))
        return memory;
    std::vector<std::int64_t> lengths;
    for (const BatchItem& item : batchItems(project))
        lengths.push_back(tokensOfPrompt(item.prompt, project));
    if (work.guided)
        lengths.push_back(tokensOfPrompt(project.negativePrompt, project));
    memory.text = Umt5Encoder::gpuBytes(model.textEncoder, model.textEncoderWeights.linears,
                                        work.encoderProducts, lengths);
    return memory;
}

/// Devices of a process that decode at once: the strips of each group that has a video.
double decodingDevices(const Workload& work) {
    const std::int64_t groups =
        std::clamp<std::int64_t>(work.layout.devices() / work.placement.vaeStrips(), 1, work.latentShape[0]);
    return real(std::min<std::int64_t>(work.devicesPerRank(), work.placement.vaeStrips() * groups));
}

/// Where strips are taken in turn, what the middle block has made of all latents waits on the host.
double waitingBytes(const WanVaeConfig& config, const Workload& work) {
    if (work.placement.vaeStripsInTurn() == 1)
        return 0;
    return static_cast<double>(byteSize(work.vaeActivations)) *
           real(work.latentShape[2] * work.latentShape[3] * work.latentShape[4] * config.decoderBaseDim *
                config.dimMult.back());
}

/// What encoding the task's images and videos takes: their pixels and what VACE cuts out of them, the
/// encoder's features of one chunk, the latents.
double visualBytes(const Project& project, const ModelFacts& model, const Workload& work) {
    const bool edits = model.family->traits.vaceBlocks;
    const bool animates = model.family->traits.animates;
    if (!encodes(work))
        return 0;
    const double pixels = real(project.height * project.width);
    // Video, mask and the two parts; poses, faces, background, mask and what is cut out of them; or a video
    // and its copy.
    const double videos = animates ? 6 : edits ? 4 : 2;
    const double strips = std::min(work.devicesPerRank(), work.placement.encodeStrips());
    const std::int64_t chunk = project.vaeEncodeChunk == -1 ? project.numFrames : project.vaeEncodeChunk;
    return f32Bytes * (videos * work.devicesPerRank() * pixels *
                           real(project.numFrames * model.vae.videoChannelsIn()) +
                       latentCopies * real(work.latentShape.elements())) +
           (work.placement.isOnGpu(PlacedPart::VaeEncoder)
                ? 0
                : static_cast<double>(byteSize(work.vaeActivations)) * strips *
                      vaeEncodeElements(model.vae, pixels / work.placement.encodeStrips(), chunk));
}

/// Pixels of a frame of a preview.
double previewPixels(const WanVaeConfig& preview, const Workload& work) {
    const double factor = real(preview.spatialFactor());
    return real(work.latentShape[3] * work.latentShape[4]) * factor * factor;
}

/// What the parts of the VAE that a GPU computes take of its memory.
VaeDeviceMemory estimateVaeOnGpu(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanVaeConfig& config = model.vae;
    const double pixels = real(project.height * project.width);
    const std::int64_t latentFrames = work.latentShape[2];
    const std::int64_t decoded = decodeChunkFrames(project, work);
    const std::int64_t columns = work.latentShape[4];
    const auto strips = static_cast<int>(std::min(work.placement.vaeStripsInTurn(), columns));
    const std::int64_t seen =
        strips == 1 ? columns : widestStripInTurn(columns, strips, config.decodeReach());
    VaeDeviceMemory memory;
    for (const PlacedPart part : vaeParts)
        if (work.placement.isOnGpu(part))
            memory.weights += vaeParameters(model, work, part) * byteSize(work.vaeActivations);
    if (work.placement.isOnGpu(PlacedPart::VaeDecoder))
        memory.decoding = bytes(vaeDecodeBytesOnGpu(config, work.vaeActivations,
                                                    {.framePixels = pixels,
                                                     .partPixels = pixels * real(seen) / real(columns),
                                                     .latentFrames = latentFrames,
                                                     .chunk = decoded}));
    if (const WanVaeConfig* decoder = previewDecoder(model);
        decoder != nullptr && work.placement.isOnGpu(PlacedPart::PreviewDecoder)) {
        const WanVaeConfig preview = decoder->forPreview();
        const double previewed = previewPixels(preview, work);
        memory.preview = bytes(vaeDecodeBytesOnGpu(preview, work.vaeActivations,
                                                   {.framePixels = previewed,
                                                    .partPixels = previewed,
                                                    .latentFrames = latentFrames,
                                                    .chunk = decoded}));
    }
    if (work.placement.isOnGpu(PlacedPart::VaeEncoder))
        memory.encoding = bytes(
            vaeEncodeBytesOnGpu(config, work.vaeActivations, pixels, project.numFrames,
                                project.vaeEncodeChunk == -1 ? project.numFrames : project.vaeEncodeChunk));
    return memory;
}

/// Returns what a small decoder takes of the host's memory to make a preview, pictures included; 0 without
/// one.
double previewBytes(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanVaeConfig* decoder = previewDecoder(model);
    if (decoder == nullptr)
        return 0;
    constexpr double copies = 2;  // as the decoder's chunks and joined
    const WanVaeConfig preview = decoder->forPreview();
    const double pixels = previewPixels(preview, work);
    const double values = copies * pixels * real(work.latentShape[2] * preview.videoChannelsOut());
    if (work.placement.isOnGpu(PlacedPart::PreviewDecoder))  // bytes come back
        return values;
    return static_cast<double>(byteSize(work.vaeActivations)) *
               vaeDecodeElements(preview, pixels, decodeChunkFrames(project, work)) +
           f32Bytes * values;
}

/// The encoder takes frames while others are decoded.
std::uint64_t encoderBytes(const Project& project) {
    const VideoFormatInfo* const format = findVideoFormat(project.videoFormat);
    return format == nullptr ? 0
                             : bytes(format->encoderMegabytes * 1e6 +
                                     format->encoderPixelBytes * real(project.height * project.width));
}

}  // namespace

namespace {

/// Buffers that tensors share are a small part of the whole, so that what is left of them is.
void addPartlyFilledBlocks(MemoryEstimate& estimate) {
    constexpr std::uint64_t parts = 48;
    constexpr std::uint64_t smallest = std::uint64_t{64} << 10U;
    constexpr std::uint64_t largest = GpuPool::usualBlock;
    const std::uint64_t part = estimate.devicePeak() / parts / smallest * smallest;
    estimate.deviceBlock = std::clamp(part, smallest, largest);
    for (std::uint64_t* stage :
         {&estimate.device.activations, &estimate.deviceVae.encoding, &estimate.deviceVae.preview,
          &estimate.deviceVae.decoding, &estimate.deviceEncoders.text, &estimate.deviceEncoders.image})
        if (*stage > 0)
            *stage += estimate.deviceBlock;
}

/// What parts of the VAE compute in the host's memory.
struct HostFeatures {
    std::uint64_t encoding = 0;
    std::uint64_t preview = 0;
    std::uint64_t decoding = 0;
};

void fillParts(MemoryEstimate& estimate, const ModelFacts& model, const Workload& work,
               const HostFeatures& onHost) {
    const auto vaeBytes = [&](PlacedPart part, std::uint64_t onGpu, std::uint64_t features) {
        const std::uint64_t parameters = vaeParameters(model, work, part);
        return work.placement.isOnGpu(part) ? parameters * byteSize(work.vaeActivations) + onGpu
                                            : vaeWeightBytes(parameters, work.vaeActivations) + features;
    };
    const auto bytesOf = [&](PlacedPart part) {
        switch (part) {
            case PlacedPart::Transformer:
            case PlacedPart::SecondTransformer:
                return estimate.device.total();
            case PlacedPart::TextEncoder:
                return work.placement.isOnGpu(part) ? estimate.deviceEncoders.text
                                                    : model.textEncoderWeights.memory;
            case PlacedPart::ImageEncoder:
                return work.placement.isOnGpu(part) ? estimate.deviceEncoders.image
                                                    : model.imageEncoderWeights.memory;
            case PlacedPart::VaeEncoder:
                return vaeBytes(part, estimate.deviceVae.encoding, onHost.encoding);
            case PlacedPart::VaeDecoder:
                return vaeBytes(part, estimate.deviceVae.decoding, onHost.decoding);
            case PlacedPart::PreviewDecoder:
                return vaeBytes(part, estimate.deviceVae.preview, onHost.preview);
            case PlacedPart::Embeddings:
                return estimate.denoising.weights + estimate.denoising.packed - estimate.decoding.packed;
        }
        return std::uint64_t{0};
    };
    for (const PartPlan& part : work.placement.parts)
        estimate.parts[static_cast<std::size_t>(part.part)] = bytesOf(part.part);
}

}  // namespace

const WanVaeConfig* previewDecoder(const ModelFacts& model) {
    const WanVaeConfig& decoder = model.preview ? *model.preview : model.vae;
    return decoder.tiny ? &decoder : nullptr;
}

std::uint64_t MemoryEstimate::deviceDenoising() const {
    return deviceVae.weights + std::max(device.total(), device.weights + deviceVae.preview);
}

std::uint64_t MemoryEstimate::devicePeak() const {
    return std::max({deviceEncoding(), deviceDenoising(), deviceVae.weights + deviceVae.decoding});
}

std::uint64_t MemoryEstimate::peak() const {
    return std::max({loading.total(), conditioning.total(), denoising.total(), decoding.total()});
}

MemoryEstimate estimateMemory(const Project& project, const ModelFacts& model, const Workload& work,
                              const AttentionPlan& attention) {
    MemoryEstimate estimate;
    estimate.device = estimateDeviceMemory(project, model, work, attention);
    estimate.deviceVae = estimateVaeOnGpu(project, model, work);
    estimate.deviceEncoders = estimateEncodersOnGpu(project, model, work);
    if (work.placement.hasGpus())
        addPartlyFilledBlocks(estimate);
    const int devices = work.devicesPerRank();
    const double pixels = real(project.height * project.width);
    const double latents = f32Bytes * latentCopies * real(work.latentShape.elements());

    StageMemory& decoding = estimate.decoding;
    decoding.workspace = bytes(resident(work));
    for (const PlacedPart part : vaeParts)
        if (!work.placement.isOnGpu(part))
            decoding.packed += vaeWeightBytes(vaeParameters(model, work, part), work.vaeActivations) *
                               (part != PlacedPart::PreviewDecoder && project.replicateVae
                                    ? static_cast<std::uint64_t>(devices)
                                    : 1);

    const LayerMemory transformer =
        work.placement.hasGpus() ? hostMemoryBesideGpu(model, work) : transformerMemory(model, work);
    StageMemory& loading = estimate.loading;
    loading = decoding;
    addKept(loading, transformer, work);

    StageMemory& conditioning = estimate.conditioning;
    conditioning = loading;
    addUse(loading, transformer, work);
    loading.weights += static_cast<std::uint64_t>(devices) * estimate.device.gathered;
    conditioning.weights += textEncoderWeightBytes(model, work);
    conditioning.mapped = model.textEncoderWeights.mapped;  // the transformer's pages are given back
    // The prompts first, then the images: the text encoder is gone by then.
    conditioning.activations =
        bytes(std::max(conditioningBytes(project, model.textEncoder,
                                         work.placement.isOnGpu(PlacedPart::TextEncoder)),
                       visualBytes(project, model, work)) +
              latents);

    StageMemory& denoising = estimate.denoising;
    denoising = loading;
    denoising.activations = work.placement.hasGpus()
                                ? bytes(latents + hostBytesBesideGpu(attention, model.transformer, work))
                                : static_cast<std::uint64_t>(devices) * estimate.device.activations;
    denoising.activations += bytes(previewBytes(project, model, work));

    // The video as bytes, and the frames of one chunk twice as f32. Strips and groups work side by side.
    const double video =
        pixels * real(work.latentShape[0] * project.numFrames) * real(model.vae.videoChannelsOut());
    const std::int64_t chunk = decodeChunkFrames(project, work);
    const double chunkElements =
        pixels * real(chunk * model.vae.temporalFactor() * model.vae.videoChannelsOut());
    const double features =
        work.placement.isOnGpu(PlacedPart::VaeDecoder)
            ? real(static_cast<std::int64_t>(GpuStaging::bytes)) + waitingBytes(model.vae, work)
            : static_cast<double>(byteSize(work.vaeActivations)) * decodingDevices(work) *
                  vaeDecodeElements(model.vae, pixels / work.placement.vaeStrips(), chunk);
    decoding.activations =
        bytes(video + devices * latents + features + f32Bytes * 2 * chunkElements) + encoderBytes(project);
    fillParts(estimate, model, work,
              {.encoding = bytes(visualBytes(project, model, work)),
               .preview = bytes(previewBytes(project, model, work)),
               .decoding = bytes(features)});
    return estimate;
}

FlopEstimate estimateFlops(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanTransformerConfig& config = model.transformer;
    const std::int64_t text = project.maxSequenceLength;
    const double videos = real(work.latentShape[0]);
    const int passes = work.rowsOfVideo();

    FlopEstimate estimate;
    estimate.textContext = textContextFlops(config, text) + faceFlops(config, project.numFrames);
    estimate.transformerPass = transformerPassFlops(config, work.tokens, text);
    estimate.step = videos * passes * estimate.transformerPass;
    estimate.denoising =
        videos * (real(work.steps + (passes - 1) * work.guidedSteps) * estimate.transformerPass +
                  real(model.experts()) * passes * estimate.textContext);
    estimate.maxDiffusionPass = maxDiffusionFlops(config, real(work.tokens), real(text));
    return estimate;
}

DiskEstimate estimateDisk(const Project& project, const Workload& work) {
    constexpr double smallFiles = 4.0 * (1 << 20);  // YAML, CSV, JSON, trace, log, preview
    // A checkpoint beside its replacement, and the final latents.
    const double latents = f32Bytes * (2 * latentCopies + 1) * real(work.latentShape.elements());
    // No better than raw.
    const double video = 3 * real(work.latentShape[0] * project.height * project.width * project.numFrames);
    return {.runFolder = bytes(smallFiles + latents + video)};
}

}  // namespace meshreel
