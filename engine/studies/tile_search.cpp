// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/tile_search.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "engine/base/error.h"

namespace meshreel {
namespace {

void fail(TileTrial& trial, TrialStatus status, const Sentence& why) {
    trial.status = status;
    trial.detail = why;
}

/// Runs one pass unless the trial has failed; its seconds, or 0.
double tryPass(TileTrial& trial, const TimeBlocks& time) {
    if (trial.status != TrialStatus::Ok)
        return 0;
    try {
        return time(trial.blocks);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            throw;
        fail(trial, error.kind() == ErrorKind::Resources ? TrialStatus::OutOfMemory : TrialStatus::Failed,
             error.asSentence());
    } catch (const std::bad_alloc& error) {
        fail(trial, TrialStatus::OutOfMemory, error.what());
    }
    return 0;
}

}  // namespace

std::string_view nameOf(TrialStatus status) {
    switch (status) {
        case TrialStatus::Ok:
            return "ok";
        case TrialStatus::OutOfMemory:
            return "oom";
        case TrialStatus::Failed:
            return "error";
    }
    return "error";
}

double TileTrial::mean() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double TileTrial::deviation() const {
    const double middle = mean();
    double squares = 0;
    for (const double one : seconds)
        squares += (one - middle) * (one - middle);
    return std::sqrt(squares / static_cast<double>(seconds.size()));
}

std::vector<TileTrial> timeTiles(const std::vector<FlashBlockSizes>& choices, const TileTiming& timing,
                                 const StopToken& stop, const TimeBlocks& time, const OnTrial& onTrial) {
    std::vector<TileTrial> trials;
    for (const FlashBlockSizes& blocks : choices) {
        throwIfStopped(stop);
        TileTrial& trial = trials.emplace_back();
        trial.blocks = blocks;
        trial.firstSeconds = tryPass(trial, time);
        for (int pass = 1; pass < timing.warmUp; ++pass)
            tryPass(trial, time);
        if (trial.status != TrialStatus::Ok && onTrial)
            onTrial(trials.size() - 1, choices.size(), trial);
    }
    for (int turn = 1; turn <= timing.iterations; ++turn)
        for (std::size_t index = 0; index < trials.size(); ++index) {
            throwIfStopped(stop);
            TileTrial& trial = trials[index];
            if (trial.status != TrialStatus::Ok)
                continue;
            const double seconds = tryPass(trial, time);
            if (trial.status == TrialStatus::Ok)
                trial.seconds.push_back(seconds);
            const bool told = turn == timing.iterations || trial.status != TrialStatus::Ok;
            if (told && onTrial)
                onTrial(index, trials.size(), trial);
        }
    return trials;
}

const TileTrial* fastestTrial(const std::vector<TileTrial>& trials) {
    const TileTrial* fastest = nullptr;
    for (const TileTrial& trial : trials)
        if (trial.status == TrialStatus::Ok && !trial.seconds.empty() &&
            (fastest == nullptr || trial.mean() < fastest->mean()))
            fastest = &trial;
    return fastest;
}

bool clearlyFaster(const TileTrial& trial, const TileTrial& other) {
    if (other.status != TrialStatus::Ok || other.seconds.empty())
        return true;
    constexpr double errors = 2;
    const auto variance = [](const TileTrial& one) {
        return one.deviation() * one.deviation() / static_cast<double>(one.seconds.size());
    };
    return other.mean() - trial.mean() > errors * std::sqrt(variance(trial) + variance(other));
}

}  // namespace meshreel
