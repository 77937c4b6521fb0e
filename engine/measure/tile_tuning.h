// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/measure/tile_search.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/runs/records/data_table.h"
#include "engine/timing/verdict.h"

namespace meshreel {

struct TileTuningOptions {
    TileGridMode mode = TileGridMode::Smart;
    int count = 3;                  ///< for the smart ladder: blocks with the fewest pieces, keys beside each
    std::int64_t step = 256;        ///< for the full grid
    std::size_t mostChoices = 0;    ///< for the full grid; 0: all
    std::int64_t scratchBytes = 0;  ///< 0: the project's vmem_limit_bytes, and 0 there: workerCacheBytes()
    TileTiming timing = {};
};

/// What a search is about, before it starts.
struct TileTuningTask {
    std::string label;       ///< "wan/ulysses_ring_custom/u2"
    LocalSequence sequence;  ///< on one device
    std::vector<FlashBlockSizes> choices;
};

struct TileTuning {
    TileTuningTask task;
    std::vector<TileSample> trials;  ///< for the choices
    TileSample now;                  ///< the project's own sizes, timed in the same turns
};

/// Receives every pass, those that warm up and those of the project's own sizes included.
using OnPass = std::function<void(const FlashBlockSizes& blocks, double seconds)>;

/// Second-level cache of a core and its share of the last level: what a worker's blocks should stay in.
std::int64_t workerCacheBytes();

/// Returns the plan of a search. Needs no prompt, because a prompt changes no block. Throws as makePlan()
/// does.
PlanPtr planTuning(Project project);

/// Returns the choices for the plan's attention. block_kv_compute is block_kv; block_kv_compute_in stays
/// automatic. Throws Error{Project} for modes without blocks, for plans with GPUs, whose block sizes are not
/// part of a project, and when fullTileGrid() does.
TileTuningTask planTiles(const RunPlan& plan, const TileTuningOptions& options);

/// Times each choice in forward passes of one block of the plan's transformer, with random weights, on the
/// plan's mesh as threads of this process, with a video for each device of the batch axes. Throws
/// Error{Cancelled}, Error{Resources} when the weights do not fit, Error{Project} for plans of several ranks.
TileTuning tuneTiles(const RunPlan& plan, const TileTuningTask& task, const TileTiming& timing,
                     const StopToken& stop, const OnSample& onSample = {}, const OnPass& onPass = {});

/// A timed form and block of one of a GPU's kernels.
struct GpuSample {
    std::string form = {};   ///< name of a MatrixForm
    std::string block = {};  ///< how it cuts its work; empty: in one way only
    std::string text = {};   ///< MeasuredVariant::text
    TileSample timing = {};  ///< without block sizes
    bool refused = false;    ///< it failed for good; else a failure may be of this time alone

    [[nodiscard]] bool hasRun() const { return timing.hasRun(); }
};

/// The search among the candidates for a kernel on one of the plan's GPUs.
struct TunedKernel {
    ChosenGpu gpu = {};
    std::string kernel = {};                ///< its name among the measurements of the GPU: "attention 128"
    std::string revision = {};              ///< MeasuredKernel::revision
    Sentence size = {};                     ///< "12 heads of 128, 7800 queries, 7800 keys"
    double flops = 0;                       ///< work of a pass
    std::vector<GpuSample> trials = {};     ///< every candidate; without seconds before it is timed
    std::optional<std::size_t> taken = {};  ///< the trial of what runs took before

    /// Returns the lowest median; null when none has run.
    [[nodiscard]] const GpuSample* fastest() const;
    /// Returns what judge() says of the fastest beside the one that runs take; nothing when it is the
    /// fastest, did not run, or no run has chosen.
    [[nodiscard]] std::optional<Verdict> verdict() const;
};

/// Receives a candidate that has been timed, or has failed, before the kernel's trials include it; `index`
/// counts from 0.
using OnGpuSample = std::function<void(const TunedKernel& kernel, std::size_t index, const GpuSample& trial)>;

/// Receives every pass of a candidate, those that warm up included.
using OnGpuPass = std::function<void(const TunedKernel& kernel, std::size_t index, double seconds)>;

/// Times every form and block in which each of the plan's GPUs can compute the plan's self-attention and the
/// linear layers of a block, separately, at the plan's size. Throws Error{Project} for plans without a GPU,
/// for those of several ranks and for those in f32, which GPUs compute in one way, Error{Cancelled},
/// Error{Device}. With `before`, which it returned for the same plan, only the fastest and what runs take are
/// timed, of the kernels whose verdict is not clear, and their seconds are added to those of `before`.
std::vector<TunedKernel> tuneGpus(const RunPlan& plan, const TileTiming& timing, const StopToken& stop,
                                  const OnGpuSample& onSample = {}, const OnGpuPass& onPass = {},
                                  const std::vector<TunedKernel>& before = {});

/// Makes later runs on these GPUs use the fastest candidate of every kernel that had a choice. Remembers
/// those that are refused for good, and nothing of others that failed. Throws Error{Resources} when the file
/// that records them cannot be written.
void keepFastest(const std::vector<TunedKernel>& kernels);

/// gpu, driver, kernel, size, form, block, status, mean_ms, std_ms, detail; of each kernel the fastest first.
DataTable gpuTable(const std::vector<TunedKernel>& kernels);

/// Sizes as a project should have them: what was automatic when they were timed stays so.
FlashBlockSizes sizesToWrite(const FlashBlockSizes& timed);

/// Writes block sizes that were timed into a project file; all other lines stay.
void writeTiles(const std::filesystem::path& projectFile, const FlashBlockSizes& timed);

// Returns the output of a tile search, line by line, in MaxDiffusion's format.

/// "[tile-search] wan/ring/u1: q_seq=9450 kv_seq=9450 mode=smart -> 15 configs (iters=10)"
std::string tileSearchHeader(const std::string& label, const LocalSequence& sequence, TileGridMode mode,
                             std::size_t choices, const TileTiming& timing);

/// "  [1/15] bq=9472 bkv=1024: 70.00ms  (compile 0s, excluded)", or "oom" or "error" in place of the time.
std::string tileSampleLine(std::size_t index, std::size_t count, const TileSample& trial);

/// Returns the trials ordered by their means, those that failed last.
std::string tileSearchResults(const LocalSequence& sequence, TileGridMode mode,
                              std::vector<TileSample> trials);

/// "[tile-search] WINNER: bq=9472 bkv=1024 bkv_compute=1024 -> 70.00 ms", or that nothing succeeded.
std::string tileWinnerLine(const TileSample* winner);

/// bq, bkv, bkv_compute, status, mean_ms, std_ms, compile_ms, detail; in the order of tileSearchResults().
DataTable tileTable(std::vector<TileSample> trials);

}  // namespace meshreel
