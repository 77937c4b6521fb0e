// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/charts/charted_runs.h"

#include "engine/runs/records/pair_ranking.h"

namespace meshreel::testing {

std::vector<StepRecord> someSteps() {
    std::vector<StepRecord> steps;
    for (int i = 0; i < stepCount; ++i)
        steps.push_back(
            {i, 1000.0 - i, 1.0 - 0.05 * i, 0.25 + 0.01 * (i % 3), -3.0 + 0.1 * i, 3.0 - 0.1 * i, 0.01 * i});
    return steps;
}

RunRecord someRun(int devices) {
    RunRecord run{.name = "run-" + std::to_string(devices),
                  .attention = "ulysses",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = devices,
                  .workersPerDevice = 1,
                  .steps = someSteps(),
                  .timings = TimingSummary{.hasTrace = true},
                  .trace = {}};
    for (StepRecord& step : run.steps)
        step.seconds /= devices;
    run.blockQ = 256 * devices;
    run.blockKv = 512;
    run.memory = {{.phase = "Load", .planned = 1U << 20, .held = 2U << 20, .mappedFiles = 0},
                  {.phase = "Denoise", .planned = 5U << 20, .held = 4U << 20, .mappedFiles = 1U << 20}};
    run.timings->load = 1;
    run.timings->denoiseTotal = 3 / devices;
    for (int step = 0; step < stepCount; ++step)
        run.deviceTimes.push_back({.step = step,
                                   .devices = {{.computing = 0.125, .exchanging = 0.0625, .waiting = 0.0625},
                                               {.computing = 0.25, .exchanging = 0, .waiting = 0}}});
    return run;
}

namespace {

/// As if somebody had voted on them: an opinion of each, and a third with the setting of the first.
void rate(std::vector<RunRecord>& runs) {
    runs.push_back(someRun(1));
    const std::vector<PairOutcome> outcomes{{0, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 1, 0.5}};
    const PairRanking ranking(2, outcomes);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const std::size_t setting = run % 2;
        runs[run].rating = {.setting = setting == 0 ? "num_inference_steps 20" : "num_inference_steps 30",
                            .ranked = ranking.items()[setting]};
        runs[run].timings->inference = 40.0 + 20 * static_cast<double>(run);
    }
}

}  // namespace

std::vector<RunRecord> runsOf(ChartKind kind) {
    if (chartKinds()[static_cast<std::size_t>(kind)].oneRun)
        return {someRun(1)};
    std::vector<RunRecord> runs{someRun(1), someRun(2)};
    if (kind == ChartKind::Tiles)
        runs[1].devices = runs[0].devices;
    if (kind == ChartKind::Scaling) {
        runs.push_back(someRun(2));
        for (StepRecord& step : runs.back().steps)
            step.seconds *= 1.3;
    }
    if (kind == ChartKind::Quality)
        rate(runs);
    for (RunRecord& run : runs)
        run.steps.back().expert = 2;
    return runs;
}

}  // namespace meshreel::testing
