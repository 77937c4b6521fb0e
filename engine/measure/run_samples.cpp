// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/run_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/worker_pool.h"
#include "engine/estimates/run_work.h"
#include "engine/project/gpu_choice.h"

namespace meshreel {

Project probeProject(const RunProbe& probe) {
    Project project;
    project.name = "rates";
    project.prompt = "a red ball moving right on a black background";
    project.width = probe.side;
    project.height = probe.side;
    project.numFrames = 17;
    project.numInferenceSteps = 4;
    project.gpus = GpuChoice::none();
    if (probe.onDevices) {
        project.devices = std::max(2, availableCpus());
        project.attention = "tokamax_ring";
    }
    if (probe.inBf16)
        project.weightsDtype = project.activationsDtype = "bfloat16";
    return project;
}

namespace {

std::string nameOfStage(const std::string& run, RunStage stage) {
    return fmt::format("{}, {}", run, stage == RunStage::Denoising ? "step" : nameOf(stage));
}

std::string nameOfRest(const std::string& run) {
    return fmt::format("{}, around the steps", run);
}

}  // namespace

bool takeEarlierRun(RateSamples& samples, const std::string& name) {
    bool any = false;
    for (const RunStage stage : runStages)
        any = samples.takeEarlier(nameOfStage(name, stage)) || any;
    return samples.takeEarlier(nameOfRest(name)) || any;
}

std::vector<RateSample> takeSamples(const std::string& name, const ScratchRun& run) {
    std::vector<RateSample> samples;
    for (const RunStage stage : runStages) {
        const bool steps = stage == RunStage::Denoising;
        samples.push_back({.name = nameOfStage(name, stage),
                           .work = 1.0 / (steps ? run.work.steps : 1) * run.work[stage],
                           .arrangement = run.work.arrangement(),
                           .seconds = steps ? run.stepSeconds : run.stages[static_cast<std::size_t>(stage)]});
    }
    samples.push_back({.name = nameOfRest(name),
                       .work = run.work.aroundSteps,
                       .arrangement = run.work.arrangement(),
                       .seconds = run.aroundStepsSeconds});
    return samples;
}

}  // namespace meshreel
