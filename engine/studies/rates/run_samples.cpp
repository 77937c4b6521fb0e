// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "engine/studies/rates/rate_samples.h"
#include "engine/studies/rates/scratch_run.h"

namespace meshreel {
namespace {

constexpr std::array<std::int64_t, 2> sides{64, 160};

Project projectOf(std::int64_t side) {
    Project project;
    project.name = "rates";
    project.prompt = "a red ball moving right on a black background";
    project.width = side;
    project.height = side;
    project.numFrames = 17;
    project.numInferenceSteps = 4;
    return project;
}

/// Stages of a run as samples; of the denoising one step behind the first.
std::vector<RateSample> samplesOf(const std::string& name, const ScratchRun& run) {
    std::vector<RateSample> samples;
    for (const RunStage stage : runStages) {
        const bool steps = stage == RunStage::Denoising;
        samples.push_back({.name = fmt::format("{}, {}", name, steps ? "step" : nameOf(stage)),
                           .work = 1.0 / (steps ? run.work.steps : 1) * run.work[stage],
                           .arrangement = {run.work.devices, run.work.workersPerDevice},
                           .seconds = steps ? run.stepSeconds : run.stages[static_cast<std::size_t>(stage)]});
    }
    return samples;
}

}  // namespace

void sampleRuns(RateSamples& samples) {
    for (const std::int64_t side : sides) {
        static_cast<void>(runInScratch(projectOf(side), samples.stop()));  // meets cold pages
        for (RateSample& sample : samplesOf(fmt::format("embedded model, {0}x{0}x17", side),
                                            runInScratch(projectOf(side), samples.stop())))
            samples.add(std::move(sample));
    }
}

}  // namespace meshreel
