// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/finish/finish_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/strings.h"
#include "engine/base/version.h"
#include "engine/media/sound.h"
#include "engine/media/video_reader.h"
#include "engine/models/finish/network_tensors.h"
#include "engine/weights/cache/fingerprint.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::int64_t framesOfChunk = 64;  // of the source: what an interruption may cost
constexpr std::int64_t bytesOfPixel = 3;

[[noreturn]] void refuseSettings(std::string_view option, Sentence why, Sentence instead) {
    throw Error(ErrorKind::Project, std::move(why), std::string(option), std::move(instead));
}

void requireFactor(std::string_view option, double factor) {
    if (!(factor >= 1 && factor <= mostFinishFactor))
        refuseSettings(option, sentence("the factor {} is not between 1 and {}", factor, mostFinishFactor),
                       sentence("Give a factor such as 2"));
}

/// What identifies a file without reading it.
std::string identityOfFile(const fs::path& file) {
    std::error_code ignored;
    const fs::path whole = fs::weakly_canonical(file, ignored);
    std::uintmax_t bytes = 0;
    if (fs::is_regular_file(file, ignored))
        bytes = fs::file_size(file, ignored);
    const auto changed = fs::last_write_time(file, ignored).time_since_epoch().count();
    return fmt::format("{} {} {}", whole.string(), bytes, changed);
}

std::int64_t bytesOnDisk(const std::string& file) {
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(file, missing);
    return missing ? 0 : static_cast<std::int64_t>(bytes);
}

/// The video as its file has it.
void readSource(FinishPlan& plan) {
    const VideoInfo info = probeFirstFrame(plan.source);
    if (info.fps <= 0)
        throw Error(ErrorKind::Input,
                    sentence("it is no video: it does not say how many frames it shows a second"),
                    plan.source.string(), sentence("Choose a video file, or a run with its video"));
    if (info.variableRate)
        throw Error(ErrorKind::Input, sentence("its frames are not evenly spaced in time"),
                    plan.source.string(),
                    sentence("Make its rate constant first: ffmpeg -i VIDEO -vf fps={} OUT",
                             static_cast<std::int64_t>(std::lround(info.fps))));
    plan.frames = info.framesExact ? info.frames : countShownFrames(plan.source).count;
    if (plan.frames < 1)
        throw Error(ErrorKind::Input, sentence("it has no frames"), plan.source.string(),
                    sentence("Choose another video"));
    plan.height = info.height;
    plan.width = info.width;
    plan.fps = info.fps;
    for (const std::string_view kept :
         {std::string_view("title"), std::string_view("comment"), projectMetadataKey})
        if (const auto found = info.metadata.find(std::string(kept)); found != info.metadata.end())
            plan.metadata.insert(*found);
}

void decideRate(FinishPlan& plan) {
    requireFactor("--interpolate", plan.settings.interpolate);
    plan.outFps = plan.fps * plan.settings.interpolate;
    plan.outFrames =
        std::max<std::int64_t>(std::llround(real(plan.frames) * plan.settings.interpolate), plan.frames);
    if (!plan.interpolates())
        return;
    if (plan.settings.interpolator.empty())
        refuseSettings(
            "--interpolator", sentence("new frames need a network that makes them"),
            sentence("Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or {} to "
                     "mix the frames beside",
                     finish_name::blend));
    if (namesFinishWeights(plan.settings.interpolator, finish_name::blend)) {
        plan.rife = rifeLayout(openRife(plan.settings.interpolator));
        plan.weightBytes += bytesOnDisk(plan.settings.interpolator);
    }
}

/// 4:2:0 has colours of two pixels together.
std::int64_t evenSide(double side) {
    return std::max<std::int64_t>(2, 2 * std::llround(side / 2));
}

