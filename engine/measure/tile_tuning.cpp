// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/tile_tuning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/block_sizes.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/units.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/kernel_sizes.h"
#include "engine/kernels/open_devices.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/project/attention_check.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

ForwardWorkload oneBlock(const RunPlan& plan) {
    const MeshShape shape = plan.layout.shape();
    const Shape& latents = plan.latentShape;
    ForwardWorkload workload{.config = plan.model.transformer,
                             .latents = {shape.data * shape.fsdp, plan.model.transformer.inChannels,
                                         plan.passFrames(), latents[3], latents[4]},
                             .precision = plan.precision.transformer,
                             .groups = plan.groups};
    workload.config.layers = 1;
    if (workload.config.sound)
        workload.config.sound->layers = {0};
    return workload;
}

std::vector<TilePair> pairsOf(const TileTuningOptions& options, const LocalSequence& sequence,
                              std::int64_t scratchBytes) {
    if (options.mode == TileGridMode::Full)
        return fullTileGrid(sequence, options.step, options.mostChoices);
    return smartTileGrid(sequence, {.bytes = scratchBytes}, options.count);
}

/// The plan's attentions with other block sizes.
AttentionPlans attentionsWith(const RunPlan& plan, const FlashBlockSizes& blocks) {
    AttentionSettings attention = plan.attention;
    attention.blocks = blocks;
    return planAttentions(plan, attention);
}

FlashBlockSizes sizesOf(const TilePair& pair, const RunPlan& plan) {
    return attentionsWith(plan, {.blockQ = pair.blockQ,
                                 .blockKv = pair.blockKv,
                                 .blockKvCompute = pair.blockKv,
                                 .headsPerTile = plan.attention.blocks.headsPerTile,
                                 .vmemLimitBytes = plan.attention.blocks.vmemLimitBytes})
        .self.blocks;
}

/// Throws Error{Resources} for blocks beyond the limit that the project sets.
void requireScratch(const AttentionPlan& attention, std::int64_t headDim) {
    if (!rowOf(attention.kernel).isCustom)
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

PlanPtr planTuning(Project project) {
    if (project.prompt.empty())
        project.prompt = "-";
    return makePlan(project);
}

TileTuningTask planTiles(const RunPlan& plan, const TileTuningOptions& options) {
    if (!plan.placement.gpus.empty())
        throw Error(ErrorKind::Project,
                    sentence("{} computes this project, and flash_block_sizes are the CPU's",
                             plan.placement.gpus.front().facts.name),
                    "gpus", sentence("Use the CPU (gpus: none) to tune its block sizes"));
    if (!rowOf(plan.attention.mode->kernel).isBlocked)
        throw Error(
            ErrorKind::Project, sentence("dot_product has no blocks to tune"), "attention",
            sentence("Choose flash, or another mode that `meshreel modes` lists with a blocked kernel"));
    TileTuningTask task;
    task.sequence = localSequence(plan.attentions.self, plan.tokens);
    task.label = fmt::format("wan/{}/u{}", plan.attention.mode->name, plan.attentions.self.split.ulysses);
    std::int64_t scratch = options.scratchBytes;
    if (scratch == 0)
        scratch = plan.attention.blocks.vmemLimitBytes;
    if (scratch == 0)
        scratch = workerCacheBytes();
    for (const TilePair& pair : pairsOf(options, task.sequence, scratch))
        task.choices.push_back(sizesOf(pair, plan));
    return task;
}

TileTuning tuneTiles(const RunPlan& plan, const TileTuningTask& task, const TileTiming& timing,
                     const StopToken& stop, const OnSample& onSample, const OnPass& onPass) {
    if (plan.ranks > 1)
        throw Error(ErrorKind::Project, sentence("tiles are tuned on the threads of one process"), "hosts",
                    sentence("Tune without mpirun, with `devices` as many as one host runs"));
    const ForwardWorkload workload = oneBlock(plan);
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(workload.config, DType::BF16));
    TimedForward forward(workload, {plan.layout, plan.workersPerDevice}, plan.attentions,
                         random.checkpoint());
    const TimeBlocks time = [&](const FlashBlockSizes& blocks) {
        const AttentionPlans attentions = attentionsWith(plan, blocks);
        requireScratch(attentions.self, workload.config.headDim);
        forward.setAttention(attentions);
        const double seconds = forward.run(stop).seconds;
        if (onPass)
            onPass(blocks, seconds);
        return seconds;
    };
    // The project's own sizes go last, so that the others keep their numbers.
    std::vector<FlashBlockSizes> choices = task.choices;
    choices.push_back(plan.attentions.self.blocks);
    std::vector<TileSample> trials =
        timeTiles(choices, timing, stop, time, [&](std::size_t index, std::size_t, const TileSample& trial) {
            if (onSample && index < task.choices.size())
                onSample(index, task.choices.size(), trial);
        });
    TileTuning tuning{.task = task, .trials = {}, .now = std::move(trials.back())};
    trials.pop_back();
    tuning.trials = std::move(trials);
    return tuning;
}

