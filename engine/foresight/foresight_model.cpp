// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/foresight_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/estimates/work.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr double bytesPerElement = 2;  // bf16
constexpr double textTokens = 512;     // programs pad prompts to this

constexpr std::array causeTable{
    CauseRow{"matrix", "linear layers", &StepCauses::matrix,
             "More devices, 8-bit linear layers, or fewer steps"},
    CauseRow{"attention", "attention products", &StepCauses::attention,
             "More devices along the context axis, or a kernel nearer to the peak"},
    CauseRow{"padding", "padding of blocks", &StepCauses::padding,
             "Blocks that divide the queries and keys of a device"},
    CauseRow{"softmax", "softmax and starts of blocks", &StepCauses::softmax,
             "A larger block_q within the scratch, or a kernel with a fixed bound"},
    CauseRow{"bandwidth", "memory bandwidth", &StepCauses::bandwidth,
             "A program that fuses norms, rotations and residuals"},
    CauseRow{"exchange", "exchange of heads", &StepCauses::exchange,
             "A smaller ulysses_shards that stays on nearer links, with a ring for the rest"},
    CauseRow{"exposed_hops", "exposed hops of the ring", &StepCauses::hops,
             "A shorter ring, whose kernel outlasts a hop, or faster links"},
    CauseRow{"exposed_gather", "exposed gather of keys", &StepCauses::gather,
             "Ulysses or a ring in place of a gather"},
    CauseRow{"reductions", "sums over the tensor axis", &StepCauses::reductions,
             "A smaller tensor axis: the context axis moves less"},
    CauseRow{"exposed_weights", "exposed gather of weights", &StepCauses::weights,
             "A smaller fsdp axis where memory allows it"},
};

double roundedUp(double count, double multiple) {
    return std::ceil(count / multiple) * multiple;
}

/// The nearest links that so many consecutive devices reach each other by.
const LinkClass& linkFor(const HardwareProfile& hardware, std::int64_t devices) {
    for (const LinkClass& link : hardware.links)
        if (devices <= link.devices)
            return link;
    return hardware.links.back();
}

/// Seconds until each of `members` devices, `stride` apart, has `bytes` / members of each other one. Bytes
/// over different classes of links travel at the same time; within one, to as many devices as there are
/// ports.
double allToAllSeconds(const HardwareProfile& hardware, double bytes, int members, int stride,
                       double efficiency) {
    double slowest = 0;
    std::int64_t reached = 1;
    for (const LinkClass& link : hardware.links) {
        if (reached >= members)
            break;
        const std::int64_t within = std::clamp<std::int64_t>(link.devices / stride, 1, members);
        const std::int64_t peers = within - reached;
        if (peers <= 0)
            continue;
        const double ports = real(std::min<std::int64_t>(link.ports, peers));
        const double rounds = std::ceil(real(peers) / ports);
        slowest = std::max(slowest, rounds * link.latency + bytes / members * real(peers) /
                                                                (link.bandwidth * efficiency * ports));
        reached = within;
    }
    return slowest;
}

/// Seconds until each of `members` devices, `stride` apart, has the `bytes` of every other one. All want the
/// same, so what comes over far links comes once to the devices that near links join, and goes round there.
double gatherSeconds(const HardwareProfile& hardware, double bytes, int members, int stride,
                     double efficiency) {
    double slowest = 0;
    double passedOn = 0;  // that nearer links carry for those who received it
    std::int64_t reached = 1;
    std::vector<std::pair<const LinkClass*, std::int64_t>> levels;
    for (const LinkClass& link : hardware.links) {
        const std::int64_t within = std::clamp<std::int64_t>(link.devices / stride, 1, members);
        if (within > reached || (levels.empty() && within > 1))
            levels.emplace_back(&link, within);
        reached = std::max(reached, within);
        if (reached >= members)
            break;
    }
    for (std::size_t level = levels.size(); level-- > 0;) {
        const auto& [link, within] = levels[level];
        const std::int64_t nearer = level == 0 ? 1 : levels[level - 1].second;
        const double peers = real(within - nearer);
        const double own = bytes * (peers + passedOn) / real(nearer);
        passedOn = (passedOn + peers) * (1 - 1 / real(nearer));
        const double ports = std::min<double>(link->ports, peers);
        slowest = std::max(
            slowest, std::ceil(peers / ports) * link->latency + own / (link->bandwidth * efficiency * ports));
    }
    return slowest;
}

