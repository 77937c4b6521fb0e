// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/tile_tuning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "engine/attention/context_split.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/project/project_file.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {
namespace {

ForwardWorkload oneBlock(const RunPlan& plan) {
    const MeshShape shape = plan.layout.shape();
    const Shape& latents = plan.latentShape;
    ForwardWorkload workload{.config = plan.model.transformer,
                             .latents = {shape.data * shape.fsdp, plan.model.transformer.inChannels,
                                         latents[2], latents[3], latents[4]},
                             .precision = plan.precision.transformer};
    workload.config.layers = 1;
    return workload;
}

std::vector<TilePair> pairsOf(const TileTuningOptions& options, const LocalSequence& sequence,
                              std::int64_t scratchBytes) {
    if (options.mode == TileGridMode::Full)
        return fullTileGrid(sequence, options.step, options.mostChoices);
    return smartTileGrid(sequence, {.bytes = scratchBytes}, options.count);
}

FlashBlockSizes sizesOf(const TilePair& pair, const FlashBlockSizes& ofProject) {
    return resolveFlashBlocks({.blockQ = pair.blockQ,
                               .blockKv = pair.blockKv,
                               .blockKvCompute = pair.blockKv,
                               .headsPerTile = ofProject.headsPerTile,
                               .vmemLimitBytes = ofProject.vmemLimitBytes});
}

/// Throws Error{Resources} for blocks beyond the limit that the project sets.
void requireScratch(const AttentionSettings& attention, std::int64_t headDim) {
    const AttentionKernel kernel = attention.mode->kernel;
    if (kernel != AttentionKernel::Custom && kernel != AttentionKernel::CustomFixedM)
        return;
    try {
        requireScratchLimit(attention.blocks, headDim);
    } catch (const Error& error) {
        throw Error(ErrorKind::Resources, error.message(), error.where(), error.hint());
    }
}

}  // namespace

std::int64_t workerCacheBytes() {
    const std::int64_t last = std::max<std::int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
    return coreCaches().level2 + last / std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_CONF));
}

TileTuningTask planTiles(const RunPlan& plan, const TileTuningOptions& options) {
    if (plan.attention.mode->kernel == AttentionKernel::DotProduct)
        throw Error(
            ErrorKind::Project, sentence("dot_product has no blocks to tune"), "attention",
            sentence("Choose flash, or another mode that `meshreel modes` lists with a blocked kernel"));
    TileTuningTask task;
    const int contextDevices = plan.layout.shape().context;
    task.sequence = localSequence(plan.attention, plan.tokens, contextDevices);
    task.label = fmt::format("wan/{}/u{}", plan.attention.mode->name,
                             contextSplit(plan.attention, contextDevices).ulysses);
    std::int64_t scratch = options.scratchBytes;
    if (scratch == 0)
        scratch = plan.attention.blocks.vmemLimitBytes;
    if (scratch == 0)
        scratch = workerCacheBytes();
    for (const TilePair& pair : pairsOf(options, task.sequence, scratch))
        task.choices.push_back(sizesOf(pair, plan.attention.blocks));
    return task;
}

TileTuning tuneTiles(const RunPlan& plan, const TileTuningTask& task, const TileTiming& timing,
                     const StopToken& stop, const OnTrial& onTrial, const OnPass& onPass) {
    if (plan.ranks > 1)
        throw Error(ErrorKind::Project, sentence("tiles are tuned on the threads of one process"), "hosts",
                    sentence("Tune without mpirun, with `devices` as many as one host runs"));
    const ForwardWorkload workload = oneBlock(plan);
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(workload.config, DType::BF16));
    TimedForward forward(workload, {plan.layout, plan.workersPerDevice}, plan.attention, random.checkpoint());
    const TimeBlocks time = [&](const FlashBlockSizes& blocks) {
        AttentionSettings attention = plan.attention;
        attention.blocks = blocks;
        requireScratch(attention, workload.config.headDim);
        forward.setAttention(attention);
        const double seconds = forward.run(stop).seconds;
        if (onPass)
            onPass(blocks, seconds);
        return seconds;
    };
    // The project's own sizes go last, so that the others keep their numbers.
    std::vector<FlashBlockSizes> choices = task.choices;
    choices.push_back(plan.attention.blocks);
    std::vector<TileTrial> trials =
        timeTiles(choices, timing, stop, time, [&](std::size_t index, std::size_t, const TileTrial& trial) {
            if (onTrial && index < task.choices.size())
                onTrial(index, task.choices.size(), trial);
        });
    TileTuning tuning{.task = task, .trials = {}, .now = std::move(trials.back())};
    trials.pop_back();
    tuning.trials = std::move(trials);
    return tuning;
}

void writeTiles(const std::filesystem::path& projectFile, const FlashBlockSizes& blocks) {
    const LoadedProject loaded = loadProject(projectFile);
    Project project = loaded.project;
    project.blockQ = blocks.blockQ;
    project.blockKv = blocks.blockKv;
    project.blockKvCompute = blocks.blockKvCompute;
    project.blockKvComputeIn = blocks.blockKvComputeIn;
    writeFileAtomically(projectFile, saveProjectText(project, loaded.sourceText));
}

}  // namespace meshreel
