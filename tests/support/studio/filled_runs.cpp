// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/filled_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"

namespace meshreel::testing {

namespace {

constexpr int steps = 12;
constexpr double stepSeconds = 61.5;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

std::vector<StepRecord> stepsOf(int count, double seconds) {
    constexpr double timesteps = 1000;
    std::vector<StepRecord> records;
    for (int step = 0; step < count; ++step) {
        const double sigma = 1.0 - static_cast<double>(step) / steps;
        records.push_back({.step = step,
                           .timestep = timesteps * sigma,
                           .sigma = sigma,
                           .seconds = step == 0 ? 2 * seconds : seconds,
                           .latentMin = -3,
                           .latentMax = 3});
    }
    return records;
}

std::vector<StepDeviceTimes> deviceTimesOf(int count, int devices) {
    std::vector<StepDeviceTimes> times;
    for (int step = 0; step < count; ++step) {
        StepDeviceTimes row{.step = step, .devices = {}};
        for (int device = 0; device < devices; ++device)
            row.devices.push_back({.computing = 0.6 * stepSeconds,
                                   .exchanging = 0.1 * stepSeconds * (device + 1),
                                   .waiting = 0.1 * stepSeconds,
                                   .bytesReceived = (device + 1) * gibibyte});
        times.push_back(row);
    }
    return times;
}

/// Some spans of every device.
nlohmann::json traceOf(int devices) {
    constexpr double microseconds = 1e6;
    auto events = nlohmann::json::array();
    for (int device = 0; device < devices; ++device)
        for (int step = 0; step < 3; ++step)
            for (const auto& [name, category, begin, length] :
                 {std::tuple{"Self-attention", "attention", 0.0, 0.5},
                  std::tuple{"Exchange", "comm", 0.5, 0.2}, std::tuple{"Feed-forward", "compute", 0.7, 0.3}})
                events.push_back({{"name", name},
                                  {"cat", category},
                                  {"ph", "X"},
                                  {"ts", (step + begin) * stepSeconds * microseconds},
                                  {"dur", length * stepSeconds * microseconds},
                                  {"pid", 1},
                                  {"tid", device}});
    return {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
}

nlohmann::json timingsWithMemory() {
    nlohmann::json timings = filledTimings();
    for (const char* phase : {"Load", "Compile", "Conditioning", "Denoise", "Decode"})
        timings["memory"][phase] = {{"planned_bytes", 11 * gibibyte},
                                    {"peak_bytes", 10 * gibibyte},
                                    {"mapped_file_bytes", 3 * gibibyte}};
    return timings;
}

/// Grey frames that become lighter.
void writeFrames(const RunFolder& run, std::uint8_t first) {
    constexpr std::int64_t count = 5;
    constexpr std::int64_t side = 32;
    constexpr std::int64_t channels = 3;
    std::vector<std::uint8_t> values;
    for (std::int64_t frame = 0; frame < count; ++frame)
        values.insert(values.end(), static_cast<std::size_t>(side * side * channels),
                      static_cast<std::uint8_t>(first + 10 * frame));
    VideoOptions options;
    options.format = VideoFormat::Png;
    writeVideo(run.file(run_file::videoStem),
               Tensor::from<std::uint8_t>({count, side, side, channels}, values), options);
}

RunState stateOf(const Project& project, RunStatus status, const std::string& started) {
    RunState state;
    state.status = status;
    state.started = started;
    state.finished = started;
    state.name = project.name;
    state.prompt = project.prompt;
    state.steps = steps;
    state.outline = {.model = project.model,
                     .width = project.width,
                     .height = project.height,
                     .frames = project.numFrames,
                     .attention = project.attention,
                     .mesh = {.context = static_cast<int>(std::max<std::int64_t>(1, project.devices))}};
    return state;
}

/// With what every run has from its beginning.
RunFolder makeFolder(const std::filesystem::path& path, const Project& project, const RunState& state) {
    const auto devices = std::max<std::int64_t>(1, project.devices);
    RunFolder run = RunFolder::create(path);
    run.write(run_file::project, resolvedYaml(project));
    run.write(
        run_file::environment,
        nlohmann::json{{"devices", devices}, {"workers_per_device", 2}, {"mesh", {{"context", devices}}}}
            .dump());
    run.writeState(state);
    return run;
}

void finish(const RunFolder& run, std::uint8_t firstLevel) {
    run.write(run_file::timings, timingsWithMemory().dump());
    run.write(run_file::summary, formatTimingSummary(filledTimings()));
    writeFrames(run, firstLevel);
}

}  // namespace

Project filledProject() {
    Project project;
    project.name = "harbour-at-dawn-second-attempt";
    project.prompt =
        "A wooden fishing boat leaves a small harbour at dawn, seagulls circle above the mast, slow pan from "
        "left "
        "to right, soft light through morning mist";
    project.negativePrompt = "blurred, overexposed, static, text, subtitles, worst quality";
    project.seed = 1742583911;
    project.numInferenceSteps = steps;
    project.devices = 4;
    project.attention = "ulysses_ring";
    project.ulyssesShards = 2;
    return project;
}

TimingSummary filledTimings() {
    return {.load = 12.25,
            .compile = 4.5,
            .inference = 812.125,
            .hasTrace = true,
            .conditioning = 21.5,
            .denoiseTotal = steps * stepSeconds,
            .vaeDecode = 52.5,
            .compute = 48.25,
            .hostFormatting = 4.25};
}

FilledRuns writeFilledRuns(const std::filesystem::path& folder) {
    const FilledRuns runs{.done = folder / "20261121-084500-harbour-at-dawn-second-attempt",
                          .alone = folder / "20261120-210000-harbour-at-dawn",
                          .failed = folder / "20261119-170000-harbour-at-noon",
                          .cancelled = folder / "20261118-120000-harbour-at-night"};
    Project project = filledProject();
    const RunFolder done =
        makeFolder(runs.done, project, stateOf(project, RunStatus::Done, "2026-11-21T08:45:00+0100"));
    done.writeSteps(stepsOf(steps, stepSeconds));
    done.writeDeviceTimes(deviceTimesOf(steps, static_cast<int>(project.devices)));
    done.write(run_file::trace, traceOf(static_cast<int>(project.devices)).dump());
    finish(done, 40);
    writeRunNotes(runs.done,
                  {.tags = {"best so far", "for the exhibition in spring"},
                   .note = "The mast bends in the last second; try more steps and less guidance."});

    RunState cancelled = stateOf(project, RunStatus::Cancelled, "2026-11-18T12:00:00+0100");
    cancelled.why = "Stopped after step 6.";
    const RunFolder half = makeFolder(runs.cancelled, project, cancelled);
    half.writeSteps(stepsOf(steps / 2, stepSeconds));
    half.writeDeviceTimes(deviceTimesOf(steps / 2, static_cast<int>(project.devices)));

    project.devices = 1;
    project.attention = "flash";
    project.useTeacache = true;
    project.name = "harbour-at-dawn";
    const RunFolder alone =
        makeFolder(runs.alone, project, stateOf(project, RunStatus::Done, "2026-11-20T21:00:00+0100"));
    std::vector<StepRecord> cachedSteps = stepsOf(steps, 3 * stepSeconds);
    cachedSteps[steps - 3].work = StepWork::Nothing;
    cachedSteps[steps - 2].work = StepWork::Nothing;
    alone.writeSteps(cachedSteps);
    finish(alone, 60);

    RunState failed = stateOf(project, RunStatus::Failed, "2026-11-19T17:00:00+0100");
    failed.why = "The disk is full: steps.csv cannot be written. Free some room and resume the run.";
    makeFolder(runs.failed, project, failed);
    return runs;
}

}  // namespace meshreel::testing
