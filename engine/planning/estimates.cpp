// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/estimates.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/attention/exchange_memory.h"
#include "engine/models/wan_parameters.h"
#include "engine/models/wan_workspace.h"

namespace meshreel {
namespace {

constexpr double f32Bytes = sizeof(float);

// The program, its libraries and what they allocate for themselves; OpenBLAS takes a buffer for each thread.
constexpr double processBytes = 64.0 * (1 << 20);
constexpr double workerBytes = 32.0 * (1 << 20);

double real(std::int64_t value) {
    return static_cast<double>(value);
}

std::uint64_t bytes(double value) {
    return static_cast<std::uint64_t>(value);
}

double resident(const Workload& work) {
    return processBytes + workerBytes * work.workersPerDevice * work.devicesPerRank();
}

/// Elements alive in one layer of the text encoder: three rows of dModel, four of the heads, two of dFf, and
/// the bias.
double textEncoderElements(const Umt5Config& config, std::int64_t length) {
    const double rows = real(length);
    const double inner = real(config.heads * config.dKv);
    return rows * (3 * real(config.dModel) + 4 * inner + 2 * real(config.dFf)) +
           real(config.heads) * rows * rows;
}

double perDevice(std::int64_t extent, int parts) {
    return real((extent + parts - 1) / parts);
}

double exchangeElements(const AttentionSettings& attention, const WanTransformerConfig& config,
                        const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return exchangedShards(attention, work.precision.activations, mesh.context) *
           perDevice(work.tokens, mesh.context) * real(config.innerDim()) / mesh.tensor;
}

double activationBytes(const Workload& work) {
    return static_cast<double>(sizeOf(work.precision.activations));
}

/// Videos and their negative halves whose text a device keeps; it computes one of them at a time.
int ownRows(const Workload& work) {
    const MeshShape mesh = work.layout.shape();
    return work.guided && mesh.data * mesh.fsdp == 1 ? 2 : 1;
}

/// On one device: the residual stream, what a sub-layer reads and (where it is summed over devices) adds,
/// queries, keys, values and what is attended of its heads, the feed-forward features of some tokens, the
/// rotary table, and the output of all tokens. Exchange buffers lie where the sub-layer's and the
/// feed-forward's values are not needed.
double transformerBytes(const AttentionSettings& attention, const WanTransformerConfig& config,
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
    const double wholeStreams = 1 + (summed ? 1 : 0) + (ownRows(work) > 1 ? 1 : 0);
    return activationBytes(work) * (shared + headStreams * tokens * inner / mesh.tensor) +
           f32Bytes * (wholeStreams * tokens * inner + tokens * real(config.headDim) +
                       real(work.tokens) * 2 * real(config.patchElements() * config.outChannels));
}

/// Cross-attention keys and values of every block, of a device's prompts and heads.
double textContextElements(const WanTransformerConfig& config, std::int64_t length, const Workload& work) {
    return ownRows(work) * real(config.layers) * 2 * real(length) * real(config.innerDim()) /
           work.layout.shape().tensor;
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
double attentionElements(const AttentionSettings& attention, const WanTransformerConfig& config,
                         const Workload& work) {
    FlashBlockSizes blocks = resolveFlashBlocks(attention.blocks);
    blocks.blockQ = std::min(blocks.blockQ, work.tokens);
    if (attention.mode->kernel != AttentionKernel::DotProduct)
        return work.workersPerDevice *
               real(static_cast<std::int64_t>(customScratchBytes(blocks, config.headDim))) / sizeof(float);
    return work.workersPerDevice * real(blocks.blockQ) * (real(work.tokens) + 2 * real(config.headDim));
}

/// Latents, the two predictions and their guided sum, and what UniPC of order 2 remembers.
constexpr double latentCopies = 8;

/// Elements alive while chunks go through one level of the decoder: the two frames that every causal
/// convolution keeps, and beside them what a residual block reads, normalises and sums up.
double decoderLevelElements(double pixels, double inChannels, double channels, double blocks, bool temporal,
                            double framesTogether) {
    constexpr double cachedFrames = 2;
    constexpr double heldTensors = 3;
    const double read = inChannels + (2 * blocks - 1) * channels + (temporal ? channels : 0);
    return pixels * (cachedFrames * read + heldTensors * framesTogether * channels);
}

/// Elements alive while the decoder works on a chunk of `latentFrames`. Levels behind the last that lengthens
/// time take frames one by one, out of what the levels before have made of the chunk.
double decoderElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames) {
    const std::size_t levels = config.dimMult.size();
    const auto blocks = real(config.numResBlocks + 1);
    std::size_t together = 0;  // levels that take the frames of a chunk together
    for (std::size_t index = 0; index + 1 < levels; ++index)
        if (config.temporalDownsample[levels - 2 - index])
            together = index + 1;
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    double area = pixels / real(config.spatialFactor() * config.spatialFactor());
    double frames = real(latentFrames);
    constexpr double midBlocks = 2;
    double elements = decoderLevelElements(area, channels, channels, midBlocks, false, frames);
    for (std::size_t index = 0; index < levels; ++index) {
        const double own = real(config.decoderBaseDim * config.dimMult[levels - 1 - index]);
        const bool temporal = index + 1 < levels && config.temporalDownsample[levels - 2 - index];
        elements +=
            decoderLevelElements(area, channels, own, blocks, temporal, index < together ? frames : 1);
        channels = own;
        if (index + 1 == levels)
            continue;
        area *= 4;
        channels /= 2;
        frames *= temporal ? 2 : 1;
        if (index + 1 == together)
            elements += frames * area * channels;
    }
    constexpr double headFrames = 3;  // two that the last convolution keeps, one that it reads
    return elements + headFrames * area * channels;
}

/// Latent frames that are decoded together.
std::int64_t decodeChunkFrames(const Project& project, const Workload& work) {
    const std::int64_t afterFirst = std::max<std::int64_t>(1, work.latentShape[2] - 1);
    return project.vaeDecodeChunk == -1 ? afterFirst : std::min(project.vaeDecodeChunk, afterFirst);
}

DeviceMemory estimateDeviceMemory(const Project& project, const ModelFacts& model, const Workload& work,
                                  const AttentionSettings& attention) {
    const MeshShape mesh = work.layout.shape();
    const WanWeightBytes whole = wanWeightBytes(model.transformer, 1, 1);
    const WanWeightBytes part = wanWeightBytes(model.transformer, mesh.fsdp, mesh.tensor, work.precision);
    const double share = static_cast<double>(part.resident) / static_cast<double>(whole.resident);
    const double latents = latentCopies * real(work.latentShape.elements());
    const double text = textContextElements(model.transformer, project.maxSequenceLength, work);
    return {.weights = bytes(share * static_cast<double>(model.transformerWeights.memory)),
            .gathered = part.gathered,
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

}  // namespace

std::uint64_t MemoryEstimate::peak() const {
    return std::max({conditioning, denoising, decoding});
}

MemoryEstimate estimateMemory(const Project& project, const ModelFacts& model, const Workload& work,
                              const AttentionSettings& attention) {
    MemoryEstimate estimate;
    estimate.device = estimateDeviceMemory(project, model, work, attention);
    const int devices = work.devicesPerRank();
    const double vae = static_cast<double>(model.vaeWeights.memory) * (project.replicateVae ? devices : 1);
    const double transformer = distinctShards(work) * static_cast<double>(estimate.device.weights);
    const auto textEncoder = static_cast<double>(model.textEncoderWeights.memory);
    const double pixels = real(project.height * project.width);
    const double videoElements = pixels * real(project.numFrames * model.vae.outChannels);
    const double latents = latentCopies * real(work.latentShape.elements());

    estimate.conditioning =
        bytes(resident(work) + vae + transformer + textEncoder +
              f32Bytes * (textEncoderElements(model.textEncoder, project.maxSequenceLength) + latents));
    estimate.denoising =
        bytes(resident(work) + vae + transformer +
              devices * static_cast<double>(estimate.device.gathered + estimate.device.activations));
    // The video as f32 and as bytes, and its frames of one chunk twice more. Strips work side by side.
    const double strips = std::min(devices, work.vaeStrips);
    const std::int64_t chunk = decodeChunkFrames(project, work);
    const double chunkElements = pixels * real(chunk * model.vae.temporalFactor() * model.vae.outChannels);
    estimate.decoding = bytes(resident(work) + vae + (f32Bytes + 1) * videoElements +
                              static_cast<double>(sizeOf(work.vaeActivations)) * strips *
                                  decoderElements(model.vae, pixels / work.vaeStrips, chunk) +
                              f32Bytes * (2 * chunkElements + devices * latents));
    return estimate;
}

FlopEstimate estimateFlops(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanTransformerConfig& config = model.transformer;
    const double s = real(work.tokens);
    const double t = real(project.maxSequenceLength);
    const double n = real(config.innerDim());
    const double patch = real(config.patchElements());
    const double projections = 6 * 2 * s * n * n;  // self: q, k, v, out; cross: q, out
    const double attention = 2 * 2 * s * (s + t) * n;
    const double feedForward = 2 * 2 * s * n * real(config.ffnDim);
    const double ends = 2 * s * n * patch * real(config.inChannels + config.outChannels);
    const double passes = work.guided ? 2 : 1;

    FlopEstimate estimate;
    estimate.textContext = real(config.layers) * 2 * 2 * t * n * n;
    estimate.transformerPass = real(config.layers) * (projections + attention + feedForward) + ends;
    estimate.step = passes * estimate.transformerPass;
    estimate.denoising = real(project.numInferenceSteps) * estimate.step + passes * estimate.textContext;
    estimate.maxDiffusionPass = maxDiffusionFlops(config, s, t);
    return estimate;
}

DiskEstimate estimateDisk(const Project& project, const Workload& work) {
    constexpr double smallFiles = 4.0 * (1 << 20);  // YAML, CSV, JSON, trace, log, preview
    // A checkpoint beside its replacement, and the final latents.
    const double latents = f32Bytes * (2 * latentCopies + 1) * real(work.latentShape.elements());
    const double video = 3 * real(project.height * project.width * project.numFrames);  // no better than raw
    return {.runFolder = bytes(smallFiles + latents + video)};
}

}  // namespace meshreel
