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
#include "engine/runs/records/data_table.h"

namespace meshreel {

struct TileTuningOptions {
    TileGridMode mode = TileGridMode::Smart;
    int count = 3;                  ///< of the smart ladder: blocks with the fewest pieces, keys beside each
    std::int64_t step = 256;        ///< of the full grid
    std::size_t mostChoices = 0;    ///< of the full grid; 0: all
    std::int64_t scratchBytes = 0;  ///< 0: the project's vmem_limit_bytes, and 0 there: workerCacheBytes()
    TileTiming timing = {};
};

/// What a search is about, before it starts.
struct TileTuningTask {
    std::string label;       ///< "wan/ulysses_ring_custom/u2"
    LocalSequence sequence;  ///< of one device
    std::vector<FlashBlockSizes> choices;
};

struct TileTuning {
    TileTuningTask task;
    std::vector<TileTrial> trials;  ///< of the choices
    TileTrial now;                  ///< the project's own sizes, timed in the same turns
};

/// Receives every pass, those that warm up and those of the project's own sizes included.
using OnPass = std::function<void(const FlashBlockSizes& blocks, double seconds)>;

/// Second-level cache of a core and its share of the last level: what a worker's blocks should stay in.
std::int64_t workerCacheBytes();

/// The choices for the plan's attention. block_kv_compute is block_kv; block_kv_compute_in stays automatic.
/// Throws Error{Project} for modes without blocks and for plans of GPUs, whose blocks no project has, and as
/// fullTileGrid().
TileTuningTask planTiles(const RunPlan& plan, const TileTuningOptions& options);

/// Times each choice in forward passes of one block of the plan's transformer, of random weights, on the
/// plan's mesh as threads of this process, a video for each device of the batch axes. Throws
/// Error{Cancelled}, Error{Resources} where the weights do not fit, Error{Project} for plans of several
/// ranks.
TileTuning tuneTiles(const RunPlan& plan, const TileTuningTask& task, const TileTiming& timing,
                     const StopToken& stop, const OnTrial& onTrial = {}, const OnPass& onPass = {});

/// A form and a block of one of a GPU's kernels, as they were timed.
struct GpuTrial {
    std::string form = {};   ///< of a MatrixForm
    std::string block = {};  ///< how it cuts its work; empty: in one way only
    TileTrial timing = {};   ///< it has no block sizes

    [[nodiscard]] bool hasRun() const { return timing.status == TrialStatus::Ok && !timing.seconds.empty(); }
};

/// The search among the candidates for a kernel on one of the plan's GPUs.
struct TunedKernel {
    ChosenGpu gpu = {};
    std::string kernel = {};                ///< its name among the measurements of the GPU: "attention 128"
    std::string revision = {};              ///< MeasuredKernel::revision
    Sentence size = {};                     ///< "12 heads of 128, 7800 queries, 7800 keys"
    double flops = 0;                       ///< of a pass
    std::vector<GpuTrial> trials = {};      ///< of every candidate; without seconds before it was timed
    std::optional<std::size_t> taken = {};  ///< the trial of what runs took before

    /// The lowest mean; null when none has run.
    [[nodiscard]] const GpuTrial* fastest() const;
};

/// Receives a candidate that has been timed, or has failed, which the kernel's trials do not tell yet;
/// `index` counts from 0.
using OnGpuTrial = std::function<void(const TunedKernel& kernel, std::size_t index, const GpuTrial& trial)>;

/// Receives every pass of a candidate, those that warm up included.
using OnGpuPass = std::function<void(const TunedKernel& kernel, std::size_t index, double seconds)>;

/// Times every form and block in which each of the plan's GPUs can compute the plan's self-attention and the
/// linear layers of a block, alone, at the plan's size. Throws Error{Project} for plans without a GPU, for
/// those of several ranks and for those in f32, which GPUs compute in one way, Error{Cancelled},
/// Error{Device}.
std::vector<TunedKernel> tuneGpus(const RunPlan& plan, const TileTiming& timing, const StopToken& stop,
                                  const OnGpuTrial& onTrial = {}, const OnGpuPass& onPass = {});

/// Runs on these GPUs take the fastest from now on, of every kernel that had a choice. Throws
/// Error{Resources} when the file that tells them cannot be written.
void keepFastest(const std::vector<TunedKernel>& kernels);

/// gpu, driver, kernel, size, form, block, status, mean_ms, std_ms, detail; of each kernel the fastest first.
DataTable gpuTable(const std::vector<TunedKernel>& kernels);

/// Sizes as a project should have them: what was automatic when they were timed stays so.
FlashBlockSizes sizesToWrite(const FlashBlockSizes& timed);

/// Writes block sizes that were timed into a project file; all other lines stay.
void writeTiles(const std::filesystem::path& projectFile, const FlashBlockSizes& timed);

// What a tile search says, line by line, as MaxDiffusion's does.

/// "[tile-search] wan/ring/u1: q_seq=9450 kv_seq=9450 mode=smart -> 15 configs (iters=10)"
std::string tileSearchHeader(const std::string& label, const LocalSequence& sequence, TileGridMode mode,
                             std::size_t choices, const TileTiming& timing);

/// "  [1/15] bq=9472 bkv=1024: 70.00ms  (compile 0s, excluded)", or "oom" or "error" in place of the time.
std::string tileTrialLine(std::size_t index, std::size_t count, const TileTrial& trial);

/// The trials by their means, those that failed last.
std::string tileSearchResults(const LocalSequence& sequence, TileGridMode mode,
                              std::vector<TileTrial> trials);

/// "[tile-search] WINNER: bq=9472 bkv=1024 bkv_compute=1024 -> 70.00 ms", or that nothing succeeded.
std::string tileWinnerLine(const TileTrial* winner);

/// bq, bkv, bkv_compute, status, mean_ms, std_ms, compile_ms, detail; in the order of tileSearchResults().
DataTable tileTable(std::vector<TileTrial> trials);

}  // namespace meshreel