/// Seconds of passing `bytes` on to the next of `members` devices of a ring: its slowest link decides. Where
/// links lead no way around, the last device's bytes go back through all others. `bothWays`: to both
/// neighbours at once, as far as there are ports.
double shiftSeconds(const LinkClass& link, double bytes, int members, bool bothWays, double efficiency) {
    const bool isLine = link.topology == "line";
    const int links = isLine && !bothWays ? members - 1 : 1;
    const int transfers = bothWays && link.ports < 2 ? 2 : 1;
    return links * (link.latency + transfers * bytes / (link.bandwidth * efficiency));
}

/// Seconds of the attention kernel of one layer, pass and hop, by cause.
struct KernelSeconds {
    double products = 0;
    double padding = 0;
    double softmax = 0;

    [[nodiscard]] double total() const { return products + padding + softmax; }
};

KernelSeconds kernelSeconds(const AcceleratorCase& of, const EfficiencyValues& efficiencies) {
    const HardwareProfile& hardware = *of.hardware;
    const AcceleratorKernel& kernel = *of.kernel;
    const WanTransformerConfig& config = of.model->transformer;
    const AcceleratorMesh& mesh = of.mesh;
    const double rows = real(of.tokens()) / mesh.context() * mesh.ulysses;
    const double keys = rows * mesh.gathered;
    const double heads = real(mostHeads(of));
    const double depth = real(config.headDim);
    const double flops = 2 * 2 * rows * keys * depth * heads;
    const double exponentials = rows * keys * heads / hardware.exponentials;
    KernelSeconds seconds;
    if (hardware.kind != AcceleratorKind::Tpu) {
        const double rate = kernel.warpInstructions ? hardware.warp : hardware.bf16;
        seconds.products = flops / (rate * efficiencies.attention);
        // Every multiprocessor works at tiles of so many queries of a head; the last wave may leave some
        // idle.
        constexpr double tileRows = 128;
        const double tiles = std::ceil(rows / tileRows) * heads;
        seconds.padding =
            seconds.products * (roundedUp(tiles, real(hardware.units)) * tileRows / (rows * heads) - 1);
        const double products = seconds.products + seconds.padding;
        const double longer = std::max(products, exponentials);
        const double shorter = std::min(products, exponentials);
        seconds.softmax = longer + (1 - kernel.hiddenSoftmax) * shorter - products;
        return seconds;
    }
    // Scores sum over the features of a head, which may not fill the matrix unit; weighted values sum over
    // keys.
    const double unit = real(hardware.matrixDepth);
    const double fill = (roundedUp(depth, unit) / depth + 1) / 2;
    const BlockPair blocks = effectiveBlocks(of);
    const double padded =
        roundedUp(std::floor(rows), real(blocks.q)) * roundedUp(std::floor(keys), real(blocks.kv));
    seconds.products = flops * fill / (hardware.bf16 * efficiencies.attention);
    seconds.padding = seconds.products * std::max(0.0, padded / (rows * keys) - 1);
    constexpr double spillCost = 0.35;  // part of the kernel, for scratch that is exceeded by as much as
                                        // there is
    const double scratch = scratchBytes(kernel, blocks);
    const double spill =
        hardware.scratch > 0 ? 1 + spillCost * std::max(0.0, scratch / hardware.scratch - 1) : 1;
    const double starts = efficiencies.startRows / real(blocks.q) *
                          (kernel.startKeys > 0 ? real(kernel.startKeys) / real(blocks.kv) : 1);
    const double busy = seconds.products + seconds.padding;
    const double stretched = busy * (1 + starts) * spill;
    seconds.softmax = std::max(stretched, exponentials) - busy;
    return seconds;
}

/// FLOPs a second that linear layers reach at best.
double linearRate(const AcceleratorCase& of) {
    constexpr double eightBitGain = 1.25;  // as published with fp8 and nvfp4: quantising takes up much of it
    const bool eightBit = of.numberType != "bf16" && of.hardware->fp8 > of.hardware->bf16;
    return of.hardware->bf16 * (eightBit ? eightBitGain : 1);
}

double blockWeightBytes(const WanTransformerConfig& config) {
    const double width = real(config.innerDim());
    return real(allBlocks(config)) * (8 * width * width + 2 * width * real(config.ffnDim)) * bytesPerElement;
}

