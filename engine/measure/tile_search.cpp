// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/tile_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numeric>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/base/units.h"

namespace meshreel {
namespace {

constexpr std::int64_t lanes = 128;     // what every block is a multiple of
constexpr std::int64_t keyLanes = 256;  // what the most keys are a multiple of
constexpr std::int64_t usualKeys = 1024;
constexpr double scoreBytes = 4;

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
    return value / step * step;
}

std::int64_t ceilDiv(std::int64_t value, std::int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

std::int64_t ceilTo(std::int64_t value, std::int64_t step) {
    return ceilDiv(value, step) * step;
}

void addUnique(std::vector<std::int64_t>& blocks, std::int64_t block) {
    if (std::ranges::find(blocks, block) == blocks.end())
        blocks.push_back(block);
}

}  // namespace

LocalSequence localSequence(const AttentionPlan& attention, std::int64_t tokens) {
    const ContextSplit& split = attention.split;
    const std::int64_t group = std::min(tokens, ceilDiv(tokens, split.devices()) * split.ulysses);
    const bool rotates = attention.rotation != Rotation::None;
    return {.queries = group, .keys = rotates ? group : tokens};
}

std::int64_t ScratchLimit::keysBeside(std::int64_t blockQ) const {
    const double scores = static_cast<double>(bytes) * share / scoreBytes;
    return std::max(keyLanes,
                    floorTo(static_cast<std::int64_t>(scores / static_cast<double>(blockQ)), keyLanes));
}

std::int64_t ScratchLimit::mostQueries() const {
    const double scores = static_cast<double>(bytes) * share / scoreBytes;
    return std::max(lanes, floorTo(static_cast<std::int64_t>(scores / usualKeys), lanes));
}

TilePadding tilePadding(std::int64_t sequence, std::int64_t block) {
    const std::int64_t blocks = ceilDiv(sequence, block);
    const std::int64_t rows = blocks * block - sequence;
    return {.blocks = blocks,
            .rows = rows,
            .percent = percent * static_cast<double>(rows) / static_cast<double>(sequence)};
}

std::optional<std::int64_t> blockForCount(std::int64_t sequence, std::int64_t count, std::int64_t align) {
    const std::int64_t block = std::max(align, ceilTo(ceilDiv(sequence, count), align));
    if (ceilDiv(sequence, block) != count)
        return std::nullopt;
    return block;
}

namespace {

/// Sizes of block_q worth trying, the largest first: the `count` with the fewest blocks, then halves.
std::vector<std::int64_t> queryBlocks(std::int64_t sequence, std::int64_t most, int count) {
    const std::int64_t cap = floorTo(std::min(most, ceilTo(sequence, lanes)), lanes);
    std::vector<std::int64_t> blocks;
    for (std::int64_t pieces = ceilDiv(sequence, cap);
         std::ssize(blocks) < count && pieces <= ceilDiv(sequence, lanes); ++pieces)
        if (const auto block = blockForCount(sequence, pieces); block && *block <= cap)
            addUnique(blocks, *block);
    constexpr int halvings = 2;
    std::int64_t half = blocks.empty() ? 0 : blocks.back();
    for (int halving = 0; halving < halvings; ++halving) {
        half = floorTo(half / 2, lanes);
        if (half < lanes)
            break;
        const std::int64_t snapped = blockForCount(sequence, ceilDiv(sequence, half)).value_or(half);
        if (snapped <= cap)
            addUnique(blocks, snapped);
    }
    std::ranges::sort(blocks, std::greater{});
    return blocks;
}

/// Sizes of block_kv worth trying: the `count` largest multiples of 128 up to `most`.
std::vector<std::int64_t> keyBlocks(std::int64_t sequence, std::int64_t most, int count) {
    std::vector<std::int64_t> blocks;
    for (std::int64_t block = std::min(floorTo(most, lanes), ceilTo(sequence, lanes));
         block >= lanes && std::ssize(blocks) < count; block -= lanes)
        blocks.push_back(block);
    return blocks;
}

}  // namespace

std::vector<TilePair> smartTileGrid(const LocalSequence& sequence, const ScratchLimit& limit, int count) {
    std::vector<TilePair> pairs;
    for (const std::int64_t queries : queryBlocks(sequence.queries, limit.mostQueries(), count))
        for (const std::int64_t keys : keyBlocks(sequence.keys, limit.keysBeside(queries), count))
            pairs.push_back({queries, keys});
    return pairs;
}

std::vector<TilePair> fullTileGrid(const LocalSequence& sequence, std::int64_t step, std::size_t most) {
    if (step < lanes || step % lanes != 0)
        throw Error(ErrorKind::Project, sentence("a step of {} is not a multiple of {}", step, lanes),
                    "--step",
                    sentence("Choose {} or {}", std::max(lanes, floorTo(step, lanes)),
                             std::max(lanes, floorTo(step, lanes)) + lanes));
    std::vector<TilePair> pairs;
    for (std::int64_t queries = step; queries <= ceilTo(sequence.queries, step); queries += step)
        for (std::int64_t keys = step; keys <= ceilTo(sequence.keys, step); keys += step) {
            if (most > 0 && pairs.size() == most)
                return pairs;
            pairs.push_back({queries, keys});
        }
    return pairs;
}

std::span<const TileGridRow> tileGridModes() {
    static constexpr std::array<TileGridRow, 2> all{{
        {TileGridMode::Smart, "smart", "few blocks with little padding that fit the scratch limit"},
        {TileGridMode::Full, "full", "every pair of multiples of the step: exhaustive, slow"},
    }};
    return all;
}

std::string_view nameOf(SampleStatus status) {
    switch (status) {
        case SampleStatus::Ok:
            return "ok";
        case SampleStatus::OutOfMemory:
            return "oom";
        case SampleStatus::Failed:
            return "error";
    }
    return "error";
}

namespace {

void fail(TileSample& trial, SampleStatus status, const Sentence& why) {
    trial.status = status;
    trial.detail = why;
}

/// Runs one pass unless the trial has failed; its seconds, or 0.
double tryPass(TileSample& trial, const std::function<double()>& pass) {
    if (trial.status != SampleStatus::Ok)
        return 0;
    try {
        return pass();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            throw;
        fail(trial, error.kind() == ErrorKind::Resources ? SampleStatus::OutOfMemory : SampleStatus::Failed,
             error.asSentence());
    } catch (const std::bad_alloc& error) {
        fail(trial, SampleStatus::OutOfMemory, error.what());
    }
    return 0;
}

}  // namespace

double TileSample::mean() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double TileSample::deviation() const {
    const double middle = mean();
    double squares = 0;
    for (const double one : seconds)
        squares += (one - middle) * (one - middle);
    return std::sqrt(squares / static_cast<double>(seconds.size()));
}

std::vector<TileSample> timeInTurns(std::size_t choices, const TileTiming& timing, const StopToken& stop,
                                    const std::function<double(std::size_t choice)>& time,
                                    const OnSample& onSample) {
    std::vector<TileSample> trials;
    for (std::size_t index = 0; index < choices; ++index) {
        throwIfStopped(stop);
        TileSample& trial = trials.emplace_back();
        const auto pass = [&] { return time(index); };
        trial.firstSeconds = tryPass(trial, pass);
        for (int warm = 1; warm < timing.warmUp; ++warm)
            tryPass(trial, pass);
        if (trial.status != SampleStatus::Ok && onSample)
            onSample(index, choices, trial);
    }
    for (int turn = 1; turn <= timing.iterations; ++turn)
        for (std::size_t index = 0; index < trials.size(); ++index) {
            throwIfStopped(stop);
            TileSample& trial = trials[index];
            if (trial.status != SampleStatus::Ok)
                continue;
            const double seconds = tryPass(trial, [&] { return time(index); });
            if (trial.status == SampleStatus::Ok)
                trial.seconds.push_back(seconds);
            const bool told = turn == timing.iterations || trial.status != SampleStatus::Ok;
            if (told && onSample)
                onSample(index, trials.size(), trial);
        }
    return trials;
}

std::vector<TileSample> timeTiles(const std::vector<FlashBlockSizes>& choices, const TileTiming& timing,
                                  const StopToken& stop, const TimeBlocks& time, const OnSample& onSample) {
    const auto tell = [&](std::size_t index, std::size_t count, const TileSample& trial) {
        if (!onSample)
            return;
        TileSample told = trial;
        told.blocks = choices[index];
        onSample(index, count, told);
    };
    std::vector<TileSample> trials = timeInTurns(
        choices.size(), timing, stop, [&](std::size_t index) { return time(choices[index]); }, tell);
    for (std::size_t index = 0; index < trials.size(); ++index)
        trials[index].blocks = choices[index];
    return trials;
}

bool isFaster(const TileSample& trial, const TileSample& other) {
    return trial.hasRun() && other.hasRun() ? trial.times().median < other.times().median
                                            : trial.hasRun() && !other.hasRun();
}

const TileSample* fastestSample(const std::vector<TileSample>& trials) {
    const auto fastest = std::ranges::min_element(trials, isFaster);
    return fastest == trials.end() || !fastest->hasRun() ? nullptr : &*fastest;
}

Verdict judgeFastest(const TileSample& fastest, const TileSample& own, std::size_t choices) {
    return judge(own.seconds, fastest.seconds, {.comparisons = static_cast<int>(choices)});
}

}  // namespace meshreel
