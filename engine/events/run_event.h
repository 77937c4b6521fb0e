// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/listed_problem.h"
#include "engine/base/overloaded.h"
#include "engine/base/record.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

struct RunPlan;

// What happens in a run, an event a struct. One with a name (`event`) can leave the process: its fields are
// the line that eventLine() writes and readEventLine() reads. The others hold what only this process can use.

/// The parts of a run, in order. Every one starts and finishes once, or not at all when an error or a stop
/// comes first; a resumed run skips those with nothing left to do. Format, writing the video's files, belongs
/// to the run around the generation.
enum class Phase { Load, Compile, Conditioning, Denoise, Decode, Format };

template <>
struct EnumNames<Phase> {
    static constexpr std::array<std::string_view, 6> names{"Load",    "Compile", "Conditioning",
                                                           "Denoise", "Decode",  "Format"};
};

/// What is wrong with the project or worth knowing before it runs: errors first, then in the order of its
/// file. With an error among them only the end of the run follows.
struct ProblemsFound {
    std::vector<ListedProblem> problems;

    [[nodiscard]] bool keepFromRunning() const {
        return std::ranges::find(problems, Severity::Error, &ListedProblem::severity) != problems.end();
    }

    static constexpr std::string_view event = "problems";
    static constexpr auto fields() { return std::tuple(field("problems", &ProblemsFound::problems)); }
};

/// The decisions are made; nothing was computed yet.
struct Planned {
    std::vector<std::int64_t> latentShape;  ///< [batch, channels, latent frames, latent height, latent width]
    std::int64_t tokens = 0;                ///< in the transformer's sequence
    int steps = 0;
    int workers = 0;                           ///< per device
    std::uint64_t memoryBytes = 0;             ///< peak of a process
    double flops = 0;                          ///< work of denoising
    std::shared_ptr<const RunPlan> plan = {};  ///< from this process; absent when the event was read from a
                                               ///< line

    static constexpr std::string_view event = "planned";
    static constexpr auto fields() {
        return std::tuple(field("latent_shape", &Planned::latentShape), field("tokens", &Planned::tokens),
                          field("steps", &Planned::steps), field("workers", &Planned::workers),
                          field("memory_bytes", &Planned::memoryBytes), field("flops", &Planned::flops));
    }
};

/// The run has its folder.
struct FolderReady {
    std::filesystem::path folder;

    static constexpr std::string_view event = "folder";
    static constexpr auto fields() { return std::tuple(field("path", &FolderReady::folder)); }
};

struct PhaseStarted {
    Phase phase = Phase::Load;

    static constexpr std::string_view event = "phase_started";
    static constexpr auto fields() { return std::tuple(field("phase", &PhaseStarted::phase)); }
};

struct PhaseFinished {
    Phase phase = Phase::Load;
    double seconds = 0;  ///< wall clock

    static constexpr std::string_view event = "phase_finished";
    static constexpr auto fields() {
        return std::tuple(field("phase", &PhaseFinished::phase), field("seconds", &PhaseFinished::seconds));
    }
};

/// A stage inside a phase has ended: its seconds are among those of the phase.
struct StageMeasured {
    double PartTimings::*stage = nullptr;
    double seconds = 0;  ///< wall clock
};

/// Sent during the phase: its result was kept from an earlier run.
struct FoundInCache {
    Phase phase = Phase::Load;

    static constexpr std::string_view event = "cached";
    static constexpr auto fields() { return std::tuple(field("phase", &FoundInCache::phase)); }
};

/// How far the whole generation is. The newest counts.
struct Progress {
    Phase phase = Phase::Load;
    int stepsDone = 0;    ///< in the whole denoising loop, including steps before a resume
    int steps = 0;        ///< length of the loop
    double fraction = 0;  ///< part of the estimated whole, in [0, 1]; never decreases
    std::optional<double> secondsLeft =
        {};              ///< estimate, decoding included; absent until a step was measured
    double decoded = 0;  ///< part of the decoding that is done, in [0, 1]

    static constexpr std::string_view event = "progress";
    static constexpr auto fields() {
        return std::tuple(field("phase", &Progress::phase), field("steps_done", &Progress::stepsDone),
                          field("steps", &Progress::steps), field("fraction", &Progress::fraction),
                          field("seconds_left", &Progress::secondsLeft),
                          laterField("decoded", &Progress::decoded));
    }
};

/// Everything that the denoising loop carries from one step to the next: enough to resume bit-identically.
struct SamplerSnapshot {
    int stepsDone = 0;
    Tensor latents;                                            ///< [1, C, F, H, W] f32, normalised
    std::vector<std::pair<std::string, Tensor>> history = {};  ///< Scheduler::state()
    std::vector<std::pair<std::string, Tensor>> cache = {};    ///< StepPredictor::state()
    std::optional<Tensor> finished = {};  ///< the earlier segments of a video made in segments, [1, C, F, H,
                                          ///< W]
};

