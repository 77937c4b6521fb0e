// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/evaluation/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/measure/evaluation/scene_clip.h"
#include "engine/media/clip_folder.h"
#include "engine/media/image.h"
#include "engine/media/video_joining.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/generation.h"
#include "engine/pipelines/loop_seam.h"
#include "engine/planning/run_plan.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using Clips = std::span<const EvaluatedClip>;

/// Percentage of the clips with `counts` for which `isRight`.
template <typename Counts, typename IsRight>
std::optional<double> percentage(Clips clips, const Counts& counts, const IsRight& isRight) {
    double all = 0.0;
    double right = 0.0;
    for (const EvaluatedClip& clip : clips) {
        if (!counts(clip))
            continue;
        all += 1.0;
        right += isRight(clip) ? 1.0 : 0.0;
    }
    if (all == 0.0)
        return std::nullopt;
    return 100.0 * right / all;
}

template <typename IsRight>
std::optional<double> percentage(Clips clips, const IsRight& isRight) {
    return percentage(
        clips, [](const EvaluatedClip&) { return true; }, isRight);
}

bool travels(const EvaluatedClip& clip) {
    return isDirection(clip.wanted.motion);
}

/// Whether the video shows the motion that was wanted.
bool hasWantedMotion(const EvaluatedClip& clip) {
    return clip.found.motion == clip.wanted.motion;
}

std::optional<double> rightColours(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) { return c.found.colour == c.wanted.color; });
}

std::optional<double> rightBackgrounds(Clips clips) {
    return percentage(clips,
                      [](const EvaluatedClip& c) { return c.found.background == c.wanted.background; });
}

std::optional<double> rightDirections(Clips clips) {
    return percentage(clips, travels, hasWantedMotion);
}

/// The share of right kinds of motion; all directions are one kind.
std::optional<double> kindsOfMotion(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) {
        return travels(c) ? isDirection(c.found.motion) : hasWantedMotion(c);
    });
}

std::optional<double> rightShapes(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) { return c.found.shape == c.wanted.shape; });
}

std::optional<double> edges(Clips clips) {
    std::vector<double> widths;
    for (const EvaluatedClip& clip : clips)
        if (clip.found.edgeWidth > 0.0)
            widths.push_back(clip.found.edgeWidth);
    if (widths.empty())
        return std::nullopt;
    return computeUpperMedian(std::move(widths));
}

std::optional<double> flicker(Clips clips) {
    if (clips.empty())
        return std::nullopt;
    double sum = 0.0;
    for (const EvaluatedClip& clip : clips)
        sum += clip.found.flicker;
    return sum / static_cast<double>(clips.size());
}

std::optional<double> firstFrames(Clips clips) {
    double sum = 0.0;
    double count = 0.0;
    for (const EvaluatedClip& clip : clips)
        if (clip.found.firstFrameKept) {
            sum += *clip.found.firstFrameKept;
            count += 1.0;
        }
    return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> seams(Clips clips) {
    std::optional<double> most;
    for (const EvaluatedClip& clip : clips)
        if (clip.found.seam)
            most = std::max(most.value_or(0.0), *clip.found.seam);
    return most;
}

constexpr MetricRow firstFrameRow{"first_frame", "First frame kept", "dB", Bound::AtLeast, 28.0, firstFrames};

// The goals of edges and flicker stand beside drawn clips, which have 1 to 2 pixels and 0 levels.
constexpr MetricRow seamRow{"seam", "Largest seam of clips", "medians", Bound::AtMost, 1.5, seams};

constexpr std::array<MetricRow, 9> rows{{
    {"color", "Colour", "%", Bound::AtLeast, 97.0, rightColours},
    {"background", "Background", "%", Bound::AtLeast, 97.0, rightBackgrounds},
    {"direction", "Direction of motion", "%", Bound::AtLeast, 95.0, rightDirections},
    {"motion", "Kind of motion", "%", Bound::AtLeast, 90.0, kindsOfMotion},
    {"shape", "Shape", "%", Bound::AtLeast, 90.0, rightShapes},
    {"edge_width", "Width of edges", "px", Bound::AtMost, 2.5, edges},
    {"flicker", "Flicker of the background", "levels", Bound::AtMost, 1.0, flicker},
    firstFrameRow,
    seamRow,
}};

}  // namespace

