// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_verdict.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <vector>

namespace meshreel {
namespace {

/// What the repeats of a run took.
struct RepeatedTimes {
    std::vector<double> ofRuns;
    std::vector<double> ofSteps;
    std::size_t fewestSteps = 0;  ///< that a run gives times of
};

void addTimes(const RunRecord& run, SpeedOf of, RepeatedTimes& times) {
    if (of == SpeedOf::Inference) {
        if (run.timings)
            times.ofRuns.push_back(run.timings->inference);
        return;
    }
    const std::vector<double> steps = run.stepTimes();
    if (steps.empty())
        return;
    times.fewestSteps = times.ofRuns.empty() ? steps.size() : std::min(times.fewestSteps, steps.size());
    times.ofRuns.push_back(*run.warmStepSeconds());
    std::ranges::copy(steps, std::back_inserter(times.ofSteps));
}

RepeatedTimes repeatedTimes(std::span<const RunRecord> runs, const RunRecord& run, SpeedOf of) {
    RepeatedTimes times;
    addTimes(run, of, times);
    for (const RunRecord& other : runs)
        if (&other != &run && areRepeats(other, run))
            addTimes(other, of, times);
    return times;
}

}  // namespace

bool areRepeats(const RunRecord& a, const RunRecord& b) {
    const auto recorded = [](const RunRecord& of) {
        return std::tie(of.attention, of.width, of.height, of.frames, of.devices, of.workersPerDevice,
                        of.ulysses, of.ring, of.blockQ, of.blockKv, of.settings);
    };
    return !a.pasted && !b.pasted && recorded(a) == recorded(b);
}

std::optional<Verdict> verdictAgainst(std::span<const RunRecord> runs, const RunRecord& reference,
                                      const RunRecord& run, SpeedOf of) {
    const std::optional<double> speed = speedAgainst(reference, run, of);
    if (!speed || &reference == &run)
        return std::nullopt;
    if (run.pasted)  // one time each
        return judge(std::array{*speed}, std::array{1.0});
    const std::span<const RunRecord> others =
        areRepeats(reference, run) ? std::span<const RunRecord>() : runs;
    const RepeatedTimes was = repeatedTimes(others, reference, of);
    const RepeatedTimes is = repeatedTimes(others, run, of);
    const Verdict ofRuns = judge(was.ofRuns, is.ofRuns);
    if (of == SpeedOf::Inference || ofRuns.difference != Difference::TooFew)
        return ofRuns;
    return judge(was.ofSteps, is.ofSteps,
                 {.samplesPerRepeat = static_cast<int>(std::min(was.fewestSteps, is.fewestSteps))});
}

}  // namespace meshreel
