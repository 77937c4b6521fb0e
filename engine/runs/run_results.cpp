// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_results.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/image.h"
#include "engine/planning/part_sources.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_inputs.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* titleMetadataKey = "title";  // what players show

const StageMemory& plannedOf(const MemoryEstimate& plan, Phase phase) {
    switch (phase) {
        case Phase::Load:
        case Phase::Compile:
            return plan.loading;
        case Phase::Conditioning:
            return plan.conditioning;
        case Phase::Denoise:
            return plan.denoising;
        case Phase::Decode:
            break;
    }
    return plan.decoding;
}

nlohmann::json memoryJson(const MemoryEstimate& plan, const std::vector<PhaseMemory>& phases) {
    nlohmann::json json = nlohmann::json::object();
    for (const PhaseMemory& phase : phases)
        json[std::string(nameOf(phase.phase))] = {{"planned_bytes", plannedOf(plan, phase.phase).total()},
                                                  {"peak_bytes", phase.peak.own},
                                                  {"mapped_file_bytes", phase.peak.mappedFiles}};
    return json;
}

}  // namespace

Project storedProject(const RunPlan& plan) {
    Project project = withFullPaths(plan.project);
    const fs::path asPath = expandTilde(project.model);
    std::error_code failure;
    if (asPath.has_parent_path() && fs::equivalent(asPath, plan.modelFolder, failure))
        project.model = withTilde(fs::absolute(asPath).lexically_normal());
    return project;
}

WrittenVideo writeVideoFiles(const RunFolder& folder, const Project& project, const Tensor& frames) {
    const VideoFormatInfo* format = findVideoFormat(project.videoFormat);
    if (!format)
        throw Error(ErrorKind::Project, "there is no video format named \"" + project.videoFormat + "\"",
                    "video_format", "meshreel keys lists them");
    const Shape& shape = frames.shape();
    const Tensor clip = frames.slice(0, 1).reshaped({shape[1], shape[2], shape[3], shape[4]});
    VideoOptions options;
    options.format = format->format;
    options.fps = project.fps;
    options.quality = static_cast<int>(project.videoQuality);
    options.metadata = {{std::string(projectMetadataKey), resolvedYaml(asStoredIn(folder, project))},
                        {titleMetadataKey, project.prompt}};
    WrittenVideo video = writeVideo(folder.file(run_file::videoStem), clip, options);

    const std::int64_t middle = shape[1] / 2;
    writePng(folder.file(run_file::preview),
             clip.slice(middle, middle + 1).reshaped({shape[2], shape[3], shape[4]}));
    return video;
}

std::string summaryText(const TimingSummary& timings, const std::vector<StepRecord>& steps) {
    return formatTimingSummary(timings) + formatStepSeconds(steps);
}

void writeTimings(const RunFolder& folder, const MemoryEstimate& plan, const GenerationResult& result,
                  const std::vector<StepRecord>& steps, int firstStep) {
    nlohmann::json json = result.timings;
    json["text_encoder_skipped"] = result.textEncoderSkipped;
    json["memory"] = memoryJson(plan, result.memory);
    json["first_step"] = firstStep;
    json["step_seconds"] = nlohmann::json::array();
    for (const StepRecord& step : steps)
        json["step_seconds"].push_back(step.seconds);
    json["expert_switches"] = nlohmann::json::array();
    for (const ExpertSwitch& change : result.expertSwitches)
        json["expert_switches"].push_back(
            {{"step", change.step}, {"expert", change.expert}, {"seconds", change.seconds}});
    folder.write(run_file::timings, json.dump(2) + "\n");
    folder.write(run_file::summary, summaryText(result.timings, steps));
}

}  // namespace meshreel
