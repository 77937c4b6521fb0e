// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "engine/media/video_writer.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/run_comparison.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/step_savings.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// The project as it is stored: a model given by its path is absolute, with "~" for the home folder.
Project storedProject(const RunPlan& plan);

/// video.* with the project inside and preview.png (the middle frame) from frames u8 [batch, time, height,
/// width, 3]; of further videos of a batch video-2.* and preview-2.png and so on, each with the project of
/// that video alone. Returns the first.
WrittenVideo writeVideoFiles(const RunFolder& folder, const Project& project, const Tensor& frames);

/// The timing summary block, the seconds per step, and what a step cache saved.
std::string summaryText(const TimingSummary& timings, const std::vector<StepRecord>& steps,
                        const StepSavings& savings);

/// timings.json and summary.txt, with what each phase held in memory beside its plan. `steps`: all of the
/// run; `firstStep`: where this session began.
void writeTimings(const RunFolder& folder, const MemoryEstimate& plan, const GenerationResult& result,
                  const std::vector<StepRecord>& steps, int firstStep,
                  const std::optional<RunComparison>& comparison = {});

}  // namespace meshreel
