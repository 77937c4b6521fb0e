// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/estimates.h"

#include <algorithm>

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
    return processBytes + workerBytes * work.workers;
}

/// Elements alive in one layer of the text encoder: three rows of dModel, four of the heads, two of dFf, and
/// the bias.
double textEncoderElements(const Umt5Config& config, std::int64_t length) {
    const double rows = real(length);
    const double inner = real(config.heads * config.dKv);
    return rows * (3 * real(config.dModel) + 4 * inner + 2 * real(config.dFf)) +
           real(config.heads) * rows * rows;
}

/// The residual stream and its six companions, the feed-forward, the patches, and the rotary table.
double transformerElements(const WanTransformerConfig& config, std::int64_t tokens) {
    constexpr double streams = 7;
    return real(tokens) * (streams * real(config.innerDim()) + real(config.ffnDim) +
                           2 * real(config.patchElements() * config.outChannels) + 2 * real(config.headDim));
}

/// Cross-attention keys and values of every block, for each prompt.
double textContextElements(const WanTransformerConfig& config, std::int64_t length, bool guided) {
    return (guided ? 2 : 1) * real(config.layers) * 2 * real(length) * real(config.innerDim());
}

/// Scores and accumulators of the query blocks that the workers hold.
double attentionElements(const AttentionSettings& attention, const WanTransformerConfig& config,
                         const Workload& work) {
    const FlashBlockSizes blocks = resolveFlashBlocks(attention.blocks);
    const bool flash = attention.mode->kernel == AttentionKernel::Flash;
    const double queries = real(std::min(blocks.blockQ, work.tokens));
    const double keys = real(std::min(flash ? blocks.blockKvCompute : work.tokens, work.tokens));
    return work.workers * queries * (keys + 2 * real(config.headDim));
}

/// Latents, the two predictions and their guided sum, and what UniPC of order 2 remembers.
constexpr double latentCopies = 8;

/// Elements alive while one chunk of frames goes through the decoder: the features of its widest stage and
/// the two frames that every causal convolution keeps.
double decoderElements(const WanVaeConfig& config, double pixels) {
    constexpr double cachedFrames = 2;
    constexpr double convolutionsPerBlock = 2;
    const double chunkFrames = real(config.temporalFactor());
    const double base = real(config.decoderBaseDim);
    // The last upsampling holds its input at full size and twice the width, its slabs and its output.
    const double features = chunkFrames * pixels * base * 5;
    double caches = 0;
    double area = pixels;
    for (const std::int64_t mult : config.dimMult) {
        caches +=
            cachedFrames * convolutionsPerBlock * real(config.numResBlocks + 1) * area * base * real(mult);
        area /= 4;
    }
    return features + caches;
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
    const auto vae = static_cast<double>(model.vaeWeights.memory);
    const auto transformer = static_cast<double>(model.transformerWeights.memory);
    const auto textEncoder = static_cast<double>(model.textEncoderWeights.memory);
    const double pixels = real(project.height * project.width);
    const double videoElements = pixels * real(project.numFrames * model.vae.outChannels);
    const double latents = latentCopies * real(work.latentShape.elements());
    const double text = textContextElements(model.transformer, project.maxSequenceLength, work.guided);

    MemoryEstimate estimate;
    estimate.conditioning =
        bytes(resident(work) + vae + transformer + textEncoder +
              f32Bytes * (textEncoderElements(model.textEncoder, project.maxSequenceLength) + latents));
    estimate.denoising = bytes(resident(work) + vae + transformer +
                               f32Bytes * (transformerElements(model.transformer, work.tokens) + text +
                                           latents + attentionElements(attention, model.transformer, work)));
    // The video twice as f32 (chunks and their union) and once as bytes.
    estimate.decoding = bytes(resident(work) + vae + (2 * f32Bytes + 1) * videoElements +
                              f32Bytes * (decoderElements(model.vae, pixels) + latents));
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
