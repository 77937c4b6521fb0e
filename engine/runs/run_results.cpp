// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/image.h"
#include "engine/planning/model/part_sources.h"
#include "engine/project/batch.h"
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
        case Phase::Format:
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
    // The curve itself, so that the run can be continued and repeated whatever becomes of its file.
    if (!project.magRatiosFile.empty() && plan.stepCache.kind == StepCacheKind::Mag) {
        project.magRatiosBase = fmt::to_string(fmt::join(plan.stepCache.curve, ", "));
        project.magRatiosFile.clear();
    }
    const fs::path asPath = expandTilde(project.model);
    std::error_code failure;
    if (asPath.has_parent_path() && fs::equivalent(asPath, plan.modelFolder, failure))
        project.model = withTilde(fs::absolute(asPath).lexically_normal());
    return project;
}

namespace {

/// "video", and of further videos of a batch "video-2".
std::string numbered(std::string_view stem, std::size_t index, std::string_view extension = {}) {
    return fmt::format("{}{}{}", stem, index == 0 ? std::string() : fmt::format("-{}", index + 1), extension);
}

/// Video `index` of the run: its file with its own project inside, and its preview.
WrittenVideo writeVideoFile(const RunFolder& folder, const Project& project, const VideoFormatInfo& format,
                            std::size_t index, const Tensor& clip) {
    VideoOptions options;
    options.format = format.format;
    options.fps = project.fps;
    options.quality = static_cast<int>(project.videoQuality);
    options.metadata = {{std::string(projectMetadataKey), resolvedYaml(asStoredIn(folder, project))},
                        {titleMetadataKey, project.prompt}};
    WrittenVideo video = writeVideo(folder.file(numbered(run_file::videoStem, index)), clip, options);
    const std::int64_t middle = clip.extent(0) / 2;
    const fs::path preview(run_file::preview);
    writePng(folder.file(numbered(preview.stem().string(), index, preview.extension().string())),
             clip.slice(middle, middle + 1).reshaped({clip.extent(1), clip.extent(2), clip.extent(3)}));
    return video;
}

}  // namespace

WrittenVideo writeVideoFiles(const RunFolder& folder, const Project& project, const Tensor& frames) {
    const VideoFormatInfo* format = findVideoFormat(project.videoFormat);
    if (!format)
        throw Error(ErrorKind::Project,
                    sentence("there is no video format named \"{}\"", project.videoFormat), "video_format",
                    sentence("meshreel keys lists them"));
    const Shape& shape = frames.shape();
    const std::vector<BatchItem> items = batchItems(project);
    std::optional<WrittenVideo> first;
    for (std::size_t index = 0; index < items.size(); ++index) {
        const auto row = static_cast<std::int64_t>(index);
        const Tensor clip = frames.slice(row, row + 1).reshaped({shape[1], shape[2], shape[3], shape[4]});
        WrittenVideo video = writeVideoFile(folder, projectOf(project, items[index]), *format, index, clip);
        if (!first)
            first = std::move(video);
    }
    if (items.size() > 1) {
        const Sentence count = sentence("{} videos were written", items.size());
        first->note = first->note.empty() ? count : sentence("{} {}", first->note, count);
    }
    return *first;
}

std::string summaryText(const TimingSummary& timings, const std::vector<StepRecord>& steps,
                        const StepSavings& savings) {
    return formatTimingSummary(timings) + formatStepSeconds(steps) + formatSavings(savings, steps.size());
}

void writeTimings(const RunFolder& folder, const MemoryEstimate& plan, const GenerationResult& result,
                  const std::vector<StepRecord>& steps, int firstStep,
                  const std::optional<RunComparison>& comparison) {
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
    const StepSavings savings = savingsOf(steps, folder.state().resumedFrom);
    json["shortened_steps"] = savings.shortened;
    json["saved_seconds"] = savings.seconds;
    std::string summary = summaryText(result.timings, steps, savings);
    if (comparison) {
        json["comparison"] = comparisonJson(*comparison);
        summary += fmt::format("  {}\n", formatComparison(*comparison));
    }
    folder.write(run_file::timings, json.dump(2) + "\n");
    folder.write(run_file::summary, summary);
}

}  // namespace meshreel
