// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/scratch_run.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/numbers.h"
#include "engine/events/run_event.h"
#include "engine/planning/plan_work.h"
#include "engine/runs/run_session.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {
namespace {

double stepSeconds(const std::vector<StepRecord>& steps) {
    std::vector<double> seconds;
    for (std::size_t step = steps.size() > 1 ? 1 : 0; step < steps.size(); ++step)
        seconds.push_back(steps[step].seconds);
    return seconds.empty() ? 0 : computeMedian(std::move(seconds));
}

double allSteps(const std::vector<StepRecord>& steps) {
    return std::transform_reduce(steps.begin(), steps.end(), 0.0, std::plus<>(),
                                 [](const StepRecord& step) { return step.seconds; });
}

}  // namespace

double ScratchRun::total() const {
    return std::accumulate(stages.begin(), stages.end(), 0.0);
}

ScratchRun runInScratch(const Project& project, const StopToken& stop) {
    const ScratchFolder folder;
    RunWork work;
    const auto keepWork = [&work](const RunEvent& event) {
        handle(event, [&](const Planned& planned) { work = measureWork(*planned.plan); });
    };
    const RunOutcome outcome =
        runProject({.project = project, .outFolder = folder.path() / "run", .options = {}}, keepWork, stop);
    const TimingSummary& timings = outcome.timings.value();
    return {.work = work,
            .stepSeconds = stepSeconds(outcome.steps),
            .aroundStepsSeconds = timings.denoiseTotal - allSteps(outcome.steps),
            .stages = {timings.load + timings.compile, timings.conditioning, timings.denoiseTotal,
                       timings.vaeDecode}};
}

}  // namespace meshreel