std::span<const MetricRow> metricRows() {
    return rows;
}

bool Metric::reached() const {
    if (!value)
        return false;
    return row->bound == Bound::AtLeast ? *value >= row->goal : *value <= row->goal;
}

std::vector<Metric> measureMetrics(std::span<const EvaluatedClip> clips) {
    std::vector<Metric> metrics;
    for (const MetricRow& row : rows) {
        const std::optional<double> value = row.measure(clips);
        if (value || (row.key != firstFrameRow.key && row.key != seamRow.key))
            metrics.push_back({&row, value});
    }
    return metrics;
}

std::optional<double> measureSeams(const Tensor& frames, int clips, std::int64_t framesOfFirst) {
    if (clips == 1)
        return std::nullopt;
    const std::int64_t newOnes = (frames.extent(0) - framesOfFirst) / (clips - 1);
    double most = 0.0;
    for (std::int64_t first = framesOfFirst; first < frames.extent(0); first += newOnes) {
        // The one clip passes over into the other in the frames before.
        for (std::int64_t step = std::max<std::int64_t>(1, first - usualBlend); step <= first; ++step) {
            const Tensor before =
                frames.slice(step - 1, step).reshaped({frames.extent(1), frames.extent(2), frames.extent(3)});
            const ClipSeam seam = measureClipSeam(before, frames, step);
            most = std::max(most, seam.neighbours > 0 ? seam.joint / seam.neighbours : seam.joint);
        }
    }
    return most;
}

namespace {

/// Frames u8 [1, T, H, W, 3] of a result, without the first.
Tensor framesBehind(const Tensor& frames, std::int64_t first) {
    const Tensor video =
        frames.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
    return video.slice(first, video.extent(0));
}

/// Lets the end of a clip pass over into the next one, whose first `shared` frames show it again, as a film
/// does. Frames are u8 [T, H, W, 3].
void passOver(Tensor& before, const Tensor& next, std::int64_t shared) {
    const std::int64_t blended = std::min({usualBlend, shared, before.extent(0)});
    const std::int64_t first = before.extent(0) - blended;
    for (std::int64_t index = 0; index < blended; ++index) {
        Tensor place = before.slice(first + index, first + index + 1);
        const std::int64_t again = shared - blended + index;
        const Tensor frame = blendedFrame(place, next.slice(again, again + 1), index, blended);
        std::ranges::copy(frame.data<std::uint8_t>(), place.data<std::uint8_t>().begin());
    }
}

/// A clip as a run that is continued leaves it: without loss.
void keepForNext(const std::filesystem::path& folder, const GenerationResult& made) {
    std::filesystem::create_directories(folder);
    VideoOptions pictures;
    pictures.format = VideoFormat::Png;
    writeVideo(folder / clip_file::videoStem, framesBehind(made.frames, 0), pictures);
    const NamedTensor latents{"latents", made.latents};
    writeSafetensors(folder / clip_file::latents, {&latents, 1});
}

}  // namespace

Tensor videoOf(const std::string& prompt, std::uint64_t seed, const std::filesystem::path& firstFrame,
               const EvaluationSettings& settings, const std::filesystem::path& scratch,
               const StopToken& stop) {
    Project project = defaultsOfPreset(settings.preset);
    project.preset = settings.preset;
    project.model = settings.model;
    project.prompt = prompt;
    project.image = firstFrame.string();
    project.seed = seed;
    project.width = settings.width;
    project.height = settings.height;
    project.numFrames = settings.frames;
    project.numInferenceSteps = settings.steps;
    project.guidanceScale = settings.guidance;
    project.flowShift = settings.flowShift;
    std::vector<Tensor> video;
    for (int clip = 0; clip < settings.clips; ++clip) {
        const PlanPtr plan = makePlan(project);
        DeviceMesh mesh(meshOptions(*plan));
        const GenerationResult made = generate({.mesh = mesh, .stop = stop}, *plan, {}, ignoreEvent);
        if (!video.empty())
            passOver(video.back(), framesBehind(made.frames, 0), plan->continuedFrames);
        video.push_back(framesBehind(made.frames, plan->continuedFrames));
        if (clip + 1 == settings.clips)
            break;
        keepForNext(scratch, made);
        project.image.clear();
        project.continueFrom = scratch.string();
        project.seed = *project.seed + 1;
    }
    if (settings.clips > 1)
        std::filesystem::remove_all(scratch);
    return joined(video, 0);
}

