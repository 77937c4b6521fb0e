// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/timing/verdict.h"

namespace meshreel {

/// Lengths of the sequences that one device's attention kernel sees.
struct LocalSequence {
    std::int64_t queries = 0;
    std::int64_t keys = 0;  ///< at a time: a ring's shard

    friend bool operator==(const LocalSequence&, const LocalSequence&) = default;
};

/// Returns what one device of the context axis computes, for a sequence of `tokens`: a ring computes a shard
/// against a shard, ring × Ulysses U of them together, Ulysses whole sequences of fewer heads, and gathered
/// keys a shard of queries against all keys.
LocalSequence localSequence(const AttentionPlan& attention, std::int64_t tokens);

/// Sizes of block_q and block_kv that are tried together.
struct TilePair {
    std::int64_t blockQ = 0;
    std::int64_t blockKv = 0;

    friend bool operator==(const TilePair&, const TilePair&) = default;
};

/// The scratch that a pair may take: `share` of it holds one f32 score for each query and key of the blocks.
struct ScratchLimit {
    std::int64_t bytes = 0;
    double share = 0.65;

    /// Returns the keys of a block beside `blockQ` queries, at most: a multiple of 256.
    [[nodiscard]] std::int64_t keysBeside(std::int64_t blockQ) const;
    /// Queries of a block beside 1,024 keys, at most: a multiple of 128.
    [[nodiscard]] std::int64_t mostQueries() const;
};

/// What splitting `sequence` into blocks wastes.
struct TilePadding {
    std::int64_t blocks = 0;
    std::int64_t rows = 0;  ///< beyond the sequence
    double percent = 0;     ///< of the sequence
};

TilePadding tilePadding(std::int64_t sequence, std::int64_t block);

/// Returns the smallest aligned block that splits `sequence` into exactly `count` blocks; none when no
/// multiple of `align` does.
std::optional<std::int64_t> blockForCount(std::int64_t sequence, std::int64_t count,
                                          std::int64_t align = 128);

/// Blocks of queries and keys worth trying within the limit: the `count` ways to split the queries into the
/// fewest blocks, then halves; beside each the `count` largest multiples of 128 keys.
std::vector<TilePair> smartTileGrid(const LocalSequence& sequence, const ScratchLimit& limit, int count = 3);

/// Returns every pair of multiples of `step` up to the sequence, the first `most` of them (0: all). Throws
/// Error{Project} when 128 does not divide the step.
std::vector<TilePair> fullTileGrid(const LocalSequence& sequence, std::int64_t step = 256,
                                   std::size_t most = 0);

/// How a grid is chosen: one value of --mode.
enum class TileGridMode : std::uint8_t { Smart, Full };

struct TileGridRow {
    TileGridMode mode;
    std::string_view name;
    std::string_view help;
};

std::span<const TileGridRow> tileGridModes();

enum class SampleStatus : std::uint8_t { Ok, OutOfMemory, Failed };

/// "ok", "oom", "error".
std::string_view nameOf(SampleStatus status);

/// The measurements of one choice of block sizes.
struct TileSample {
    FlashBlockSizes blocks = {};
    SampleStatus status = SampleStatus::Ok;
    double firstSeconds = 0;           ///< time of the first pass, which does not count
    std::vector<double> seconds = {};  ///< times of the passes that count
    Sentence detail = {};              ///< why it failed

    [[nodiscard]] TimesSummary times() const { return summarizeTimes(seconds); }
    /// Returns whether there are times.
    [[nodiscard]] bool hasRun() const { return status == SampleStatus::Ok && !seconds.empty(); }
    // As MaxDiffusion's tile search tells them.
    [[nodiscard]] double mean() const;
    [[nodiscard]] double deviation() const;  ///< standard deviation of the population; 0 for one pass
};

struct TileTiming {
    int iterations = 10;  ///< passes that count
    int warmUp = 2;       ///< passes before them, at least one
};

/// Returns the seconds of one pass with these sizes.
using TimeBlocks = std::function<double(const FlashBlockSizes&)>;

/// Receives a choice that has been timed, or has failed; `index` counts from 0.
using OnSample = std::function<void(std::size_t index, std::size_t count, const TileSample& trial)>;

/// Times so many choices, each by its index: all of them warm up, and then take turns, so that each sees the
/// same machine. A choice that throws takes no further part; the others are not reported before the last
/// turn. Throws only Error{Cancelled}.
std::vector<TileSample> timeInTurns(std::size_t choices, const TileTiming& timing, const StopToken& stop,
                                    const std::function<double(std::size_t choice)>& time,
                                    const OnSample& onSample = {});

/// Times block sizes in the same way.
std::vector<TileSample> timeTiles(const std::vector<FlashBlockSizes>& choices, const TileTiming& timing,
                                  const StopToken& stop, const TimeBlocks& time,
                                  const OnSample& onSample = {});

/// Returns whether a sample comes before another in a table: by their medians, those that failed last.
bool isFaster(const TileSample& trial, const TileSample& other);

/// Returns the lowest median; nullptr when nothing succeeded.
const TileSample* fastestSample(const std::vector<TileSample>& trials);

/// Returns whether the fastest of so many choices is faster than `own`, both of which ran.
Verdict judgeFastest(const TileSample& fastest, const TileSample& own, std::size_t choices);

}  // namespace meshreel
