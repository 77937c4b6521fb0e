// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/timing_summary.h"

namespace meshreel::testing {

/// What makes a run with a video, without computing anything.
struct JudgedRunOptions {
    std::string prompt = "a ball";
    int steps = 20;
    int seed = 1;
    std::uint8_t level = 100;  ///< grey of its first frame; the next are lighter
    double inference = 10;     ///< seconds
    bool hasVideo = true;
    std::int64_t frames = 5;
    std::int64_t devices = 0;
};

/// A finished run with a video of grey frames, 32 x 32.
inline void makeJudgedRun(const std::filesystem::path& path, const JudgedRunOptions& options) {
    constexpr std::int64_t side = 32;
    Project project;
    project.name = path.filename().string();
    project.prompt = options.prompt;
    project.seed = options.seed;
    project.numInferenceSteps = options.steps;
    project.devices = options.devices;
    project.fps = 8;
    const RunFolder run = RunFolder::create(path);
    run.write(run_file::project, resolvedYaml(project));
    run.write(run_file::environment, "{}");
    TimingSummary timings;
    timings.inference = options.inference;
    run.write(run_file::timings, nlohmann::json(timings).dump());
    if (options.hasVideo) {
        std::vector<std::uint8_t> values;
        for (std::int64_t frame = 0; frame < options.frames; ++frame)
            values.insert(values.end(), static_cast<std::size_t>(side * side * 3),
                          static_cast<std::uint8_t>(options.level + 4 * frame));
        VideoOptions video;
        video.format = VideoFormat::Png;
        writeVideo(run.file(run_file::videoStem),
                   Tensor::from<std::uint8_t>({options.frames, side, side, 3}, values), video);
    }
    RunState state;
    state.status = RunStatus::Done;
    state.started = "2026-11-21T08:00:00+0000";
    state.name = project.name;
    state.prompt = project.prompt;
    state.steps = options.steps;
    run.writeState(state);
}

}  // namespace meshreel::testing
