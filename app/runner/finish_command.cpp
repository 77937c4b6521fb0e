// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/events/run_event.h"
#include "engine/finish/finish.h"
#include "engine/finish/finish_plan.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/open_devices.h"
#include "engine/media/sound_edit.h"
#include "engine/media/video_writer.h"
#include "engine/project/gpu_choice.h"
#include "engine/runs/run_folder.h"
#include "engine/tensor/compute_device.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct FinishArguments {
    std::string source;
    std::string out;
    FinishSettings settings;
    std::string audio;
    SoundEdit sound;
    double audioEnd = 0;  // 0: all of it
    bool noSound = false;
    bool narrow = false;
    int memoryMebibytes = 512;
    int workers = availableCpus();
    std::string gpus{GpuChoice::noneName};
    bool planOnly = false;
    bool jsonEvents = false;
};

/// The video of a run, or the file itself.
fs::path finishedVideo(const std::string& given) {
    const fs::path path = expandTilde(runFolderNamed(given));
    if (!RunFolder::isRun(path))
        return path;
    const std::optional<fs::path> video = RunFolder::open(path).video();
    if (!video)
        throw Error(ErrorKind::Input, sentence("the run has no video yet"), path.string(),
                    sentence("Finish the run first: meshreel run --resume {}", path.string()));
    return *video;
}

/// A name without an ending gets that of MP4.
VideoFormat videoFormatOfName(const fs::path& out) {
    if (!out.has_extension())
        return VideoFormat::Mp4;
    for (const VideoFormatInfo& format : videoFormats())
        if (holdsSound(format.format) && out.extension() == format.extension)
            return format.format;
    throw Error(ErrorKind::Project, sentence("a video that is finished is MP4 or WebM"), "-o",
                sentence("Choose a name that ends in .mp4 or .webm"));
}

/// As it is written: a word, or a file.
std::string weightsNamed(const std::string& given, std::string_view word) {
    return given.empty() || given == word ? given : fs::absolute(expandTilde(given)).string();
}

FinishPlan planOfArguments(const FinishArguments& arguments, const fs::path& out) {
    FinishSettings settings = arguments.settings;
    settings.interpolator = weightsNamed(settings.interpolator, finish_name::blend);
    settings.upscaler = weightsNamed(settings.upscaler, finish_name::lanczos);
    settings.format = videoFormatOfName(out);
    settings.keepsSound = !arguments.noSound;
    settings.arithmetic = arguments.narrow ? Arithmetic::BF16 : Arithmetic::F32;
    settings.memoryBudget = std::int64_t{arguments.memoryMebibytes} << 20U;
    if (!arguments.audio.empty()) {
        settings.sound = arguments.sound;
        settings.sound->file = fs::absolute(expandTilde(arguments.audio));
        if (arguments.audioEnd > 0)
            settings.sound->end = arguments.audioEnd;
    }
    return planFinish(finishedVideo(arguments.source), settings);
}

RunOutcome outcomeOf(const FinishedVideo& finished, const FinishPlan& plan, const EventSink& sink) {
    if (plan.interpolates())
        sink(RunMessage{MessageLevel::Info,
                        sentence("{} frames were made between others, {} copied; {} cuts",
                                 finished.between.made, finished.between.copied, finished.between.cuts)});
    if (finished.keptFrames > 0)
        sink(RunMessage{MessageLevel::Info,
                        sentence("{} frames were there from an earlier try", finished.keptFrames)});
    return {.note = finished.note, .video = finished.video};
}

int finishOf(const FinishArguments& arguments) {
    const fs::path out = fs::absolute(expandTilde(arguments.out)).lexically_normal();
    const FinishPlan plan = planOfArguments(arguments, out);
    say(arguments.jsonEvents ? stderr : stdout, "{}", finishPlanText(plan));
    std::fflush(stdout);
    if (arguments.planOnly)
        return 0;
    const auto style = arguments.jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic;
    return displayRun(style, [&](const EventSink& sink, const StopToken& stop) {
        const std::optional<ChosenGpu> chosen = gpuNamed(arguments.gpus);
        const std::shared_ptr<ComputeDevice> gpu = chosen ? openDevice(*chosen) : nullptr;
        WorkerPool workers({.workers = arguments.workers});
        const Execution execution{workers, stop, nullptr, gpu.get()};
        const FinishedVideo finished = finishVideo(plan, execution, out, [&](const FinishProgress& progress) {
            sink(Progress{
                .phase = Phase::Format,
                .fraction = static_cast<double>(progress.framesDone) / static_cast<double>(progress.frames),
                .secondsLeft = progress.secondsLeft});
        });
        return outcomeOf(finished, plan, sink);
    });
}

void addSoundOptions(CLI::App& app, FinishArguments& arguments) {
    CLI::Option* const audio =
        app.add_option("--audio", arguments.audio, "Put the sound of this file under it, in place of its own")
            ->type_name("FILE");
    app.add_option("--audio-begin", arguments.sound.begin,
                   "Leave out so many seconds at the sound's beginning")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber)
        ->needs(audio);
    app.add_option("--audio-end", arguments.audioEnd, "End the sound so many seconds from its own beginning")
        ->type_name("S")
        ->check(CLI::PositiveNumber)
        ->needs(audio);
    app.add_option("--fade-in", arguments.sound.fadeIn, "Let the sound begin softly, over so many seconds")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber)
        ->needs(audio);
    app.add_option("--fade-out", arguments.sound.fadeOut, "Let the sound end softly, over so many seconds")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber)
        ->needs(audio);
    app.add_flag("--audio-loop", arguments.sound.loops, "Begin the sound anew as long as the video lasts")
        ->needs(audio);
    app.add_flag("--no-sound", arguments.noSound, "Leave out the video's sound")->excludes(audio);
}

}  // namespace

Action declareFinish(CLI::App& app) {
    const auto arguments = std::make_shared<FinishArguments>();
    app.add_option("VIDEO", arguments->source, "A video file, or a run with its video")
        ->required()
        ->type_name("VIDEO|RUN");
    app.add_option("-o,--out", arguments->out, "The file to write: .mp4 or .webm")
        ->required()
        ->type_name("FILE");
    app.add_option("--interpolate", arguments->settings.interpolate, "Show N times as many frames a second")
        ->type_name("N");
    app.add_option("--interpolator", arguments->settings.interpolator,
                   "Weights of RIFE 4.x that make the frames between; blend: mix those beside")
        ->type_name("FILE");
    app.add_option("--upscale", arguments->settings.upscale, "Make it N times as wide and high")
        ->type_name("N");
    app.add_option("--upscaler", arguments->settings.upscaler,
                   "Weights of a network of ESRGAN's kind; lanczos (without this option too): a filter")
        ->type_name("FILE");
    addSoundOptions(app, *arguments);
    app.add_option("--quality", arguments->settings.quality, "From 0, smallest file, to 100, best")
        ->type_name("Q")
        ->check(CLI::Range(minVideoQuality, maxVideoQuality));
    app.add_option("--memory", arguments->memoryMebibytes, "MiB that the tiles of a picture may take")
        ->type_name("MIB")
        ->check(CLI::Range(64, 1 << 20));
    app.add_flag("--bf16", arguments->narrow,
                 "Multiply in bf16: faster where the CPU or GPU has it, less exact");
    app.add_option("--workers", arguments->workers, "Threads")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--gpus", arguments->gpus, "Compute on a GPU: its number in meshreel devices, or auto")
        ->type_name("N");
    app.add_flag("--plan", arguments->planOnly, "Only print what would be made, and what it takes");
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    return [arguments] { return finishOf(*arguments); };
}

}  // namespace meshreel