void decideSize(FinishPlan& plan) {
    requireFactor("--upscale", plan.settings.upscale);
    plan.outHeight = plan.height;
    plan.outWidth = plan.width;
    if (!plan.enlarges()) {
        if (plan.height % 2 != 0 || plan.width % 2 != 0)
            throw Error(ErrorKind::Input,
                        sentence("its size {}x{} is odd, which videos of {} do not have", plan.width,
                                 plan.height, tableText(videoFormatInfo(plan.settings.format).title)),
                        plan.source.string(), sentence("Enlarge it, too: upscale 2"));
        return;
    }
    plan.outHeight = evenSide(real(plan.height) * plan.settings.upscale);
    plan.outWidth = evenSide(real(plan.width) * plan.settings.upscale);
    if (!namesFinishWeights(plan.settings.upscaler, finish_name::lanczos)) {
        if (plan.settings.upscaler.empty())
            plan.remarks.push_back(
                sentence("No network was named: pictures are enlarged by the filter {}, which "
                         "adds no detail",
                         finish_name::lanczos));
        return;
    }
    plan.upscaler = upscalerLayout(openUpscaler(plan.settings.upscaler));
    plan.weightBytes += bytesOnDisk(plan.settings.upscaler);
    if (plan.upscaler->scale == 1)
        refuseSettings("--upscaler", sentence("this network keeps the size"),
                       sentence("Choose a network that enlarges, or {}", finish_name::lanczos));
    if (real(plan.upscaler->scale) != plan.settings.upscale)
        plan.remarks.push_back(sentence("The network enlarges {} times; {} makes {} times of it",
                                        plan.upscaler->scale, finish_name::lanczos, plan.settings.upscale));
    plan.tiles = planTiles(*plan.upscaler, plan.height, plan.width, plan.settings.memoryBudget);
    if (plan.tiles.workBytes > plan.settings.memoryBudget && plan.tiles.longest > 0 && plan.tiles.tiles > 1)
        plan.remarks.push_back(sentence("The smallest tiles take {}, more than the {} that were allowed",
                                        formatBytes(static_cast<std::uint64_t>(plan.tiles.workBytes)),
                                        formatBytes(static_cast<std::uint64_t>(plan.settings.memoryBudget))));
}

/// A file that holds pictures alone may be of a kind that is not opened for sound.
bool hasSound(const fs::path& video) {
    try {
        return SoundTrack::open(video).has_value();
    } catch (const Error&) {
        return false;
    }
}

/// A sound that the format does not hold as it is compressed is compressed anew.
void decideSound(FinishPlan& plan) {
    const VideoFormat format = plan.settings.format;
    if (!holdsSound(format))
        refuseSettings("-o", sentence("a video that is finished is MP4 or WebM"),
                       sentence("Choose a name that ends in .mp4 or .webm"));
    std::optional<SoundEdit> edit = plan.settings.sound;
    if (edit && !SoundTrack::open(edit->file))
        throw Error(ErrorKind::Input, sentence("it has no sound"), edit->file.string(),
                    sentence("Choose another sound file"));
    if (!edit && plan.settings.keepsSound && hasSound(plan.source))
        edit.emplace(SoundEdit{.file = plan.source});
    if (!edit)
        return;
    plan.sound = edit->file;
    const Sentence why = edit->copies() ? soundRefusal(edit->file, format) : Sentence();
    if (!why.empty())
        plan.remarks.push_back(sentence("The sound is compressed anew: {}", why));
    if (!edit->copies() || !why.empty())
        plan.soundEdit = std::move(edit);
}

std::int64_t framesUpTo(const FinishPlan& plan, std::int64_t sourceFrame) {
    if (sourceFrame >= plan.frames)
        return plan.outFrames;
    return std::min(
        static_cast<std::int64_t>(std::ceil(real(sourceFrame) * plan.settings.interpolate - 1e-9)),
        plan.outFrames);
}

/// Parts of nearly the same length: encoders then choose alike for each, and their pictures can be joined as
/// they are.
void decideChunks(FinishPlan& plan) {
    const std::int64_t count =
        std::max<std::int64_t>(1, std::llround(real(plan.frames) / real(framesOfChunk)));
    for (std::int64_t chunk = 0; chunk < count; ++chunk) {
        const std::int64_t first = framesUpTo(plan, chunk * plan.frames / count);
        const std::int64_t end = framesUpTo(plan, (chunk + 1) * plan.frames / count);
        if (end > first)
            plan.chunks.push_back({.first = first, .count = end - first});
    }
}

void decideCost(FinishPlan& plan) {
    const std::int64_t made =
        plan.interpolates() ? std::max<std::int64_t>(plan.outFrames - plan.frames, 0) : 0;
    std::int64_t work = 0;
    if (plan.rife) {
        const std::int64_t grid = plan.rife->form->grid();
        const std::int64_t height = roundUp(plan.height, grid);
        const std::int64_t width = roundUp(plan.width, grid);
        work = plan.rife->workBytes(height, width);
        plan.operations += real(made) * plan.rife->operations(height, width);
    }
    if (plan.upscaler) {
        work = std::max(work, plan.tiles.workBytes);
        plan.operations += real(plan.outFrames) * plan.tiles.operations;
    }
    // Two frames of the source and one that is made, and the last enlarged one beside the network's own size.
    const std::int64_t enlarged =
        plan.upscaler ? plan.height * plan.width * plan.upscaler->scale * plan.upscaler->scale : 0;
    const std::int64_t pictures =
        bytesOfPixel * (3 * plan.height * plan.width + 2 * plan.outHeight * plan.outWidth + enlarged);
    const double pixels = real(plan.outHeight * plan.outWidth);
    const VideoFormatInfo& format = videoFormatInfo(plan.settings.format);
    plan.workBytes =
        work + pictures +
        static_cast<std::int64_t>(format.encoderMegabytes * 1e6 + format.encoderPixelBytes * pixels);
}