/// A snapshot with the record of its last step; ahead of the event of that step. It shares memory with the
/// loop only until the sink returns: clone what is kept.
struct RunCheckpoint {
    SamplerSnapshot snapshot;
    StepRecord lastStep;
};

/// Cheap approximation of the frames after a step. The newest counts.
struct Preview {
    int step = 0;   ///< counted from 0
    Tensor frames;  ///< u8 [time, height, width, 3], about an eighth of the video's size

    static constexpr std::string_view event = "preview";
    static constexpr auto fields() {
        return std::tuple(field("step", &Preview::step), field("rgb", &Preview::frames));
    }
};

/// Final latents, before they are decoded.
struct LatentsReady {
    Tensor latents;  ///< [1, C, F, H, W] f32, normalised
};

/// The frames of a chunk of the first video of the batch, as FramesReady will have them: every frame once, in
/// order, while others are still to come.
struct DecodedFrames {
    std::int64_t first = 0;  ///< among the video's frames, counted from 0
    std::int64_t total = 0;  ///< frames of the video
    Tensor frames;           ///< u8 [time, height, width, 3]

    /// Returns whether they lie within the video.
    [[nodiscard]] bool isValid() const;

    static constexpr std::string_view event = "frames";
    static constexpr auto fields() {
        return std::tuple(field("first", &DecodedFrames::first), field("total", &DecodedFrames::total),
                          field("rgb", &DecodedFrames::frames));
    }
};

/// Decoded video.
struct FramesReady {
    Tensor frames;  ///< u8 [batch, time, height, width, 3]
};

/// The video's file is complete.
struct VideoWritten {
    std::filesystem::path file;
    VideoFormat format = VideoFormat::Mp4;
    Sentence note;  ///< when something was done otherwise than asked

    static constexpr std::string_view event = "video";
    static constexpr auto fields() {
        return std::tuple(field("path", &VideoWritten::file), field("format", &VideoWritten::format),
                          field("note", &VideoWritten::note));
    }
};

enum class MessageLevel { Info, Warning };

template <>
struct EnumNames<MessageLevel> {
    static constexpr std::array<std::string_view, 2> names{"info", "warning"};
};

struct RunMessage {
    MessageLevel level = MessageLevel::Info;
    Sentence text;

    static constexpr std::string_view event = "message";
    static constexpr auto fields() {
        return std::tuple(field("level", &RunMessage::level), field("text", &RunMessage::text));
    }
};

/// How a run ended well. Its line leaves out what is in the folder.
struct RunOutcome {
    std::filesystem::path folder = {};
    bool nothingToDo = false;  ///< the run was finished already
    Sentence note = {};        ///< worth reading, or empty
    std::optional<TimingSummary> timings = {};
    std::vector<StepRecord> steps = {};  ///< all steps of the run; not on the line
    std::vector<int> resumedFrom = {};   ///< the steps that resumes began with; not on the line
    std::filesystem::path video = {};

    static constexpr std::string_view event = "finished";
    static constexpr auto fields() {
        return std::tuple(field("path", &RunOutcome::folder),
                          field("nothing_to_do", &RunOutcome::nothingToDo),
                          field("video", &RunOutcome::video), field("note", &RunOutcome::note),
                          field("timings", &RunOutcome::timings));
    }
};

/// How a run ended otherwise.
struct RunFailed {
    Sentence why;
    int exitCode = 0;  ///< exit code of the program

    /// Returns the end that an exception makes.
    static RunFailed from(const std::exception& failure);

    static constexpr std::string_view event = "failed";
    static constexpr auto fields() {
        return std::tuple(field("why", &RunFailed::why), field("exit_code", &RunFailed::exitCode));
    }
};

using RunEvent =
    std::variant<ProblemsFound, Planned, FolderReady, PhaseStarted, PhaseFinished, StageMeasured,
                 FoundInCache, Progress, RunCheckpoint, StepRecord, StepDeviceTimes, Preview, LatentsReady,
                 DecodedFrames, FramesReady, VideoWritten, RunMessage, RunOutcome, RunFailed>;

/// Takes what happens, in order, on the thread that works; a slow sink slows the run. What it throws ends the
/// run and passes through.
using EventSink = std::function<void(const RunEvent&)>;

/// The sink of who needs no events.
inline void ignoreEvent(const RunEvent&) {}

/// Calls that of the functions which takes this event; nothing when none does.
template <typename... Functions>
void handle(const RunEvent& event, Functions... functions) {
    std::visit(Overloaded{std::move(functions)..., [](const auto&) {}}, event);
}

/// Returns the event as a JSON object on one line (without the newline); "event" names it, and its fields
/// follow. What `meshreel run --json-events` prints, and what the ranks of a mesh send to the program that
/// launched them. Nothing for an event that stays in the process.
std::optional<std::string> eventLine(const RunEvent& event);

/// Returns the event of a line. Nothing for any other text, and for an event or values that this version does
/// not know.
std::optional<RunEvent> readEventLine(std::string_view line);

}  // namespace meshreel