namespace {

/// Makes the videos that the folder does not hold yet.
class ClipMaker {
  public:
    ClipMaker(const EvaluationSettings& settings, std::size_t prompts, const EvaluationFolder& folder)
        : m_settings(settings), m_folder(folder) {
        if (needsFirstFrame(settings.model))
            m_firstFrames = readFirstFrames(firstFramesFile(), prompts);
    }

    EvaluatedClip clip(std::size_t number, const HeldOutPrompt& prompt, const StopToken& stop) {
        const Tensor frames = framesFor(number, prompt, stop);
        EvaluatedClip clip{prompt, measureClip(frames)};
        if (!m_firstFrames.empty())
            clip.found.firstFrameKept = firstFrameKept(frames, m_firstFrames[number]);
        clip.found.seam = measureSeams(frames, m_settings.clips, m_settings.frames);
        return clip;
    }

    /// What could not be read.
    [[nodiscard]] const std::vector<Sentence>& notes() const { return m_notes; }

  private:
    std::optional<Tensor> keptFrames(std::size_t number, const HeldOutPrompt& prompt) {
        try {
            return m_folder.clip(number, prompt);
        } catch (const Error& damaged) {
            if (damaged.kind() != ErrorKind::Input)
                throw;
            m_notes.push_back(
                sentence("A kept video was made again, as its picture could not be read ({}); "
                         "that was set aside as {}",
                         damaged.message(), m_folder.setAside(number, prompt).filename().string()));
            return std::nullopt;
        }
    }

    Tensor framesFor(std::size_t number, const HeldOutPrompt& prompt, const StopToken& stop) {
        if (const std::optional<Tensor> kept = keptFrames(number, prompt))
            return *kept;
        const std::filesystem::path picture =
            m_firstFrames.empty() ? "" : m_folder.firstFrame(number, m_firstFrames[number]);
        const Tensor frames = videoOf(prompt.prompt, m_settings.seed + number, picture, m_settings,
                                      m_folder.file("clip-before"), stop);
        m_folder.keepClip(number, prompt, frames);
        return frames;
    }

    const EvaluationSettings& m_settings;
    const EvaluationFolder& m_folder;
    std::vector<Tensor> m_firstFrames;
    std::vector<Sentence> m_notes;
};

}  // namespace

Evaluation evaluateModel(const EvaluationSettings& settings, std::span<const HeldOutPrompt> prompts,
                         const EvaluationFolder& folder, const OnEvaluatedClip& onClip,
                         const StopToken& stop) {
    Evaluation evaluation{.settings = settings, .clips = {}, .metrics = {}};
    ClipMaker maker(settings, prompts.size(), folder);
    for (std::size_t number = 0; number < prompts.size(); ++number) {
        evaluation.clips.push_back(maker.clip(number, prompts[number], stop));
        if (onClip)
            onClip(evaluation.clips.size(), evaluation.clips.back());
    }
    evaluation.metrics = measureMetrics(evaluation.clips);
    evaluation.notes = maker.notes();
    return evaluation;
}

void writeResults(const Evaluation& evaluation, const EvaluationFolder& folder) {
    constexpr std::size_t clipsOfSheet = 40;
    writeFileAtomically(folder.file("figures.json"), evaluationJson(evaluation));
    std::vector<Tensor> clips;
    const std::size_t shown = std::min(clipsOfSheet, evaluation.clips.size());
    for (std::size_t number = 0; number < shown; ++number)
        if (std::optional<Tensor> clip = folder.clip(number, evaluation.clips[number].wanted))
            clips.push_back(std::move(*clip));
    if (!clips.empty())
        writePng(folder.file("contact-sheet.png"), contactSheet(clips));
}

