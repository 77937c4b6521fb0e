// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/base/sentence.h"
#include "engine/finish/finish_plan.h"
#include "engine/finish/frame_stages.h"
#include "engine/kernels/execution.h"

namespace meshreel {

/// How far the work is.
struct FinishProgress {
    std::int64_t framesDone = 0;  ///< that are made, those of an earlier try included
    std::int64_t frames = 0;      ///< to make
    double secondsLeft = 0;       ///< at the pace so far; 0 before the first frame
};

using FinishListener = std::function<void(const FinishProgress& progress)>;

struct FinishedVideo {
    std::filesystem::path video;
    std::int64_t frames = 0;
    std::int64_t keptFrames = 0;  ///< that an earlier try had made
    BetweenCounts between;        ///< of this try
    Sentence note;                ///< when something was done otherwise than asked
};

/// Returns the folder beside a video in which its parts are kept until it is complete: ".NAME.finish".
std::filesystem::path finishFolder(const std::filesystem::path& video);

/// Makes the video of a plan at `video`, under the extension of the plan's format: reads the source frame by
/// frame, and writes part after part into finishFolder(), from where the pictures are copied into the video
/// when all are there. Stopped, killed or failed, it leaves the parts; called with the same plan, it goes on
/// behind them. What another plan left is removed. Holds a few frames, whatever the length. Throws
/// Error{Cancelled}, Error{Input} for a source that ends early or changed, and when another program makes
/// this video; and what VideoFile, joinVideos() and writeEditedSound() throw.
FinishedVideo finishVideo(const FinishPlan& plan, const Execution& execution,
                          const std::filesystem::path& video, const FinishListener& listen);

}  // namespace meshreel
