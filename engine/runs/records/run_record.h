// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// Keys of the project file, or of environment.json, with their values; values of the same effect are spelled
/// the same.
using SettingValues = std::map<std::string, std::string>;

/// What the seconds of a run's steps depend on besides the video's size, the attention mode, U, R and the
/// sizes of the blocks. All empty when unknown.
struct RunSettings {
    SettingValues task;       ///< what a step computes: model, conditions, guidance, videos side by side
    SettingValues means;      ///< how it is computed: number types, step caches, memory budget, instruction
                              ///< set
    SettingValues mesh;       ///< its axes and ranks
    SettingValues attention;  ///< the rest of what the project says of it

    friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

/// Returns whether each step met cold caches: the first, the first after a switch to another expert, and the
/// first after each resume of the run. `resumedFrom`: the steps that those began with, counted from 0.
std::vector<bool> coldSteps(std::span<const StepRecord> steps, std::span<const int> resumedFrom = {});

/// Returns the seconds of the steps that are not cold, of all when all are, if each was computed in full.
/// Steps that a step cache shortened are no repetitions of one another: then the only time is their mean.
/// Empty without steps.
std::vector<double> stepTimes(std::span<const StepRecord> steps, std::span<const int> resumedFrom = {});

/// Returns the median of stepTimes(); nothing without steps.
std::optional<double> warmStepSeconds(std::span<const StepRecord> steps,
                                      std::span<const int> resumedFrom = {});

/// What a step cache spared a run.
struct StepSavings {
    std::vector<int> shortened;  ///< steps that were not computed in full, counted from 0
    double seconds = 0;          ///< against the mean full step of the same expert, cold ones left out
};

/// Counts 0 seconds for an expert's shortened steps if there is no full step to compare with. `resumedFrom`
/// as for coldSteps().
StepSavings computeSavings(std::span<const StepRecord> records, std::span<const int> resumedFrom = {});

/// "  Steps shortened: 18 of 40, about 123.4 s saved" with a newline; empty when none was.
std::string formatSavings(const StepSavings& savings, std::size_t steps);

/// Returns " Video written in 0.312 s" and, for a run that was resumed, which of its parts the stages add
/// up; each with a newline.
std::string formatRunNotes(const TimingSummary& timings, std::span<const int> resumedFrom);

/// What a tile search calls its table.
inline constexpr std::string_view tileTableName = "tile_size_grid_search.csv";

/// Seconds with one pair of block sizes.
struct TileTime {
    std::int64_t blockQ = 0;
    std::int64_t blockKv = 0;
    double seconds = 0;

    friend bool operator==(const TileTime&, const TileTime&) = default;
};

/// Parses the table that a tile search writes (tile_size_grid_search.csv), and returns the choices that ran.
/// Throws Error{Input} naming `name` for another text, and when nothing ran.
std::vector<TileTime> parseTileTable(std::string_view csv, const std::string& name);

/// What a phase of a run held, in bytes.
struct PhaseMemoryRecord {
    std::string phase;  ///< "Denoise"
    std::uint64_t planned = 0;
    std::uint64_t held = 0;         ///< maximum
    std::uint64_t mappedFiles = 0;  ///< pages of files beside it, at most
};

/// What makes a run differ from those that it is compared with, and what votes say of that (rated_runs.h).
struct RunRating {
    std::string setting;     ///< "num_inference_steps 20"; empty: not compared, or all runs have one setting
    std::string label = {};  ///< what drawings call it; empty: the same
    RankedItem ranked = {};

    friend bool operator==(const RunRating&, const RunRating&) = default;
};

/// Which files of a run folder a record is read from, besides its project and environment.
struct RunParts {
    bool steps = true;
    bool trace = true;
    bool deviceTimes = true;
    bool memory = true;
};

/// What a run says of its time: what charts and comparisons read.
struct RunRecord {
    std::string name;       ///< name of the folder
    std::string attention;  ///< the mode asked for
    std::int64_t width = 0, height = 0, frames = 0;
    int devices = 1;
    int workersPerDevice = 1;
    int ulysses = 1;  ///< devices that trade tokens for heads
    int ring = 1;     ///< such groups on the context axis
    std::int64_t blockQ = 0, blockKv = 0;
    std::vector<StepRecord> steps;
    std::optional<TimingSummary> timings;           ///< for a finished run
    std::vector<TracedSpan> trace;                  ///< empty when the run left none
    std::vector<StepDeviceTimes> deviceTimes = {};  ///< empty when the run did not record them
    std::vector<PhaseMemoryRecord> memory = {};     ///< for a finished run, in the order of its phases
    std::vector<TileTime> tiles = {};               ///< for a tile search, which has only this and `name`
    bool pasted = false;  ///< from elsewhere: only `name` and either `timings` or `tiles` are known
    std::vector<int> resumedFrom = {};  ///< the steps that resumes began with, counted from 0
    RunSettings settings = {};
    std::filesystem::path folder = {};  ///< empty: in none
    RunRating rating = {};              ///< of addRatings()

