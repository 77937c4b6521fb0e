// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/events/run_event.h"
#include "engine/pipelines/generation.h"
#include "engine/project/project.h"
#include "engine/runs/run_folder.h"

namespace meshreel {

/// Makes the finished videos of a run whose project asks for them (`interpolate`, `upscale`), beside its
/// videos: finished.mp4, of a batch also finished-2.mp4 and so on. Sends what was made as messages, and
/// progress. Returns the seconds that it took; 0 where nothing was asked for. Throws as planFinish() and
/// finishVideo().
double finishVideos(const RunFolder& folder, const Project& project, const RunContext& machine,
                    const EventSink& sink);

}  // namespace meshreel
