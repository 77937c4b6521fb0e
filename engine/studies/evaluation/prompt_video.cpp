// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/prompt_video.h"

#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/project/sampling_preset.h"

namespace meshreel {

Tensor videoOf(const std::string& prompt, std::uint64_t seed, const std::filesystem::path& firstFrame,
               const EvaluationSettings& settings, const StopToken& stop) {
    Project project = defaultsOfPreset(settings.preset);
    project.preset = settings.preset;
    project.model = settings.model;
    project.prompt = prompt;
    project.image = firstFrame.string();
    project.seed = seed;
    project.width = settings.width;
    project.height = settings.height;
    project.numFrames = settings.frames;
    project.numInferenceSteps = settings.steps;
    project.guidanceScale = settings.guidance;
    project.flowShift = settings.flowShift;
    const RunPlan plan = makePlan(project);
    DeviceMesh mesh(meshOptions(plan));
    GenerationObserver nobody;
    const Tensor frames = generate({.mesh = mesh, .stop = stop}, plan, {}, nobody).frames;
    return frames.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
}

}  // namespace meshreel
