// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/scratch_run.h"

#include <functional>
#include <numeric>
#include <vector>

#include "engine/base/median.h"
#include "engine/base/scratch_folder.h"
#include "engine/runs/run_session.h"

namespace meshreel {
namespace {

/// Keeps what the run's plan is made of.
class WorkKeeper : public RunObserver {
  public:
    void planned(const RunPlan& plan) override { m_work = runWorkOf(plan); }
    [[nodiscard]] const RunWork& work() const { return m_work; }

  private:
    RunWork m_work;
};

double stepSeconds(const std::vector<StepRecord>& steps) {
    std::vector<double> seconds;
    for (std::size_t step = steps.size() > 1 ? 1 : 0; step < steps.size(); ++step)
        seconds.push_back(steps[step].seconds);
    return seconds.empty() ? 0 : medianOf(std::move(seconds));
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
    WorkKeeper keeper;
    const RunOutcome outcome =
        runProject({.project = project, .outFolder = folder.path() / "run", .options = {}}, keeper, stop);
    const TimingSummary& timings = outcome.timings.value();
    return {.work = keeper.work(),
            .stepSeconds = stepSeconds(outcome.steps),
            .aroundStepsSeconds = timings.denoiseTotal - allSteps(outcome.steps),
            .stages = {timings.load + timings.compile, timings.conditioning, timings.denoiseTotal,
                       timings.vaeDecode}};
}

}  // namespace meshreel
