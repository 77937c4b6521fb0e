// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/flash_blocks.h"
#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"

namespace meshreel {

enum class TrialStatus : std::uint8_t { Ok, OutOfMemory, Failed };

/// "ok", "oom", "error".
std::string_view nameOf(TrialStatus status);

/// What was seen of one choice of block sizes.
struct TileTrial {
    FlashBlockSizes blocks = {};
    TrialStatus status = TrialStatus::Ok;
    double firstSeconds = 0;           ///< of the first pass, which is not counted
    std::vector<double> seconds = {};  ///< of the passes that are
    Sentence detail = {};              ///< why it failed

    [[nodiscard]] double mean() const;
    [[nodiscard]] double deviation() const;  ///< of the population; 0 of one pass
};

struct TileTiming {
    int iterations = 10;  ///< passes that count
    int warmUp = 2;       ///< passes before them, at least one
};

/// Seconds of one pass with these sizes.
using TimeBlocks = std::function<double(const FlashBlockSizes&)>;

/// Told of a choice that has been timed, or has failed; `index` counts from 0.
using OnTrial = std::function<void(std::size_t index, std::size_t count, const TileTrial& trial)>;

/// Times every choice: all of them warm up, and then take turns, so that each sees the same machine. A choice
/// that throws takes no further part; of the others nothing is told before the last turn. Throws
/// Error{Cancelled} only.
std::vector<TileTrial> timeTiles(const std::vector<FlashBlockSizes>& choices, const TileTiming& timing,
                                 const StopToken& stop, const TimeBlocks& time, const OnTrial& onTrial = {});

/// The lowest mean; nullptr when nothing succeeded.
const TileTrial* fastestTrial(const std::vector<TileTrial>& trials);

/// Whether the mean of `trial` is lower by more than twice the standard error of the difference. True beside
/// one that did not succeed.
bool clearlyFaster(const TileTrial& trial, const TileTrial& other);

}  // namespace meshreel
