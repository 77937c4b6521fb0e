// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/record_benchmarks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_writer.h"
#include "engine/timing/step_record.h"

namespace meshreel {
namespace {

/// Writes `count` steps from number `first` on; returns the seconds that this took.
double writeSteps(RunWriter& writer, int first, int count, int devices) {
    using Clock = std::chrono::steady_clock;
    const std::vector<DeviceTime> times(
        static_cast<std::size_t>(devices),
        {.computing = 0.1, .exchanging = 0.01, .waiting = 0.001, .bytesReceived = 1});
    const Clock::time_point start = Clock::now();
    for (int step = first; step < first + count; ++step) {
        writer(StepRecord{.step = step, .seconds = 0.111});
        writer(StepDeviceTimes{.step = step, .devices = times});
    }
    return secondsSince(start);
}

}  // namespace

void benchmarkRecords(BenchmarkRun& run) {
    if (!run.wantsAny("records."))
        return;
    constexpr int steps = 10000;
    constexpr int part = 1000;
    constexpr int devices = 128;
    const ScratchFolder scratch;
    const RunFolder folder = RunFolder::create(scratch.path() / "run");
    const LogPtr log = silentLog();
    RunWriter writer(folder, *log, ignoreEvent);
    std::vector<double> seconds;
    for (int first = 0; first < steps; first += part) {
        throwIfStopped(run.execution().stop);
        seconds.push_back(writeSteps(writer, first, part, devices));
    }
    const std::string firstRow = fmt::format("records.{}_devices.first_{}_steps", devices, part);
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    run.add({.name = firstRow, .value = seconds.front(), .unit = "s", .of = firstRow, .rounds = 1});
    run.add({.name = fmt::format("records.{}_devices.last_{}_steps", devices, part),
             .value = seconds.back(),
             .unit = "s",
             .ratio = seconds.back() / seconds.front(),
             .of = firstRow,
             .rounds = 1,
             .details = {{"steps", steps}, {"total_seconds", total}}});
}

}  // namespace meshreel
