// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/media/image.h"
#include "engine/pipelines/loop_seam.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_sources.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/timing_summary.h"

namespace fs = std::filesystem;

namespace meshreel {

std::string numberedName(std::string_view stem, std::int64_t index, std::string_view extension) {
    return fmt::format("{}{}{}", stem, index == 0 ? std::string() : fmt::format("-{}", index + 1), extension);
}

namespace {

/// The key of the project that names the file.
const ProjectKey& keyNaming(const Project& project, const fs::path& file) {
    for (const InputKey& key : inputKeys())
        if (std::ranges::count(inputFiles(project, key), file.string()) > 0)
            return *findProjectKey(key.name);
    return *findProjectKey("audio");
}

}  // namespace

VideoFiles::VideoFiles(const RunFolder& folder, const Project& project, const Project& wanted,
                       const TrustedInputs& trusted, Trace* trace)
    : m_folder(folder),
      m_project(project),
      m_options(videoOptions(wanted)),
      m_writesMetadata(writesMetadata(wanted)),
      m_trace(trace) {
    const fs::path sound = soundFile(wanted);
    if (sound.empty())
        return;
    m_sound.emplace(sound, Links::Follow);
    if (sound == soundFile(project))  // else it is the user's own choice
        trusted.require(keyNaming(project, sound), sound, m_sound->realPath());
    m_options.sound = m_sound->path();
    m_options.convertSound = sound == fs::path(wanted.speech);  // of the video, in whatever form it came
}

double VideoFiles::add(std::int64_t video, const DecodedFrames& part) {
    m_encoding.add([this, video, part] {
        const auto start = std::chrono::steady_clock::now();
        encode(video, part);
        m_encodingSeconds += secondsSince(start);
        m_framesEncoded += part.frames.extent(0);
    });
    const std::int64_t encoded = m_framesEncoded;
    const std::int64_t all = part.total * std::ssize(batchItems(m_project));
    return encoded == 0
               ? 0
               : m_encodingSeconds * static_cast<double>(all - encoded) / static_cast<double>(encoded);
}

WrittenVideo VideoFiles::finish() {
    std::optional<WrittenVideo> first;
    m_encoding.add([this, &first] { first = finishClips(); });
    m_encoding.finish();
    return *first;
}

void VideoFiles::encode(std::int64_t video, const DecodedFrames& part) {
    const Trace::Span span = traceSpan(m_trace, "encode frames", "media");
    auto clip = m_clips.find(video);
    if (clip == m_clips.end()) {
        const Project own = extractProject(m_project, batchItems(m_project)[static_cast<std::size_t>(video)]);
        VideoOptions options = m_options;
        if (m_writesMetadata)
            options.metadata = {{std::string(projectMetadataKey), resolvedYaml(asStoredIn(m_folder, own))},
                                {"title", own.prompt}};
        VideoFile file(m_folder.file(numberedName(run_file::videoStem, video)), options);
        clip = m_clips.emplace(video, Clip{.file = std::move(file), .middle = {}}).first;
    }
    clip->second.file.add(part.frames);
    const std::int64_t middle = part.total / 2 - part.first;
    if (middle < 0 || middle >= part.frames.extent(0))
        return;
    const Tensor frame = part.frames.slice(middle, middle + 1);
    clip->second.middle = frame.reshaped({frame.extent(1), frame.extent(2), frame.extent(3)});
}

WrittenVideo VideoFiles::finishClips() {
    const fs::path preview(run_file::preview);
    std::optional<WrittenVideo> first;
    for (auto& [video, clip] : m_clips) {
        const WrittenVideo written = clip.file.finish();
        writePng(m_folder.file(numberedName(preview.stem().string(), video, preview.extension().string())),
                 clip.middle);
        if (!first)
            first = written;
    }
    if (!first)
        throw Error(ErrorKind::Internal, "a run has no video to finish");
    if (m_clips.size() > 1) {
        const Sentence count = sentence("{} videos were written", m_clips.size());
        first->note = first->note.empty() ? count : sentence("{} {}", first->note, count);
    }
    return *first;
}

namespace {

/// The run, as far as it can be compared with.
RunFolder comparableRun(const Project& project) {
    const fs::path path = expandTilde(project.compareWith);
    RunFolder folder = RunFolder::open(path);
    if (!folder.has(run_file::latents))
        throw Error(ErrorKind::Input, sentence("the run to compare with has no latents yet"), withTilde(path),
                    sentence("Finish it first, or remove compare_with"));
    const Project other = folder.project();
    if (other.width != project.width || other.height != project.height ||
        other.numFrames != project.numFrames)
        throw Error(ErrorKind::Input,
                    sentence("the run to compare with is {}x{} with {} frames, and this one {}x{} with {}",
                             other.width, other.height, other.numFrames, project.width, project.height,
                             project.numFrames),
                    withTilde(path), sentence("Compare runs of one size and length"));
    return folder;
}

}  // namespace

void requireComparable(const Project& project) {
    if (!project.compareWith.empty())
        static_cast<void>(comparableRun(project));
}

std::optional<RunComparison> compareRun(const RunContext& machine, const RunPlan& plan, const Tensor& frames,
                                        double denoiseSeconds) {
    if (plan.project.compareWith.empty())
        return std::nullopt;
    const RunFolder folder = comparableRun(plan.project);
    const Tensor reference = decodeAlone(machine, plan, folder.latents());
    RunComparison comparison{.with = folder.path(), .distance = measureDistance(frames, reference)};
    if (const auto timings = folder.timings())
        comparison.seconds = timings->denoiseTotal - denoiseSeconds;
    return comparison;
}

std::string formatComparison(const RunComparison& comparison) {
    const std::string psnr =
        std::isinf(comparison.distance.psnr)
            ? "the same frames"
            : fmt::format("PSNR {:.2f} dB, SSIM {:.4f}", comparison.distance.psnr, comparison.distance.ssim);
    return fmt::format("Against {}: {}, denoising {:.1f} s {}", withTilde(comparison.with), psnr,
                       std::abs(comparison.seconds), comparison.seconds < 0 ? "longer" : "shorter");
}

RunComparison readComparison(const nlohmann::json& json) {
    const nlohmann::json& psnr = json.at("psnr");
    return {
        .with = json.at("with").get<std::string>(),
        .distance = {.psnr = psnr.is_null() ? std::numeric_limits<double>::infinity() : psnr.get<double>(),
                     .ssim = json.at("ssim").get<double>()},
        .seconds = json.at("denoise_seconds_saved").get<double>()};
}

Project storedProject(const RunPlan& plan) {
    Project project = withFullPaths(plan.project);
    // The curve itself, so that the run can be resumed and repeated whatever becomes of its file.
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

Project withVideoChanges(Project project, const std::vector<std::string>& changes) {
    for (const std::string& change : changes) {
        const std::string key = change.substr(0, change.find('='));
        if (std::ranges::find(videoKeys, key) == videoKeys.end())
            throw Error(
                ErrorKind::Project, sentence("a run that has begun keeps its {}", key), "--set",
                sentence("Change only {}, or start a new run", fmt::to_string(fmt::join(videoKeys, ", "))));
        applyOverride(project, change);
    }
    const VideoOptions video = videoOptions(project);
    requireWritable(video);
    if ((project.interpolate > 1 || project.upscale > 1) && !holdsSound(video.format))
        throw Error(ErrorKind::Project, sentence("a video that is finished is MP4 or WebM"), "--set",
                    sentence("Write video_format: mp4"));
    return project;
}

namespace {

const StageMemory& findPlanned(const MemoryEstimate& plan, Phase phase) {
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
        json[std::string(enumName(phase.phase))] = {{"planned_bytes", findPlanned(plan, phase.phase).total()},
                                                    {"peak_bytes", phase.peak.own},
                                                    {"mapped_file_bytes", phase.peak.mappedFiles}};
    return json;
}

/// The PSNR of equal frames is null.
nlohmann::json comparisonJson(const RunComparison& comparison) {
    const double psnr = comparison.distance.psnr;
    return {{"with", comparison.with.string()},
            {"psnr", std::isinf(psnr) ? nlohmann::json() : nlohmann::json(psnr)},
            {"ssim", comparison.distance.ssim},
            {"denoise_seconds_saved", comparison.seconds}};
}

/// The timing summary block, the seconds per step, and what a step cache saved.
std::string summaryText(const TimingSummary& timings, const std::vector<StepRecord>& steps,
                        const StepSavings& savings, std::span<const int> resumedFrom) {
    return formatTimingSummary(timings) + formatStepSeconds(steps) + formatSavings(savings, steps.size()) +
           formatRunNotes(timings, resumedFrom);
}

/// Which GPUs computed what, and the CPU beside them, or why none did where the project left it to the plan.
std::string describeGpus(const RunPlan& plan) {
    if (!plan.placement.whyNoGpu().empty())
        return fmt::format("  Computed by the CPU: {}\n", plan.placement.whyNoGpu());
    std::string text;
    for (const ChosenGpu& gpu : plan.placement.gpus)
        text += fmt::format("  Computed by GPU {}, {}\n", describeGpu(gpu),
                            partsOnGpu(plan.placement, &gpu == plan.placement.gpus.data()));
    if (const std::string parts = partsOnCpu(plan.placement); !parts.empty())
        text += fmt::format("  Computed by the CPU: {}\n", parts);
    return text;
}

}  // namespace

void writeTimings(const RunFolder& folder, const RunPlan& plan, const GenerationResult& result,
                  const std::vector<StepRecord>& steps, int firstStep,
                  const std::optional<RunComparison>& comparison) {
    nlohmann::json json = result.timings;
    json["text_encoder_skipped"] = result.textEncoderSkipped;
    json["memory"] = memoryJson(plan.memory, result.memory);
    json["first_step"] = firstStep;
    json["step_seconds"] = nlohmann::json::array();
    for (const StepRecord& step : steps)
        json["step_seconds"].push_back(step.seconds);
    json["expert_switches"] = nlohmann::json::array();
    for (const ExpertSwitch& change : result.expertSwitches)
        json["expert_switches"].push_back(
            {{"step", change.step}, {"expert", change.expert}, {"seconds", change.seconds}});
    const std::vector<int> resumedFrom = folder.state().resumedFrom;
    const StepSavings savings = computeSavings(steps, resumedFrom);
    json["shortened_steps"] = savings.shortened;
    json["saved_seconds"] = savings.seconds;
    std::string summary = summaryText(result.timings, steps, savings, resumedFrom);
    if (const std::optional<ClipSeam>& seam = result.clipSeam) {
        json["continued"] = {
            {"shared_frames", plan.continuedFrames}, {"seam", seam->joint}, {"neighbours", seam->neighbours}};
        summary += fmt::format(
            "  Seam to the clip before: {:.2f} levels of 255 (neighbouring frames {:.2f}), "
            "behind {} shared frames\n",
            seam->joint, seam->neighbours, plan.continuedFrames);
    }
    summary += describeGpus(plan);
    if (comparison) {
        json["comparison"] = comparisonJson(*comparison);
        summary += fmt::format("  {}\n", formatComparison(*comparison));
    }
    folder.write(run_file::timings, json.dump(2) + "\n");
    folder.write(run_file::summary, summary);
}

RunWriter::RunWriter(const RunFolder& folder, Log& log, EventSink next)
    : m_folder(folder), m_log(log), m_steps(folder.steps()), m_next(std::move(next)) {
    // Written anew, so that rows can be added: a kill may have left the beginning of one.
    if (!m_steps.empty())
        folder.writeSteps(m_steps);
    if (const std::vector<StepDeviceTimes> times = folder.deviceTimes(); !times.empty())
        folder.writeDeviceTimes(times);
}

void RunWriter::operator()(const RunEvent& event) {
    handle(
        event, [&](const PhaseStarted& started) { m_log.info("{} started", enumName(started.phase)); },
        [&](const PhaseFinished& finished) {
            m_log.info("{} finished after {:.3f} s", enumName(finished.phase), finished.seconds);
        },
        // Ahead of its step: a row of steps.csv promises that the step need not be computed again.
        [&](const RunCheckpoint& checkpoint) { m_folder.writeCheckpoint(checkpoint); },
        [&](const StepRecord& step) { write(step); },
        [&](const StepDeviceTimes& times) { m_folder.appendDeviceTimes(times); },
        [&](const LatentsReady& ready) { m_folder.writeLatents(ready.latents); },
        [&](const VideoWritten& video) { m_log.info("video written: {}", video.file.filename().string()); },
        [&](const RunMessage& message) {
            m_log.log(message.level == MessageLevel::Warning ? spdlog::level::warn : spdlog::level::info,
                      "{}", message.text);
        });
    m_next(event);
}

void RunWriter::write(const StepRecord& step) {
    m_steps.push_back(step);
    m_folder.appendStep(step);
    m_log.info("step {} finished after {:.3f} s", step.step + 1, step.seconds);
}

}  // namespace meshreel
