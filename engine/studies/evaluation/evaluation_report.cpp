// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

namespace meshreel {
namespace {

using nlohmann::ordered_json;

std::string goalText(const FigureRow& row) {
    return fmt::format("{} {} {}", row.bound == Bound::AtLeast ? ">=" : "<=", row.goal, row.unit);
}

ordered_json figureJson(const Figure& figure) {
    ordered_json json{{"key", figure.row->key},          {"title", figure.row->title},
                      {"unit", figure.row->unit},        {"value", nullptr},
                      {"wanted", goalText(*figure.row)}, {"reached", figure.reached()}};
    if (figure.value)
        json["value"] = *figure.value;
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
    return json;
}

/// What of a video is compared word by word.
struct Word {
    std::string_view what;
    std::string_view wanted;
    std::string_view found;
};

std::array<Word, 4> wordsOf(const EvaluatedClip& clip) {
    return {{{"colour", clip.wanted.color, clip.found.colour},
             {"background", clip.wanted.background, clip.found.background},
             {"motion", clip.wanted.motion, clip.found.motion},
             {"shape", clip.wanted.shape, clip.found.shape}}};
}

}  // namespace

std::string evaluationTable(const Evaluation& evaluation) {
    std::string text = fmt::format("{:<28} {:>10} {:>14}\n", "figure", "measured", "wanted");
    for (const Figure& figure : evaluation.figures) {
        const std::string value =
            figure.value ? fmt::format("{:.1f} {}", *figure.value, figure.row->unit) : std::string("none");
        text += fmt::format("{:<28} {:>10} {:>14}  {}\n", figure.row->title, value, goalText(*figure.row),
                            figure.reached() ? "reached" : "missed");
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
    for (const Figure& figure : evaluation.figures)
        json["figures"].push_back(figureJson(figure));
    for (const EvaluatedClip& clip : evaluation.clips)
        json["clips"].push_back(clipJson(clip));
    return json.dump(2) + "\n";
}

std::string findingsLine(const EvaluatedClip& clip) {
    if (!clip.found.present)
        return clip.wanted.prompt + ": nothing stands out from the background";
    std::vector<std::string> wrong;
    for (const Word& word : wordsOf(clip))
        if (word.wanted != word.found)
            wrong.push_back(fmt::format("{} {}, not {}", word.what, word.found, word.wanted));
    return fmt::format("{}: {}", clip.wanted.prompt,
                       wrong.empty() ? std::string("as asked") : fmt::format("{}", fmt::join(wrong, "; ")));
}

}  // namespace meshreel