void addStages(const AcceleratorCase& of, const EfficiencyValues& efficiencies, CaseSeconds& seconds) {
    const WanVaeConfig& vae = of.model->vae;
    constexpr double narrow = 96;  // channels of the VAE that the efficiency is stated for
    constexpr double formatting =
        6.7e-9;  // seconds a pixel and frame: conversion to u8 on the host, 0.5 s at 720p
    constexpr double mostStrips = 8;  // published decodes do not get faster beyond
    const bool tpu = of.hardware->kind == AcceleratorKind::Tpu;
    const bool shares = of.program->sharesVae && !of.vaeAlone;
    const double strips = shares ? std::min(real(of.vaeDevices > 0 ? of.vaeDevices : of.mesh.devices()),
                                            tpu ? 64.0 : mostStrips)
                                 : 1;
    const double pixels = real(of.width) * real(of.height) * real(of.frames);
    const std::int64_t factor = vae.spatialFactor();
    const Shape latents{1, vae.zDim, (of.frames - 1) / vae.temporalFactor() + 1, of.height / factor,
                        of.width / factor};
    const double rate =
        of.hardware->convolution * efficiencies.convolution * real(vae.decoderBaseDim) / narrow;
    seconds.decode =
        real(of.videos) * (vaeDecodeWork(vae, latents).flops / (rate * strips) + pixels * formatting);
    constexpr double encodeShare = 0.6;  // of decoding: fewer and narrower layers
    seconds.imageEncode = of.fromImage ? encodeShare * seconds.decode : 0;
    seconds.conditioning = efficiencies.conditioning + seconds.imageEncode;
    constexpr double hostLink = 20e9;  // bytes a second of pinned copies
    constexpr double cpuText = 10;     // seconds
    if (of.offloads)
        seconds.transfers = 2 * of.model->experts() * blockWeightBytes(of.model->transformer) / hostLink;
    if (of.textOnCpu)
        seconds.transfers += cpuText;
}

}  // namespace

std::span<const CauseRow> causeRows() {
    return causeTable;
}

BlockPair effectiveBlocks(const AcceleratorCase& of) {
    return {.q = of.blockQ > 0 ? of.blockQ : of.kernel->blockQ,
            .kv = of.blockKv > 0 ? of.blockKv : of.kernel->blockKv};
}

double scratchBytes(const AcceleratorKernel& kernel, const BlockPair& blocks) {
    const std::int64_t strip = kernel.stripKeys > 0 ? std::min(kernel.stripKeys, blocks.kv) : blocks.kv;
    return real(blocks.q) * real(strip) * kernel.scoreBytes;
}

std::int64_t mostHeads(const AcceleratorCase& of) {
    return ceilDivide(of.model->transformer.heads, std::int64_t{of.mesh.ulysses} * of.mesh.tensor);
}

double headEfficiency(const AcceleratorCase& of) {
    const std::int64_t sharers = std::int64_t{of.mesh.ulysses} * of.mesh.tensor;
    return real(of.model->transformer.heads) / real(sharers * mostHeads(of));
}

int headChunkCount(const AcceleratorCase& of) {
    const AcceleratorMesh& mesh = of.mesh;
    if (mesh.ulysses == 1)
        return 1;
    const std::int64_t heads = of.model->transformer.heads / mesh.tensor / mesh.ulysses;
    return static_cast<int>(std::clamp<std::int64_t>(of.chunks, 1, std::max<std::int64_t>(heads, 1)));
}