/// The settings in one line, as the options that give them.
std::string settingsText(const FinishPlan& plan) {
    const FinishSettings& settings = plan.settings;
    std::string text = "meshreel finish";
    const auto nameOfFile = [](const std::string& file) { return fs::path(file).filename().string(); };
    if (plan.interpolates())
        text += fmt::format(" --interpolate {} --interpolator {}", settings.interpolate,
                            nameOfFile(settings.interpolator));
    if (plan.enlarges())
        text += fmt::format(
            " --upscale {} --upscaler {}", settings.upscale,
            settings.upscaler.empty() ? std::string(finish_name::lanczos) : nameOfFile(settings.upscaler));
    if (settings.sound) {
        text += " --audio " + settings.sound->file.filename().string();
        if (settings.sound->begin > 0)
            text += fmt::format(" --audio-begin {}", settings.sound->begin);
        if (settings.sound->end)
            text += fmt::format(" --audio-end {}", *settings.sound->end);
        if (settings.sound->fadeIn > 0)
            text += fmt::format(" --fade-in {}", settings.sound->fadeIn);
        if (settings.sound->fadeOut > 0)
            text += fmt::format(" --fade-out {}", settings.sound->fadeOut);
        if (settings.sound->loops)
            text += " --audio-loop";
    }
    if (!settings.keepsSound)
        text += " --no-sound";
    if (settings.arithmetic == Arithmetic::BF16)
        text += " --bf16";
    return text;
}

std::string identityOf(const FinishPlan& plan) {
    const FinishSettings& settings = plan.settings;
    std::string all = fmt::format("{} {} {} {} {} {} {}", versionNumber(), settings.interpolate,
                                  settings.upscale, settings.quality, static_cast<int>(settings.format),
                                  static_cast<int>(settings.arithmetic), plan.tiles.longest);
    for (const std::string& weights : {settings.interpolator, settings.upscaler})
        all += "\n" + (weights.empty() || weights == finish_name::blend || weights == finish_name::lanczos
                           ? weights
                           : identityOfFile(weights));
    return nameHash(all);
}

}  // namespace

FinishPlan::Place FinishPlan::placeOf(std::int64_t outFrame) const {
    constexpr double nearEnough = 1e-4;  // to a frame of the source, in frames
    const double place = real(outFrame) / settings.interpolate;
    const auto nearest = static_cast<std::int64_t>(std::llround(place));
    if (std::abs(place - real(nearest)) < nearEnough)
        return {.frame = std::min(nearest, frames - 1)};
    const auto before = static_cast<std::int64_t>(std::floor(place));
    if (before >= frames - 1)  // the last frame is shown as long as it was
        return {.frame = frames - 1};
    return {.frame = before, .part = static_cast<float>(place - real(before))};
}

FinishPlan planFinish(const fs::path& source, const FinishSettings& settings) {
    if (settings.interpolate == 1 && settings.upscale == 1 && !settings.sound && settings.keepsSound)
        refuseSettings("meshreel finish", sentence("nothing was asked for"),
                       sentence("Ask for one of interpolate, upscale and audio"));
    FinishPlan plan{.source = source, .settings = settings};
    readSource(plan);
    decideRate(plan);
    decideSize(plan);
    decideSound(plan);
    decideChunks(plan);
    decideCost(plan);
    if (settings.tellsSettings)
        plan.metadata.insert_or_assign(std::string(finishMetadataKey), settingsText(plan));
    plan.identity = identityOf(plan);
    return plan;
}

std::string finishPlanText(const FinishPlan& plan) {
    std::string text = fmt::format("{} frames of {}x{} at {:g} fps -> {} frames of {}x{} at {:g} fps\n",
                                   plan.frames, plan.width, plan.height, plan.fps, plan.outFrames,
                                   plan.outWidth, plan.outHeight, plan.outFps);
    if (plan.interpolates())
        text += plan.rife ? fmt::format("frames between: RIFE {}\n", plan.rife->form->versions)
                          : std::string("frames between: mixed\n");
    if (plan.enlarges())
        text += plan.upscaler ? fmt::format("larger: {}, {} {} a picture\n", plan.upscaler->title(),
                                            plan.tiles.tiles, plan.tiles.tiles == 1 ? "tile" : "tiles")
                              : std::string("larger: Lanczos\n");
    text += fmt::format("memory: {} of weights, {} to work in\n",
                        formatBytes(static_cast<std::uint64_t>(plan.weightBytes)),
                        formatBytes(static_cast<std::uint64_t>(plan.workBytes)));
    if (plan.operations > 0)
        text += fmt::format("work: {:.3g} TFLOP\n", plan.operations / 1e12);
    text += fmt::format("parts that an interruption leaves: {}\n", plan.chunks.size());
    for (const Sentence& remark : plan.remarks)
        text += remark.text() + "\n";
    return text;
}

}  // namespace meshreel