namespace {

void requireGpuCandidates(const RunPlan& plan) {
    if (plan.placement.gpus.empty())
        throw Error(ErrorKind::Project, sentence("no GPU computes this project"), "gpus",
                    sentence("Name one by its number"));
    if (plan.ranks > 1)
        throw Error(ErrorKind::Project, sentence("GPUs are tuned by one process"), "hosts",
                    sentence("Tune without mpirun, on the GPUs of one host"));
    if (plan.precision.transformer.activations != DType::BF16)
        throw Error(ErrorKind::Project,
                    sentence("a GPU computes float32 in one way: there is nothing to tune"),
                    "activations_dtype", sentence("Use bfloat16, which matrix units multiply"));
}

AttentionSize attentionSize(const RunPlan& plan) {
    const AttentionPlan& attention = plan.attentions.self;
    const LocalSequence sequence = localSequence(attention, plan.tokens);
    return {.heads = attention.mostHeads(),
            .headDim = plan.model.transformer.headDim,
            .queries = sequence.queries,
            .keys = sequence.keys};
}

/// The layers of a block that compute all tokens of a device.
std::vector<LayerSize> layersOfBlock(const RunPlan& plan) {
    constexpr std::int64_t squares = 6;  // self: query, key, value, output; cross: query, output
    const std::int64_t width = plan.model.transformer.innerDim();
    const std::int64_t features = plan.model.transformer.ffnDim;
    const int context = plan.layout.shape().context;
    const std::int64_t tokens = (plan.tokens + context - 1) / context;
    const std::int64_t part = std::min(tokens, WanWorkspace::feedForwardTokens);
    const std::int64_t parts = tokens / part;
    return {{.rows = tokens, .outs = width, .ins = width, .count = squares},
            {.rows = part, .outs = features, .ins = width, .count = parts},
            {.rows = part, .outs = width, .ins = features, .count = parts}};
}

struct GpuTuningSettings {
    const TileTiming& timing;
    const StopToken& stop;
    const OnGpuSample& onSample;
    const OnGpuPass& onPass;
    const std::vector<TunedKernel>& before;
};

/// The candidates that are worth timing again.
std::vector<std::size_t> undecided(const TunedKernel& kernel) {
    const std::optional<Verdict> verdict = kernel.verdict();
    if (!verdict || verdict->isClear())
        return {};
    return {static_cast<std::size_t>(kernel.fastest() - kernel.trials.data()), *kernel.taken};
}

/// `tuned` says which GPU and size; all else is filled in.
TunedKernel tuneKernel(TunedKernel tuned, KernelSearch search, const GpuTuningSettings& settings) {
    tuned.kernel = search.kernel();
    tuned.revision = search.revision();
    tuned.flops = search.flops();
    tuned.taken = search.taken();
    for (const MeasuredVariant& variant : search.variants())
        tuned.trials.push_back(
            {.form = variant.form, .block = variant.block, .text = variant.text, .timing = {}});
    std::vector<std::size_t> chosen(tuned.trials.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    const auto isSame = [&](const TunedKernel& other) {
        return other.kernel == tuned.kernel && other.gpu.number == tuned.gpu.number &&
               other.trials.size() == tuned.trials.size();
    };
    if (const auto earlier = std::ranges::find_if(settings.before, isSame);
        earlier != settings.before.end()) {
        tuned = *earlier;
        chosen = undecided(tuned);
    }
    const auto time = [&](std::size_t place) {
        const double seconds = search.secondsOf(chosen[place], settings.stop);
        if (settings.onPass)
            settings.onPass(tuned, chosen[place], seconds);
        return seconds;
    };
    const auto tell = [&](std::size_t place, std::size_t /*count*/, const TileSample& timing) {
        if (!settings.onSample)
            return;
        GpuSample trial = tuned.trials[chosen[place]];
        trial.timing = timing;
        settings.onSample(tuned, chosen[place], trial);
    };
    const std::vector<TileSample> timed =
        timeInTurns(chosen.size(), settings.timing, settings.stop, time, tell);
    for (std::size_t place = 0; place < timed.size(); ++place) {
        tuned.trials[chosen[place]].refused = search.isRefused(chosen[place]);
        TileSample& timing = tuned.trials[chosen[place]].timing;
        std::vector<double> seconds = std::move(timing.seconds);
        timing = timed[place];
        timing.seconds.insert(timing.seconds.begin(), seconds.begin(), seconds.end());
    }
    return tuned;
}

}  // namespace

const GpuSample* TunedKernel::fastest() const {
    const auto least = std::ranges::min_element(trials, isFaster, &GpuSample::timing);
    return least == trials.end() || !least->hasRun() ? nullptr : &*least;
}

std::optional<Verdict> TunedKernel::verdict() const {
    const GpuSample* best = fastest();
    const GpuSample* now = taken ? &trials.at(*taken) : nullptr;
    if (best == nullptr || now == nullptr || now == best || !now->hasRun())
        return std::nullopt;
    return judgeFastest(best->timing, now->timing, trials.size());
}

std::vector<TunedKernel> tuneGpus(const RunPlan& plan, const TileTiming& timing, const StopToken& stop,
                                  const OnGpuSample& onSample, const OnGpuPass& onPass,
                                  const std::vector<TunedKernel>& before) {
    requireGpuCandidates(plan);
    const GpuTuningSettings settings{
        .timing = timing, .stop = stop, .onSample = onSample, .onPass = onPass, .before = before};
    WorkerPool workers({.workers = 1});
    std::vector<TunedKernel> kernels;
    for (const ChosenGpu& gpu : plan.placement.gpus) {
        const auto isThis = [&](const TunedKernel& tuned) { return tuned.gpu.number == gpu.number; };
        if (std::ranges::any_of(kernels, isThis))
            continue;  // two devices on one GPU
        const std::shared_ptr<ComputeDevice> device = openDevice(gpu);
        const Execution execution{workers, stop, nullptr, device.get()};
        const AttentionSize size = attentionSize(plan);
        kernels.push_back(tuneKernel({.gpu = gpu,
                                      .size = sentence("{} heads of {}, {} queries, {} keys", size.heads,
                                                       size.headDim, size.queries, size.keys)},
                                     KernelSearch(execution, size), settings));
        const std::vector<LayerSize> layers = layersOfBlock(plan);
        kernels.push_back(tuneKernel({.gpu = gpu,
                                      .size = sentence("{} tokens, {} wide, {} in the feed-forward",
                                                       layers[0].rows, layers[0].ins, layers[1].outs)},
                                     KernelSearch(execution, layers, plan.precision.transformer.linears()),
                                     settings));
    }
    return kernels;
}

void keepFastest(const std::vector<TunedKernel>& kernels) {
    const std::filesystem::path file = usualTuningFile();
    for (const TunedKernel& tuned : kernels) {
        if (tuned.trials.size() < 2 || tuned.fastest() == nullptr)
            continue;
        std::vector<MeasuredVariant> measured;
        for (const GpuSample& trial : tuned.trials)
            if (trial.hasRun() || trial.refused)  // memory that was short today is no refusal
                measured.push_back({.form = trial.form,
                                    .block = trial.block,
                                    .rate = trial.hasRun() ? tuned.flops / trial.timing.times().median : 0,
                                    .why = trial.refused ? trial.timing.detail : Sentence(),
                                    .text = trial.text});
        GpuTuning(file, tuned.gpu.facts.id).keep(tuned.kernel, tuned.revision, measured);
        const GpuTuning kept(file, tuned.gpu.facts.id);
        const MeasuredKernel* found = kept.find(tuned.kernel, tuned.revision);
        // A kernel of PTX that was not timed, as it is for other heads, may be remembered as faster there.
        const auto isKept = [&](const MeasuredVariant& each) {
            return std::ranges::any_of(found->variants, [&](const MeasuredVariant& other) {
                return other.isSameAs(each) && other.rate == each.rate;
            });
        };
        if (found == nullptr || !std::ranges::all_of(measured, isKept))
            throw Error(ErrorKind::Resources,
                        sentence("What runs on {} should take cannot be kept", tuned.gpu.facts.name),
                        withTilde(file),
                        sentence("Make the file writable, or set XDG_CACHE_HOME to another folder"));
    }
}

FlashBlockSizes sizesToWrite(const FlashBlockSizes& timed) {
    FlashBlockSizes sizes = timed;
    sizes.blockKvComputeIn = 0;
    return sizes;
}

void writeTiles(const std::filesystem::path& projectFile, const FlashBlockSizes& timed) {
    const LoadedProject loaded = loadProject(projectFile);
    Project project = loaded.project;
    const FlashBlockSizes sizes = sizesToWrite(timed);
    for (const BlockSizeRow& row : blockSizeRows())
        if (row.searched)
            project.*row.member = sizes.*row.member;
    writeFileAtomically(projectFile, saveProjectText(project, loaded.sourceText));
}

namespace {

constexpr std::size_t longestDetail = 200;

std::string_view nameOfMode(TileGridMode mode) {
    return std::ranges::find(tileGridModes(), mode, &TileGridRow::mode)->name;
}

void sortBySpeed(std::vector<TileSample>& trials) {
    std::ranges::stable_sort(trials, isFaster);
}

}  // namespace

std::string tileSearchHeader(const std::string& label, const LocalSequence& sequence, TileGridMode mode,
                             std::size_t choices, const TileTiming& timing) {
    return fmt::format("[tile-search] {}: q_seq={} kv_seq={} mode={} -> {} configs (iters={})\n", label,
                       sequence.queries, sequence.keys, nameOfMode(mode), choices, timing.iterations);
}

std::string tileSampleLine(std::size_t index, std::size_t count, const TileSample& trial) {
    const std::string name =
        fmt::format("  [{}/{}] bq={} bkv={}", index + 1, count, trial.blocks.blockQ, trial.blocks.blockKv);
    if (trial.status != SampleStatus::Ok)
        return fmt::format("{}: {}\n", name, nameOf(trial.status));
    return fmt::format("{}: {:.2f}ms  (compile {:.0f}s, excluded)\n", name,
                       trial.mean() * millisecondsPerSecond, trial.firstSeconds);
}

std::string tileSearchResults(const LocalSequence& sequence, TileGridMode mode,
                              std::vector<TileSample> trials) {
    sortBySpeed(trials);
    std::string text = fmt::format("[tile-search] results (q_seq={}, kv_seq={}, mode={}):\n",
                                   sequence.queries, sequence.keys, nameOfMode(mode));
    for (const TileSample& trial : trials) {
        text += fmt::format("    bq={:>6} bkv={:>5} cmp={:>5}  ", trial.blocks.blockQ, trial.blocks.blockKv,
                            trial.blocks.blockKvCompute);
        text += trial.status == SampleStatus::Ok
                    ? fmt::format("{:7.2f} ms  (±{:.2f})\n", trial.mean() * millisecondsPerSecond,
                                  trial.deviation() * millisecondsPerSecond)
                    : fmt::format("{}\n", nameOf(trial.status));
    }
    return text;
}

std::string tileWinnerLine(const TileSample* winner) {
    if (winner == nullptr)
        return "[tile-search] no config succeeded (all OOM/error)\n";
    return fmt::format("[tile-search] WINNER: bq={} bkv={} bkv_compute={} -> {:.2f} ms\n",
                       winner->blocks.blockQ, winner->blocks.blockKv, winner->blocks.blockKvCompute,
                       winner->mean() * millisecondsPerSecond);
}

DataTable gpuTable(const std::vector<TunedKernel>& kernels) {
    DataTable table{.columns = {"gpu", "driver", "kernel", "size", "form", "block", "status", "mean_ms",
                                "std_ms", "detail"},
                    .rows = {}};
    for (const TunedKernel& tuned : kernels) {
        std::vector<GpuSample> trials = tuned.trials;
        std::ranges::stable_sort(trials, isFaster, &GpuSample::timing);
        for (const GpuSample& trial : trials) {
            const bool ran = trial.hasRun();
            table.rows.push_back(
                {tuned.gpu.facts.name, tuned.gpu.facts.driver, tuned.kernel, tuned.size.text(), trial.form,
                 trial.block, std::string(nameOf(trial.timing.status)),
                 ran ? DataCell(trial.timing.mean() * millisecondsPerSecond) : DataCell(),
                 ran ? DataCell(trial.timing.deviation() * millisecondsPerSecond) : DataCell(),
                 trial.timing.detail.text().substr(0, longestDetail)});
        }
    }
    return table;
}

DataTable tileTable(std::vector<TileSample> trials) {
    sortBySpeed(trials);
    DataTable table{
        .columns = {"bq", "bkv", "bkv_compute", "status", "mean_ms", "std_ms", "compile_ms", "detail"},
        .rows = {}};
    for (const TileSample& trial : trials) {
        const bool ran = trial.status == SampleStatus::Ok;
        const auto measured = [&](double seconds) {
            return ran ? DataCell(seconds * millisecondsPerSecond) : DataCell();
        };
        table.rows.push_back({trial.blocks.blockQ, trial.blocks.blockKv, trial.blocks.blockKvCompute,
                              std::string(nameOf(trial.status)), measured(ran ? trial.mean() : 0),
                              measured(ran ? trial.deviation() : 0), measured(trial.firstSeconds),
                              trial.detail.text().substr(0, longestDetail)});
    }
    return table;
}

}  // namespace meshreel