namespace {

using nlohmann::ordered_json;

std::string goalText(const MetricRow& row) {
    return fmt::format("{} {} {}", row.bound == Bound::AtLeast ? ">=" : "<=", row.goal, row.unit);
}

ordered_json metricJson(const Metric& metric) {
    ordered_json json{{"key", metric.row->key},          {"title", metric.row->title},
                      {"unit", metric.row->unit},        {"value", nullptr},
                      {"wanted", goalText(*metric.row)}, {"reached", metric.reached()}};
    if (metric.value)
        json["value"] = *metric.value;
    return json;
}

ordered_json clipJson(const EvaluatedClip& clip) {
    ordered_json json{{"prompt", clip.wanted.prompt},
                      {"wanted",
                       {{"color", clip.wanted.color},
                        {"background", clip.wanted.background},
                        {"shape", clip.wanted.shape},
                        {"motion", clip.wanted.motion}}},
                      {"found",
                       {{"color", clip.found.colour},
                        {"background", clip.found.background},
                        {"shape", clip.found.shape},
                        {"motion", clip.found.motion},
                        {"edge_width", clip.found.edgeWidth},
                        {"flicker", clip.found.flicker}}}};
    if (clip.found.firstFrameKept)
        json["found"]["first_frame"] = *clip.found.firstFrameKept;
    if (clip.found.seam)
        json["found"]["seam"] = *clip.found.seam;
    return json;
}

/// One word of a video that was wanted, and the one that was found.
struct SplitWord {
    std::string_view what;
    std::string_view wanted;
    std::string_view found;
};

std::array<SplitWord, 4> splitWords(const EvaluatedClip& clip) {
    return {{{"colour", clip.wanted.color, clip.found.colour},
             {"background", clip.wanted.background, clip.found.background},
             {"motion", clip.wanted.motion, clip.found.motion},
             {"shape", clip.wanted.shape, clip.found.shape}}};
}

}  // namespace

std::string evaluationTable(const Evaluation& evaluation) {
    std::string text = fmt::format("{:<28} {:>10} {:>14}\n", "figure", "measured", "wanted");
    for (const Metric& metric : evaluation.metrics) {
        const std::string value =
            metric.value ? fmt::format("{:.1f} {}", *metric.value, metric.row->unit) : std::string("none");
        text += fmt::format("{:<28} {:>10} {:>14}  {}\n", metric.row->title, value, goalText(*metric.row),
                            metric.reached() ? "reached" : "missed");
    }
    return text;
}

std::string evaluationJson(const Evaluation& evaluation) {
    const EvaluationSettings& settings = evaluation.settings;
    ordered_json json{{"model", settings.model},
                      {"size", fmt::format("{}x{}x{}", settings.width, settings.height, settings.frames)},
                      {"prompts", evaluation.clips.size()},
                      {"preset", settings.preset},
                      {"steps", settings.steps},
                      {"guidance", settings.guidance},
                      {"flow_shift", settings.flowShift},
                      {"seed", settings.seed},
                      {"figures", ordered_json::array()},
                      {"clips", ordered_json::array()}};
    if (settings.clips > 1)
        json["clips_of_video"] = settings.clips;
    for (const Metric& metric : evaluation.metrics)
        json["figures"].push_back(metricJson(metric));
    for (const EvaluatedClip& clip : evaluation.clips)
        json["clips"].push_back(clipJson(clip));
    return json.dump(2) + "\n";
}

std::string findingsLine(const EvaluatedClip& clip) {
    if (!clip.found.present)
        return clip.wanted.prompt + ": nothing stands out from the background";
    std::vector<std::string> wrong;
    for (const SplitWord& word : splitWords(clip))
        if (word.wanted != word.found)
            wrong.push_back(fmt::format("{} {}, not {}", word.what, word.found, word.wanted));
    return fmt::format("{}: {}", clip.wanted.prompt,
                       wrong.empty() ? std::string("as asked") : fmt::format("{}", fmt::join(wrong, "; ")));
}

}  // namespace meshreel