    [[nodiscard]] std::vector<bool> coldSteps() const { return meshreel::coldSteps(steps, resumedFrom); }
    [[nodiscard]] std::vector<double> stepTimes() const { return meshreel::stepTimes(steps, resumedFrom); }
    [[nodiscard]] std::optional<double> warmStepSeconds() const {
        return meshreel::warmStepSeconds(steps, resumedFrom);
    }
};

/// Returns a run for each timing summary in a text, named by its title, or by `name` ("name (2)" and so on)
/// without one. Throws Error{Input} when there is none, and as parseTimingSummaries() does; both name `name`.
std::vector<RunRecord> pastedRuns(std::string_view text, const std::string& name);

/// What speeds are taken from.
enum class SpeedOf : std::uint8_t {
    Steps,     ///< seconds per step; of pasted runs the whole of denoising, or of inference without a trace
    Inference  ///< all but loading and compiling, of finished runs
};

/// Returns how many times as fast as `reference` a run was. Returns nothing if they did not compute the same:
/// runs of another size or task, and a run of a folder beside a pasted one, about which it is not known.
std::optional<double> speedAgainst(const RunRecord& reference, const RunRecord& run,
                                   SpeedOf of = SpeedOf::Steps);

/// Returns a row a run: what it ran on, its stages, the median and the spread of its steps, its
/// verdictAgainst() the first run in words, and its speedAgainst() that.
DataTable comparisonTable(std::span<const RunRecord> runs, SpeedOf of = SpeedOf::Steps);

/// Returns whether the steps of both runs compute the same from the same inputs: videos of one size, model,
/// conditions, guidance and number.
bool haveSameTask(const RunRecord& a, const RunRecord& b);

/// Returns whether they do so in the same way, too, so that attention, mesh and block sizes alone make one
/// faster.
bool haveSameWork(const RunRecord& a, const RunRecord& b);

/// Returns the runs whose seconds per step are comparable: those with a step; a run that has only cold steps
/// counts only if no other run of the same work has warm ones.
std::vector<const RunRecord*> timedRuns(std::span<const RunRecord> runs);

/// Returns for each run the settings of task and means that differ from those of the first: "guidance_scale
/// off, weights_dtype bfloat16". Empty for the first, and when the work is the same.
std::vector<std::string> differingWork(std::span<const RunRecord* const> runs);

/// Returns the times of block sizes from the runs, each pair once: those of a tile search unchanged, for runs
/// the mean of their seconds per step. Throws Error{Project} when a search and runs are mixed, when runs are
/// of different work, modes or meshes, and when none finished a step. From timedRuns() only.
std::vector<TileTime> tileTimes(const std::vector<RunRecord>& runs);

/// Returns whether tileTimes() takes these runs together. Runs without a step, for which it has no time,
/// count as any other.
bool differInTilesOnly(const RunRecord& a, const RunRecord& b);

/// Returns the timing summaries of the finished ones in the published layout, each with the name of its run
/// after the title, where pastedRuns() finds it. Empty when none is finished.
std::string runSummaries(std::span<const RunRecord> runs);

/// Shortens names of run folders for charts and tables, so that the parts that differ are visible:
/// "20261122-150944-ring-2d" becomes "ring-2d"; if others have that name too, "ring-2d 15:09:44", with its
/// day if they began at the same time of day. Other names stay; the second of two equal names gets "(2)"
/// appended.
std::vector<std::string> shortRunNames(std::span<const std::string> names);

/// Returns the runs under their shortRunNames(), except that runs of one name are distinguished by their
/// differences (mode, split, devices, blocks, size, steps) if these identify each one: "ring-2d U2 R2"
/// instead of "ring-2d 15:09:44".
std::vector<RunRecord> withShortNames(std::vector<RunRecord> runs);

}  // namespace meshreel
