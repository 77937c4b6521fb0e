// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/worker_pool.h"
#include "engine/studies/rates/rate_samples.h"
#include "engine/studies/rates/scratch_run.h"

namespace meshreel {
namespace {

struct RunProbe {
    std::int64_t side;
    bool onDevices = false;  ///< as many as CPUs, in a ring
    bool inBf16 = false;     ///< the transformer
};

constexpr std::array runProbes{RunProbe{64}, RunProbe{160}, RunProbe{.side = 64, .onDevices = true},
                               RunProbe{.side = 128, .inBf16 = true}};

Project probeProject(const RunProbe& probe) {
    Project project;
    project.name = "rates";
    project.prompt = "a red ball moving right on a black background";
    project.width = probe.side;
    project.height = probe.side;
    project.numFrames = 17;
    project.numInferenceSteps = 4;
    if (probe.onDevices) {
        project.devices = std::max(2, availableCpus());
        project.attention = "tokamax_ring";
    }
    if (probe.inBf16)
        project.weightsDtype = project.activationsDtype = "bfloat16";
    return project;
}

/// Stages of a run as samples; of the denoising one step behind the first, and what is no step.
std::vector<RateSample> samplesOf(const std::string& name, const ScratchRun& run) {
    std::vector<RateSample> samples;
    for (const RunStage stage : runStages) {
        const bool steps = stage == RunStage::Denoising;
        samples.push_back({.name = fmt::format("{}, {}", name, steps ? "step" : nameOf(stage)),
                           .work = 1.0 / (steps ? run.work.steps : 1) * run.work[stage],
                           .arrangement = {run.work.devices, run.work.workersPerDevice},
                           .seconds = steps ? run.stepSeconds : run.stages[static_cast<std::size_t>(stage)]});
    }
    samples.push_back({.name = fmt::format("{}, around the steps", name),
                       .work = run.work.aroundSteps,
                       .arrangement = {run.work.devices, run.work.workersPerDevice},
                       .seconds = run.aroundStepsSeconds});
    return samples;
}

}  // namespace

void sampleRuns(RateSamples& samples) {
    for (const RunProbe& probe : runProbes) {
        const std::string name =
            fmt::format("embedded model, {0}x{0}x17{1}{2}", probe.side,
                        probe.onDevices ? ", a ring of devices" : "", probe.inBf16 ? ", bf16" : "");
        for (RateSample& sample : samplesOf(name, runInScratch(probeProject(probe), samples.stop())))
            samples.add(std::move(sample));
    }
}

}  // namespace meshreel
