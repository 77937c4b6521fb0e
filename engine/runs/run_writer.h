// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/background_work.h"
#include "engine/base/held_file.h"
#include "engine/base/log.h"
#include "engine/events/run_event.h"
#include "engine/media/frame_comparison.h"
#include "engine/media/video_writer.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_folder.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// Returns the name of a video's file in a run folder: "video", and of further videos of a batch "video-2",
/// with the extension.
std::string numberedName(std::string_view stem, std::int64_t index, std::string_view extension = {});

/// The videos of a run, encoded while they are decoded, by a thread of its own: video.* with the project
/// inside and preview.png (the middle frame); of further videos of a batch video-2.* and preview-2.png and so
/// on, each with the project of that video alone. The files appear in finish(): without it, nothing of them
/// is left, and those of an earlier decoding stay.
class VideoFiles {
  public:
    /// `wanted`: whose videoKeys say how to write. The references outlive it. Throws ProjectError for sound
    /// of the project that is not `trusted` in its place.
    VideoFiles(const RunFolder& folder, const Project& project, const Project& wanted,
               const TrustedInputs& trusted, Trace* trace);

    /// Adds the next frames of a video, a DecodedPart; returns at once. Throws what encoding earlier frames
    /// threw: see VideoFile.
    double add(std::int64_t video, const DecodedFrames& part);

    /// Once every frame was added. Returns the first video. Throws as add() does.
    WrittenVideo finish();

  private:
    struct Clip {
        VideoFile file;
        Tensor middle;  // [height, width, 3]
    };

    void encode(std::int64_t video, const DecodedFrames& part);
    [[nodiscard]] WrittenVideo finishClips();

    const RunFolder& m_folder;
    const Project& m_project;
    VideoOptions m_options;
    std::optional<HeldFile> m_sound;  // what m_options.sound names
    bool m_writesMetadata;
    Trace* m_trace;
    std::atomic<double> m_encodingSeconds = 0;
    std::atomic<std::int64_t> m_framesEncoded = 0;
    std::map<std::int64_t, Clip> m_clips;  // for the encoding thread
    BackgroundWork m_encoding;             // last: it uses the others
};

/// How far a run's frames are from those of the run that its project compares it with.
struct RunComparison {
    std::filesystem::path with;
    FrameDistance distance;
    double seconds = 0;  ///< that the other run's denoising took longer; negative: shorter
};

/// Throws Error{Input} when compare_with does not name a finished run, or names one of another size.
void requireComparable(const Project& project);

/// Returns nothing without compare_with. Decodes the other run's latents again, in this process alone: its
/// video file may be lossy. Throws Error{Input} as requireComparable() does.
std::optional<RunComparison> compareRun(const RunContext& machine, const RunPlan& plan, const Tensor& frames,
                                        double denoiseSeconds);

/// "Against RUN: PSNR 34.12 dB, SSIM 0.9712, denoising 12.3 s shorter"
std::string formatComparison(const RunComparison& comparison);

/// Returns a comparison as timings.json holds it.
RunComparison readComparison(const nlohmann::json& json);

/// Returns the project as it is stored: a model given by its path is absolute, with "~" for the home folder.
Project storedProject(const RunPlan& plan);

/// The keys that only the writing of a video reads: latents can be made a video of with others.
inline constexpr std::array<std::string_view, 5> videoKeys{"video_format", "fps", "video_quality", "audio",
                                                           "metadata"};

/// Returns the project with other values of videoKeys, as "key=value". Throws Error{Project} for another key,
/// for what no video can be written with, and for a format in which no video is finished where one is to be.
Project withVideoChanges(Project project, const std::vector<std::string>& changes);

/// timings.json and summary.txt, with what each phase held in memory beside its plan, and what computed.
/// `steps`: all of the run; `firstStep`: where this session began.
void writeTimings(const RunFolder& folder, const RunPlan& plan, const GenerationResult& result,
                  const std::vector<StepRecord>& steps, int firstStep,
                  const std::optional<RunComparison>& comparison = {});

/// A sink that writes what happens into a run folder, then passes it on: the folder is never behind what was
/// shown.
class RunWriter {
  public:
    /// Goes on after the steps that the folder holds, when the run is resumed. Folder and log must outlive
    /// the writer. Throws Error{Input} when the steps cannot be read.
    RunWriter(const RunFolder& folder, Log& log, EventSink next);

    void operator()(const RunEvent& event);

    [[nodiscard]] const std::vector<StepRecord>& steps() const { return m_steps; }

  private:
    void write(const StepRecord& step);

    const RunFolder& m_folder;
    Log& m_log;
    std::vector<StepRecord> m_steps;
    EventSink m_next;
};

}  // namespace meshreel
