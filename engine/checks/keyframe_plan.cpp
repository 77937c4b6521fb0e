// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/keyframe_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/project/clip_place.h"
#include "engine/project/keyframes.h"

namespace meshreel {
namespace {

constexpr std::string_view keyframesKey = "keyframes";

/// Frames of a clip and of its latents: the first latent has one, each other `each`.
struct ClipGrid {
    std::int64_t frames;
    std::int64_t each;

    [[nodiscard]] std::int64_t latents() const { return (frames - 1) / each + 1; }
    [[nodiscard]] std::int64_t latentOf(std::int64_t frame) const { return (frame + each - 1) / each; }
    [[nodiscard]] std::int64_t firstOf(std::int64_t latent) const {
        return latent == 0 ? 0 : each * (latent - 1) + 1;
    }
    [[nodiscard]] std::int64_t lastOf(std::int64_t latent) const { return each * latent; }
    /// Frame that VACE's mask of a latent is read from: foldedMask(). -1 before the first.
    [[nodiscard]] std::int64_t maskSourceOf(std::int64_t latent) const {
        return latent < 0 ? -1 : (2 * latent + 1) * frames / (2 * latents());
    }
};

void placeByMask(PlannedKeyframe& picture, const ClipGrid& grid, std::int64_t continued) {
    const std::int64_t last = grid.frames - 1;
    const std::int64_t first = grid.lastOf(grid.latentOf(std::max<std::int64_t>(1, continued) - 1) + 1);
    picture.isBetween = picture.asked > 0 && picture.asked < last;
    if (picture.isBetween) {
        const std::int64_t nearest = (picture.asked + grid.each / 2) / grid.each * grid.each;
        picture.frame = std::max(first, std::min(nearest, last - grid.each));
    }
    picture.latentFrame = grid.latentOf(picture.frame);
}

void placeByTime(PlannedKeyframe& picture, const ClipGrid& grid) {
    picture.latentFrame = grid.latentOf(picture.asked);
    if (picture.asked == 0 || picture.asked == grid.frames - 1)
        return;
    picture.frame = grid.firstOf(picture.latentFrame);
    picture.frames = grid.each;
}

void placeByControl(PlannedKeyframe& picture, const ClipGrid& grid) {
    picture.latentFrame = grid.latentOf(picture.asked);
    picture.frame =
        std::max(grid.firstOf(picture.latentFrame), grid.maskSourceOf(picture.latentFrame - 1) + 1);
    const std::int64_t last =
        std::max(grid.lastOf(picture.latentFrame), grid.maskSourceOf(picture.latentFrame));
    picture.frames = std::min(last, grid.frames - 1) - picture.frame + 1;
}

KeyframeWay wayOf(const ModelFamily& family) {
    if (family.traits.vaceBlocks)
        return KeyframeWay::Control;
    return family.traits.tokenTimesteps ? KeyframeWay::TokenTimes : KeyframeWay::Mask;
}

ClipGrid gridOf(const Project& project, const ModelFacts& model) {
    return {.frames = project.numFrames, .each = model.vae.temporalFactor()};
}

Sentence nameOfPicture(const PlannedKeyframe& picture) {
    return picture.key == keyframesKey ? sentence("keyframe {}", picture.index + 1) : Sentence(picture.key);
}

/// The project's list with one picture at another frame, or without it.
std::string listWith(const Project& project, const PlannedKeyframe& picture,
                     std::optional<std::int64_t> frame) {
    KeyframeList list = project.keyframes;
    if (frame)
        list[picture.index].place = {.unit = PlaceUnit::Frame, .value = static_cast<double>(*frame)};
    else
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(picture.index));
    return keyframesText(list);
}

Problem tooClose(const Project& project, const PlannedKeyframe& one, const PlannedKeyframe& other,
                 std::int64_t each) {
    const PlannedKeyframe& moved = other.key == keyframesKey ? other : one;
    return {
        .id = "keyframes-too-close",
        .key = std::string(keyframesKey),
        .involved = {"num_frames"},
        .message = sentence("{} (frame {}) and {} (frame {}) are in the same latent frame, which holds one "
                            "picture",
                            nameOfPicture(one), one.asked, nameOfPicture(other), other.asked),
        .fixes = setKey(sentence("Move one of them by {} frames or more, or remove it", each), keyframesKey,
                        {listWith(project, moved, std::nullopt)})};
}

Problem noPlaceBetween(const PlannedKeyframe& picture, std::int64_t fewest) {
    return {
        .id = "value-below-least",
        .key = "num_frames",
        .involved = {std::string(keyframesKey)},
        .message = sentence("{} stands between the first and the last frame, for which this model needs {} "
                            "frames at least",
                            nameOfPicture(picture), fewest),
        .fixes = setKey({}, "num_frames", {std::to_string(fewest)})};
}

/// A frame that a person named and that is not the one.
Problem movedPicture(const Project& project, const PlannedKeyframe& picture) {
    return {.id = "keyframe-moved",
            .severity = Severity::Warning,
            .key = std::string(keyframesKey),
            .message = sentence("{} stands at frame {} in place of {}: between the ends this model takes "
                                "pictures at the last frame of a latent only",
                                nameOfPicture(picture), picture.frame, picture.asked),
            .fixes = setKey(sentence("Write frame: {}", picture.frame), keyframesKey,
                            {listWith(project, picture, picture.frame)})};
}

}  // namespace