CaseSeconds foreseeSeconds(const AcceleratorCase& of, const EfficiencyValues& efficiencies) {
    const HardwareProfile& hardware = *of.hardware;
    const WanTransformerConfig& config = of.model->transformer;
    const AcceleratorMesh& mesh = of.mesh;
    const double tokens = real(of.tokens());
    const double width = real(config.innerDim());
    const double layers = real(allBlocks(config));
    const double rows = of.forwards * real(of.videos);
    const int batchShards = mesh.data * (mesh.ownFsdp ? mesh.fsdp : 1);
    const double passes = of.windows * std::max(1.0, std::ceil(rows / batchShards));
    const double share = mesh.context() * mesh.tensor;
    const double rate = linearRate(of) * efficiencies.linear;

    CaseSeconds seconds;
    StepCauses& step = seconds.step;
    const double linear = linearFlops(config, of.tokens()) / share / rate;
    const double cross = crossAttentionFlops(config, of.tokens(), static_cast<std::int64_t>(textTokens)) /
                         share / (hardware.bf16 * efficiencies.linear);
    step.matrix = passes * (linear + cross);
    step.bandwidth =
        passes * layers * tokens / mesh.context() * width * efficiencies.bytesPerValue / hardware.bandwidth;

    const KernelSeconds kernel = kernelSeconds(of, efficiencies);
    const double kernels = passes * layers * mesh.ring;
    step.attention = kernels * kernel.products;
    step.padding = kernels * kernel.padding;
    step.softmax = kernels * kernel.softmax;
    seconds.kernelPerHop = kernel.total();

    constexpr double mergedBytes = 3 * 4;  // for a partial output in f32: read, read with the new one,
                                           // written
    const double features = width / mesh.tensor / headEfficiency(of);  // of the device with most heads
    step.bandwidth += passes * layers * (mesh.ring - 1) * tokens / mesh.context() * features * mergedBytes /
                      hardware.bandwidth;
    const double queries = tokens / mesh.context() * features * bytesPerElement;  // bytes of that device
    const double chunks = headChunkCount(of);
    if (mesh.ring > 1) {
        // Every chunk has a ring of its own.
        const LinkClass& link = linkFor(hardware, std::int64_t{mesh.ring} * mesh.ulysses * mesh.tensor);
        const double transfer =
            shiftSeconds(link, 2 * queries / chunks, mesh.ring, of.bothWays, efficiencies.link);
        const double copied = (of.bothWays ? 2 : 1) * link.unitsShare * transfer;
        step.hops = passes * layers * (mesh.ring - 1) * chunks *
                    std::max(link.latency + copied, transfer - kernel.total() / chunks);
        seconds.transferPerHop = chunks * transfer;
    }
    if (mesh.ulysses > 1) {
        // The first chunk comes and the last one goes back with nothing beside them.
        const double exchange =
            allToAllSeconds(hardware, 4 * queries / chunks, mesh.ulysses, mesh.tensor, efficiencies.link);
        const double computing = mesh.ring * kernel.total() / chunks + step.hops / (passes * layers * chunks);
        const LinkClass& link = linkFor(hardware, std::int64_t{mesh.ulysses} * mesh.tensor);
        step.exchange =
            passes * layers *
            (exchange + (chunks - 1) * std::max(link.unitsShare * exchange, exchange - computing));
    }
    if (mesh.gathered > 1) {
        constexpr double hiding = 0.5;  // of the linear layers: the projections of the next operands
        const double gather = gatherSeconds(hardware, 2 * queries, mesh.gathered,
                                            mesh.tensor * mesh.ulysses * mesh.ring, efficiencies.link);
        step.gather = passes * layers * std::max(0.0, gather - hiding * linear / layers);
    }
    if (mesh.tensor > 1) {
        constexpr double sums =
            2;  // a layer: behind attention and behind the feed-forward; each scatters and gathers
        const double activations = tokens / mesh.context() * width * bytesPerElement;
        step.reductions = passes * layers * sums * 2 *
                          allToAllSeconds(hardware, activations, mesh.tensor, 1, efficiencies.link);
    }
    if (mesh.fsdp > 1) {
        constexpr double unhidden = 0.1;  // the first layers of a pass have nothing to hide behind
        const int stride = mesh.ownFsdp ? mesh.context() * mesh.tensor : 1;
        const double gather = allToAllSeconds(hardware, blockWeightBytes(config) / mesh.tensor, mesh.fsdp,
                                              stride, efficiencies.link);
        step.weights = std::max(0.0, gather - step.matrix - kernels * kernel.total()) + unhidden * gather;
    }

    for (const CauseRow& cause : causeTable)
        step.*cause.seconds *= efficiencies.whole;
    addStages(of, efficiencies, seconds);
    for (double* part : {&seconds.kernelPerHop, &seconds.transferPerHop, &seconds.conditioning,
                         &seconds.imageEncode, &seconds.decode, &seconds.transfers})
        *part *= efficiencies.whole;
    seconds.denoise = step.total() * (of.steps > 0 ? of.steps : 1);
    return seconds;
}

CaseMemory foreseeMemory(const AcceleratorCase& of) {
    const WanTransformerConfig& config = of.model->transformer;
    const AcceleratorMesh& mesh = of.mesh;
    const double width = real(config.innerDim());
    const double batchShards = mesh.data * (mesh.ownFsdp ? mesh.fsdp : 1);
    const double rows = std::max(1.0, std::ceil(of.forwards * real(of.videos) / batchShards));
    const double tokens = rows * real(of.tokens()) / mesh.context();
    const double keys = 2 * tokens * width / mesh.tensor / headEfficiency(of) * bytesPerElement;
    constexpr double streams = 8;  // residual, normed, queries, keys, values, rotated, output, gate
    const double weightShards =
        mesh.fsdp * mesh.tensor * (of.program->weightsOverContext ? mesh.context() : 1);
    CaseMemory memory;
    memory.weights = of.model->experts() * blockWeightBytes(config) / weightShards +
                     real(static_cast<std::int64_t>(of.model->vaeWeights.parameters)) * bytesPerElement;
    memory.activations = tokens * (streams * width + real(config.ffnDim) / mesh.tensor) * bytesPerElement;
    memory.exchange = keys * (mesh.gathered > 1  ? mesh.gathered
                              : mesh.ring > 1    ? 2
                              : mesh.ulysses > 1 ? 1
                                                 : 0);
    return memory;
}

}  // namespace meshreel
