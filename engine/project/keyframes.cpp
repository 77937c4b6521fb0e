// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keyframes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/project/yaml.h"

namespace meshreel {
namespace {

constexpr std::string_view keyframesKey = "keyframes";
constexpr std::array placeUnits{PlaceUnit::Frame, PlaceUnit::Seconds, PlaceUnit::Percent};
constexpr double wholeClip = 100;  // percent

Sentence pattern() {
    return sentence("Write {{frame: 8, image: PATH}}, or seconds or percent in place of frame");
}

/// Caught by readKeyframes().
[[noreturn]] void refuseKeyframe(const YamlNode& at, Sentence message, Sentence hint) {
    throw Error(ErrorKind::Project, Problem{.id = "keyframes-malformed",
                                            .place = {.line = std::max(at.line, 0)},
                                            .message = std::move(message),
                                            .fixes = byHand(std::move(hint))});
}

std::string keyframeText(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::Scalar || node.text.empty())
        refuseKeyframe(node, sentence("A keyframe's {} is not one value", node.key),
                       sentence("Write one value behind it"));
    return node.text;
}

double placeNumber(const YamlNode& node, PlaceUnit unit) {
    const auto read = parseReal(keyframeText(node));
    if (const auto* problem = std::get_if<Problem>(&read))
        refuseKeyframe(node, sentence("{}: {}", node.key, problem->message), problem->hint());
    const double value = std::get<double>(read);
    const double most = unit == PlaceUnit::Percent ? wholeClip : farthestFrame;
    if (value < 0 || value > most)
        refuseKeyframe(node, sentence("A keyframe's {} cannot be {}", node.key, node.text),
                       sentence("Write a number from 0 to {}", most));
    if (unit == PlaceUnit::Frame && value != std::floor(value))
        refuseKeyframe(node, sentence("A keyframe's frame {} is not a whole number", node.text),
                       sentence("Write {}, or a place in seconds or percent", std::llround(value)));
    return value;
}

Keyframe readKeyframe(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::Map)
        refuseKeyframe(node, sentence("A keyframe is not a map"), pattern());
    Keyframe keyframe;
    std::optional<PlaceUnit> given;
    for (const YamlNode& child : node.children) {
        if (child.key == "image") {
            keyframe.image = expandTilde(keyframeText(child)).string();
            continue;
        }
        const auto unit = std::ranges::find(placeUnits, child.key, [](PlaceUnit of) { return nameOf(of); });
        if (unit == placeUnits.end())
            refuseKeyframe(child, sentence("A keyframe has no \"{:.80}\"", child.key),
                           sentence("Its keys are image and one of frame, seconds and percent"));
        if (given)
            refuseKeyframe(child, sentence("A keyframe has both {} and {}", nameOf(*given), child.key),
                           sentence("Leave one of them"));
        given = *unit;
        keyframe.place = {.unit = *unit, .value = placeNumber(child, *unit)};
    }
    if (keyframe.image.empty())
        refuseKeyframe(node, sentence("A keyframe has no image"), pattern());
    if (!given)
        refuseKeyframe(node, sentence("A keyframe has no place"), pattern());
    return keyframe;
}

KeyframeList readKeyframeList(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::Scalar && node.text.empty())
        return {};
    if (node.kind != YamlNode::Kind::List)
        return {readKeyframe(node)};
    KeyframeList list;
    for (const YamlNode& child : node.children)
        list.push_back(readKeyframe(child));
    return list;
}

std::string placeText(const ClipPlace& place) {
    return place.unit == PlaceUnit::Frame ? fmt::format("frame: {}", static_cast<std::int64_t>(place.value))
                                          : fmt::format("{}: {}", nameOf(place.unit), realText(place.value));
}

/// The list with one of its places changed, or without it.
std::string changedList(const KeyframeList& list, std::size_t index, std::optional<ClipPlace> place) {
    KeyframeList changed = list;
    if (place)
        changed[index].place = *place;
    else
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(index));
    return keyframesText(changed);
}

ClipPlace atFrame(std::int64_t frame) {
    return {.unit = PlaceUnit::Frame, .value = static_cast<double>(frame)};
}

Problem outside(const Project& project, std::size_t index, std::int64_t frame) {
    constexpr std::int64_t step = 4;  // num_frames are a multiple of it, plus 1
    const std::int64_t last = project.numFrames - 1;
    const std::int64_t longer = (frame + step - 1) / step * step + 1;
    Problem problem{
        .id = "keyframe-outside-clip",
        .key = std::string(keyframesKey),
        .involved = {"num_frames", "fps"},
        .message = sentence("Keyframe {} ({}) is at frame {}, and the last of {} frames is {}", index + 1,
                            placeText(project.keyframes[index].place), frame, project.numFrames, last),
        .fixes = setKey(sentence("Move it to frame {} or before, or make num_frames {}", last, longer),
                        keyframesKey, {changedList(project.keyframes, index, atFrame(last))})};
    problem.fixes.emplace_back().changes = {{.key = "num_frames", .value = fmt::to_string(longer)}};
    return problem;
}

Problem coincide(const Project& project, std::size_t index, std::int64_t frame, const Sentence& other) {
    return {.id = "keyframes-coincide",
            .key = std::string(keyframesKey),
            .involved = {"num_frames", "fps"},
            .message = sentence("Keyframe {} ({}) is at frame {}, where {} is already", index + 1,
                                placeText(project.keyframes[index].place), frame, other),
            .fixes = setKey(sentence("Move it to another frame, or remove one of them"), keyframesKey,
                            {changedList(project.keyframes, index, std::nullopt)})};
}

}  // namespace

std::string keyframesText(const KeyframeList& keyframes) {
    std::string text;
    for (const Keyframe& keyframe : keyframes)
        text += fmt::format("{}{{{}, image: {}}}", text.empty() ? "" : ", ", placeText(keyframe.place),
                            yamlFlowScalar(withTilde(keyframe.image)));
    return fmt::format("[{}]", text);
}

std::variant<KeyframeList, Problem> readKeyframes(const YamlNode& node) {
    try {
        return readKeyframeList(node);
    } catch (const Error& refused) {
        return refused.problem();
    }
}

std::vector<Problem> keyframeProblems(const Project& project) {
    std::vector<Problem> problems;
    if (project.keyframes.empty())
        return problems;
    std::map<std::int64_t, Sentence> taken;
    if (!project.image.empty())
        taken[0] = Sentence("image");
    if (!project.lastImage.empty())
        taken.emplace(project.numFrames - 1, Sentence("last_image"));
    for (std::size_t index = 0; index < project.keyframes.size(); ++index) {
        const std::int64_t frame = project.keyframes[index].place.frameOf(project.numFrames, project.fps);
        if (frame >= project.numFrames) {
            problems.push_back(outside(project, index, frame));
            continue;
        }
        const auto [at, isNew] = taken.try_emplace(frame, sentence("keyframe {}", index + 1));
        if (!isNew)
            problems.push_back(coincide(project, index, frame, at->second));
    }
    return problems;
}

}  // namespace meshreel
