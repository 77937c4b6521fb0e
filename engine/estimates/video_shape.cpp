// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/video_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/models/sound/frame_packer.h"
#include "engine/models/sound/sound_config.h"

namespace meshreel {
namespace {

/// Error{Project} for a size that this model cannot make, with the nearest ones that it can.
void requireMultiple(std::string_view key, std::int64_t value, std::int64_t step, std::int64_t offset) {
    if ((value - offset) % step == 0)
        return;
    const std::int64_t below = (value - offset) / step * step + offset;
    const std::int64_t above = below + step;
    std::vector<std::string> nearest{fmt::to_string(above)};
    if (below > 0)
        nearest.insert(above - value < value - below ? nearest.end() : nearest.begin(),
                       fmt::to_string(below));
    throw Error(
        ErrorKind::Project,
        Problem{.id = "video-size-off-grid",
                .key = std::string(key),
                .message = offset == 0
                               ? sentence("{} is {}, and this model makes multiples of {}", key, value, step)
                               : sentence("{} is {}, and this model makes multiples of {} plus {}", key,
                                          value, step, offset),
                .fixes = setKey(below > 0 ? sentence("The nearest legal values are {} and {}", below, above)
                                          : sentence("The nearest legal value is {}", above),
                                key, nearest)});
}

/// `most`: the largest value that the model knows positions for.
void requireWithinRotary(std::string_view key, std::int64_t patches, std::int64_t most,
                         const WanTransformerConfig& config) {
    if (patches > config.rotaryMaxLength)
        throw Error(ErrorKind::Project,
                    Problem{.id = "video-too-large",
                            .key = std::string(key),
                            .message = sentence(
                                "{} makes {} patches along one axis, and this model knows {} positions", key,
                                patches, config.rotaryMaxLength),
                            .fixes = setKey(sentence("Make it smaller"), key, {fmt::to_string(most)})});
}

}  // namespace

Shape computeLatentShape(const Project& project, const ModelFacts& model) {
    const std::int64_t spatial = model.vae.spatialFactor();
    const std::int64_t temporal = model.vae.temporalFactor();
    const auto& patch = model.transformer.patch;
    requireMultiple("height", project.height, spatial * patch[1], 0);
    requireMultiple("width", project.width, spatial * patch[2], 0);
    const std::int64_t frames = (project.numFrames - 1) / temporal + 1;
    requireMultiple("num_frames", project.numFrames, temporal * patch[0], temporal * (patch[0] - 1) + 1);
    const std::int64_t positions = model.transformer.rotaryMaxLength;
    requireWithinRotary("num_frames", frames / patch[0], (positions * patch[0] - 1) * temporal + 1,
                        model.transformer);
    requireWithinRotary("height", project.height / spatial / patch[1], positions * patch[1] * spatial,
                        model.transformer);
    requireWithinRotary("width", project.width / spatial / patch[2], positions * patch[2] * spatial,
                        model.transformer);
    return {1, model.vae.zDim, frames, project.height / spatial, project.width / spatial};
}

std::int64_t tokenCount(const Shape& latents, const WanTransformerConfig& config) {
    return latents[2] / config.patch[0] * (latents[3] / config.patch[1]) * (latents[4] / config.patch[2]);
}

std::int64_t tokenCount(const GroupShape& group, const WanTransformerConfig& config) {
    return group.embedding == PatchEmbedding::Motion ? motionTokens(group.latents[3], group.latents[4])
                                                     : tokenCount(group.latents, config);
}

std::int64_t tokenCount(const Shape& latents, std::span<const GroupShape> groups,
                        const WanTransformerConfig& config) {
    std::int64_t tokens = tokenCount(latents, config);
    for (const GroupShape& group : groups)
        tokens += tokenCount(group, config);
    return tokens;
}

VideoSegments planSegments(std::int64_t videoFrames, std::int64_t frames, std::int64_t overlap) {
    const std::int64_t own = frames - overlap;
    const std::int64_t rest = std::max<std::int64_t>(videoFrames - overlap, 1);
    return {.count = static_cast<int>((rest + own - 1) / own), .frames = frames, .overlap = overlap};
}

VideoSegments planSpeechClips(std::int64_t videoFrames) {
    const std::int64_t made = std::max<std::int64_t>(1, videoFrames) + speechClipsUnshown;
    return {.count = static_cast<int>((made + speechClipFrames - 1) / speechClipFrames),
            .frames = speechClipFrames,
            .overlap = 0,
            .leading = speechClipsUnshown};
}

std::vector<std::int64_t> reflectedFrames(std::int64_t length, std::int64_t wanted) {
    std::vector<std::int64_t> frames;
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (length - 1));
    for (std::int64_t frame = 0; frame < wanted; ++frame) {
        const std::int64_t place = frame % period;
        frames.push_back(place < length ? place : period - place);
    }
    return frames;
}

namespace {

/// Python's a // b, of positive numbers: exact where a quotient would be rounded up to the next whole number.
double wholeTimes(double a, double b) {
    const double quotient = (a - std::fmod(a, b)) / b;
    const double whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

std::int64_t multipleBelow(double value, std::int64_t step) {
    return static_cast<std::int64_t>(wholeTimes(value, real(step)) * real(step));
}

/// Python's round: halves go to the even neighbour, as nearbyint does by default.
std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value));
}

FrameSize requireSome(const FrameSize& size, std::int64_t maxArea, std::int64_t step) {
    if (size.height < 1 || size.width < 1)
        throw Error(ErrorKind::Project,
                    sentence("No video of this image's form and {} pixels at most has sides that are "
                             "multiples of {}",
                             maxArea, step),
                    "max_area", sentence("Choose a larger area, or an image that is less long and narrow"));
    return size;
}

/// How far two forms (width by height) are from each other, as a factor from 1 on.
double distance(double form, double other) {
    return std::max(form / other, other / form);
}

}  // namespace

FrameSize wanImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t latentPixels,
                            std::int64_t patch) {
    const double form = real(image.height) / real(image.width);
    const auto side = [&](double pixels) {
        const double patches = wholeTimes(wholeTimes(pixels, real(latentPixels)), real(patch));
        return rounded(patches * real(patch)) * latentPixels;
    };
    return requireSome({side(std::sqrt(real(maxArea) * form)), side(std::sqrt(real(maxArea) / form))},
                       maxArea, latentPixels * patch);
}

FrameSize bestOutputSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step) {
    const double form = real(image.width) / real(image.height);
    const double width = std::pow(real(maxArea) * form, 0.5);
    const double height = real(maxArea) / width;
    const auto other = [&](std::int64_t side) {
        return side < 1 ? 0 : multipleBelow(real(maxArea) / real(side), step);
    };
    FrameSize byWidth{.height = 0, .width = multipleBelow(width, step)};
    byWidth.height = other(byWidth.width);
    FrameSize byHeight{.height = multipleBelow(height, step), .width = 0};
    byHeight.width = other(byHeight.height);
    if (byWidth.height < 1)
        return requireSome(byHeight, maxArea, step);
    if (byHeight.width < 1)
        return requireSome(byWidth, maxArea, step);
    const auto formOf = [](const FrameSize& size) { return real(size.width) / real(size.height); };
    return distance(form, formOf(byWidth)) < distance(form, formOf(byHeight)) ? byWidth : byHeight;
}

FrameSize diffusersImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step) {
    const double form = real(image.height) / real(image.width);
    const auto side = [&](double pixels) { return rounded(pixels) / step * step; };
    return requireSome({side(std::sqrt(real(maxArea) * form)), side(std::sqrt(real(maxArea) / form))},
                       maxArea, step);
}

}  // namespace meshreel