KeyframePlan planKeyframes(const Project& project, const ModelFacts& model) {
    KeyframePlan plan{.way = wayOf(*model.family), .pictures = {}};
    if (project.keyframes.empty())
        return plan;
    const WanTask task = chooseTask(project, *model.family).task;
    if (!reads(rowOf(task), keyframesKey))
        return plan;
    plan.continued = continuedFrames(project, *model.family, task);
    if (!project.image.empty())
        plan.pictures.push_back({.key = "image"});
    if (!project.lastImage.empty())
        plan.pictures.push_back({.key = "last_image", .asked = project.numFrames - 1});
    for (std::size_t index = 0; index < project.keyframes.size(); ++index)
        plan.pictures.push_back(
            {.key = std::string(keyframesKey),
             .index = index,
             .asked = project.keyframes[index].place.frameOf(project.numFrames, project.fps)});
    const ClipGrid grid = gridOf(project, model);
    for (PlannedKeyframe& picture : plan.pictures) {
        picture.frame = picture.asked;
        switch (plan.way) {
            case KeyframeWay::Mask:
                placeByMask(picture, grid, plan.continued);
                break;
            case KeyframeWay::TokenTimes:
                placeByTime(picture, grid);
                break;
            case KeyframeWay::Control:
                placeByControl(picture, grid);
                break;
        }
    }
    std::ranges::sort(plan.pictures, {}, &PlannedKeyframe::asked);
    return plan;
}

std::vector<Problem> keyframeProblems(const Project& project, const ModelFacts& model) {
    const KeyframePlan plan = planKeyframes(project, model);
    const std::int64_t each = model.vae.temporalFactor();
    std::vector<Problem> problems;
    const std::int64_t fewest = std::max<std::int64_t>(1, plan.continued) + 2 * each;
    for (const PlannedKeyframe& picture : plan.pictures)
        if (picture.isBetween && project.numFrames < fewest)
            return {noPlaceBetween(picture, fewest)};
    for (std::size_t index = 1; index < plan.pictures.size(); ++index)
        if (plan.pictures[index - 1].latentFrame == plan.pictures[index].latentFrame)
            problems.push_back(tooClose(project, plan.pictures[index - 1], plan.pictures[index], each));
    if (model.family->traits.imagePositions && plan.pictures.size() == 1 && plan.continued == 0)
        problems.push_back({.id = "keyframes-too-few",
                            .key = std::string(keyframesKey),
                            .involved = {"image", "last_image"},
                            .message = sentence("The model ({}) looks at two pictures, and there is one",
                                                tableText(model.family->title)),
                            .fixes = byHand(sentence("Name another keyframe, image or last_image"))});
    if (!problems.empty())
        return problems;
    for (const PlannedKeyframe& picture : plan.pictures)
        if (plan.way == KeyframeWay::Mask && picture.key == keyframesKey && picture.frame != picture.asked &&
            project.keyframes[picture.index].place.unit == PlaceUnit::Frame)
            problems.push_back(movedPicture(project, picture));
    return problems;
}

std::vector<PlannedKeyframe> seenPictures(const KeyframePlan& plan, const ModelFamily& family) {
    if (plan.pictures.empty() || !family.traits.imageEmbeddings)
        return {};
    std::vector<PlannedKeyframe> seen;
    if (plan.continued == 0)
        seen.push_back(plan.pictures.front());
    if (family.traits.imagePositions)
        seen.push_back(plan.pictures.back());
    return seen;
}

}  // namespace meshreel
