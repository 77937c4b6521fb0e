// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/visual_conditioning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/image_resize.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/sampling/known_frames.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

constexpr float white = 1.0F;
constexpr float maskThreshold = 0.5F;

GivenFrames givenIn(const VisualInputs& inputs, const VideoGeometry& geometry) {
    GivenFrames given = inputs.given;
    if (inputs.image)
        given.insert(given.begin(), {.first = 0, .pixels = *inputs.image});
    if (inputs.lastImage)
        given.push_back({.first = geometry.frames - 1, .pixels = *inputs.lastImage});
    return given;
}

/// A mask, and the latents of the given frames with grey between.
VisualConditioning conditionOnFrames(const VisualInputs& inputs, const VideoGeometry& geometry,
                                     const EncodeVideo& encode) {
    const GivenFrames given = givenIn(inputs, geometry);
    const Tensor latents = encode(givenVideo(given, geometry));
    const auto channelsOf = [&](int expert) {
        return joined({givenMask(given, geometry, latents.extent(3), latents.extent(4), expert), latents},
                      channelAxis);
    };
    VisualConditioning visual;
    visual.channels = channelsOf(1);
    if (std::ranges::any_of(given, [](const GivenStretch& stretch) { return stretch.marks.has_value(); }))
        visual.secondChannels = channelsOf(2);
    visual.imageTokens = inputs.imageTokens;
    return visual;
}

/// Latent frames before the one in which tracks begin.
std::int64_t framesBeforeTracks(const VisualInputs& inputs, const VideoGeometry& geometry) {
    return (inputs.image->extent(frameAxis) - 1) / geometry.temporalFactor;
}

/// The latents from the frame on in which tracks begin: where several frames are given, the last of them. It
/// is encoded by itself, too: that is the latent that the models know of such a frame.
Tensor fromWhereTracksBegin(const Tensor& latents, const VisualInputs& inputs, const VideoGeometry& geometry,
                            const EncodeVideo& encode) {
    const std::int64_t before = framesBeforeTracks(inputs, geometry);
    if (before == 0)
        return latents;
    const std::int64_t shown = inputs.image->extent(frameAxis);
    const Tensor begin = encode(sliced(*inputs.image, frameAxis, shown - 1, shown));
    return joined({begin, sliced(latents, frameAxis, before + 1, latents.extent(frameAxis))}, frameAxis);
}

/// Wan-Move: the frames are given as to image to video, and behind the first one the prompt's half sees its
/// latents along the tracks.
VisualConditioning conditionOnMoves(const VisualInputs& inputs, const VideoGeometry& geometry,
                                    const EncodeVideo& encode) {
    const GivenFrames given = givenIn(inputs, geometry);
    const Tensor latents = encode(givenVideo(given, geometry));
    const Tensor mask = givenMask(given, geometry, latents.extent(3), latents.extent(4));
    const std::int64_t before = framesBeforeTracks(inputs, geometry);
    const Tensor moved =
        copiedAlongTracks(fromWhereTracksBegin(latents, inputs, geometry, encode), *inputs.tracks, geometry);
    const Tensor behind = sliced(moved, frameAxis, 1, moved.extent(frameAxis));
    VisualConditioning visual;
    visual.imageTokens = inputs.imageTokens;
    visual.channels =
        joined({mask, joined({sliced(latents, frameAxis, 0, before + 1), behind}, frameAxis)}, channelAxis);
    visual.negativeChannels = joined({mask, latents}, channelAxis);
    return visual;
}

/// Bernini-R: the video and each picture, encoded by themselves, at the plan's places.
VisualConditioning conditionOnSources(const VisualInputs& inputs, std::span<const GroupShape> groups,
                                      const EncodeVideo& encode) {
    std::vector<Tensor> sources;
    if (inputs.video)
        sources.push_back(*inputs.video);
    sources.insert(sources.end(), inputs.references.begin(), inputs.references.end());
    VisualConditioning visual;
    visual.leavesOutGroups = true;
    for (std::size_t index = 0; index < groups.size(); ++index)
        visual.groups.push_back({.latents = encode(sources[index]),
                                 .firstFrame = groups[index].firstFrame,
                                 .source = groups[index].source});
    return visual;
}

VisualConditioning conditionOnTracks(const VisualInputs& inputs, const VideoGeometry& geometry,
                                     const EncodeVideo& encode) {
    const std::int64_t before = framesBeforeTracks(inputs, geometry);
    const Tensor latents = encode(givenVideo(givenIn(inputs, geometry), geometry));
    const Tensor moved = alongTracks(fromWhereTracksBegin(latents, inputs, geometry, encode), *inputs.tracks,
                                     geometry.temporalFactor);
    VisualConditioning visual;
    visual.imageTokens = inputs.imageTokens;
    if (before == 0) {
        visual.channels = moved;
        return visual;
    }
    const Tensor given = sliced(latents, frameAxis, 0, before + 1);
    const Tensor known = Tensor::filled(given.shape().with(channelAxis, geometry.temporalFactor), 1.0F);
    visual.channels =
        joined({joined({known, given}, channelAxis), sliced(moved, frameAxis, 1, moved.extent(frameAxis))},
               frameAxis);
    return visual;
}

/// A folded mask whose first latents are given: those of `frames` of the clip before. The fold reads a
/// latent's mask from a frame near its middle, which may be the first one behind them.
Tensor withGivenClip(const Tensor& folded, std::int64_t frames, const VideoGeometry& geometry) {
    const std::int64_t latents = (frames - 1) / geometry.temporalFactor + 1;
    const Tensor given = Tensor::zeros({1, folded.extent(1), latents, folded.extent(3), folded.extent(4)});
    return joined({given, sliced(folded, frameAxis, latents, folded.extent(frameAxis))}, frameAxis);
}

/// Inactive and reactive latents, folded mask; of each reference, before the others, a frame that is only
/// inactive and given.
VisualConditioning conditionOnEdit(const VisualInputs& inputs, const VideoGeometry& geometry,
                                   const EncodeVideo& encode) {
    const Tensor& video = *inputs.video;
    const Tensor& mask = *inputs.mask;
    Tensor latents = joined({encode(maskedVideo(video, mask, false)), encode(maskedVideo(video, mask, true))},
                            channelAxis);
    Tensor folded = foldedMask(mask, geometry);
    if (inputs.clip)
        folded = withGivenClip(folded, inputs.clip->extent(frameAxis), geometry);
    for (const Tensor& reference : inputs.references) {
        const Tensor seen = encode(reference);
        latents = joined({joined({seen, Tensor::zeros(seen.shape())}, channelAxis), latents}, frameAxis);
        const Tensor given = Tensor::zeros({1, folded.extent(1), 1, folded.extent(3), folded.extent(4)});
        folded = joined({given, folded}, frameAxis);
    }
    VisualConditioning visual;
    visual.control = joined({latents, folded}, channelAxis);
    return visual;
}

}  // namespace

std::optional<Tensor> latentsOfClip(const VisualInputs& inputs, const EncodeVideo& encode) {
    if (inputs.clipLatents)
        return inputs.clipLatents;
    return inputs.clip ? std::optional(encode(*inputs.clip)) : std::nullopt;
}

Tensor maskedVideo(const Tensor& video, const Tensor& mask, bool inside) {
    Tensor result = Tensor::empty(video.shape());
    std::ranges::transform(
        video.data<float>(), mask.data<float>(), result.data<float>().begin(),
        [inside](float pixel, float value) { return (value > maskThreshold) == inside ? pixel : 0.0F; });
    return result;
}

namespace {

/// A place relative to the middle, the shorter edge of the video from -1 to 1.
struct TrackPlace {
    float x = 0;
    float y = 0;
};

/// A track in one latent frame.
struct TrackStay {
    TrackPlace place;  ///< the mean of the frames in which it is seen
    float seen = 0;    ///< 1 if it is visible in any of them
};

/// torch.linspace(-bound, bound, count), rounded as there.
std::vector<float> evenPlaces(float bound, std::int64_t count) {
    std::vector<float> places(static_cast<std::size_t>(count), -bound);
    const float step = count > 1 ? 2 * bound / static_cast<float>(count - 1) : 0;
    for (std::int64_t i = 0; i < count; ++i)
        places[static_cast<std::size_t>(i)] = i < count / 2
                                                  ? -bound + step * static_cast<float>(i)
                                                  : bound - step * static_cast<float>(count - 1 - i);
    return places;
}

/// The latents [1, z, F, h, w] of the first frame at a place in [-1, 1]², as torch's grid_sample does without
/// aligned corners: bilinear, 0 outside.
std::vector<float> featureAt(const Tensor& latents, TrackPlace place) {
    const std::int64_t height = latents.extent(3);
    const std::int64_t width = latents.extent(4);
    const float x = ((place.x + 1) * static_cast<float>(width) - 1) / 2;
    const float y = ((place.y + 1) * static_cast<float>(height) - 1) / 2;
    const auto left = static_cast<std::int64_t>(std::floor(x));
    const auto top = static_cast<std::int64_t>(std::floor(y));
    const float right = x - static_cast<float>(left);
    const float below = y - static_cast<float>(top);
    std::vector<float> feature(static_cast<std::size_t>(latents.extent(channelAxis)), 0.0F);
    for (const auto& [column, row, weight] :
         {std::tuple(left, top, (1 - right) * (1 - below)), std::tuple(left + 1, top, right * (1 - below)),
          std::tuple(left, top + 1, (1 - right) * below), std::tuple(left + 1, top + 1, right * below)}) {
        if (column < 0 || column >= width || row < 0 || row >= height)
            continue;
        for (std::size_t channel = 0; channel < feature.size(); ++channel) {
            const auto plane = static_cast<std::int64_t>(channel) * latents.extent(frameAxis);
            feature[channel] +=
                weight *
                latents.data<float>()[static_cast<std::size_t>((plane * height + row) * width + column)];
        }
    }
    return feature;
}

/// Returns where the tracks are in latent frame `frame` of those after the first.
std::vector<TrackStay> staysIn(const Tensor& tracks, std::int64_t frame, std::int64_t temporalFactor) {
    constexpr float tiny = 1e-5F;
    const std::int64_t count = tracks.extent(1);
    const auto samples = tracks.data<float>();
    std::vector<TrackStay> stays(static_cast<std::size_t>(count));
    for (std::int64_t track = 0; track < count; ++track) {
        TrackPlace sum;
        float seen = 0;
        for (std::int64_t i = 0; i < temporalFactor; ++i) {
            const auto sample = samples.subspan(
                static_cast<std::size_t>(((1 + frame * temporalFactor + i) * count + track) * 3), 3);
            sum.x += sample[0] * sample[2];
            sum.y += sample[1] * sample[2];
            seen += sample[2];
        }
        stays[static_cast<std::size_t>(track)] = {.place = {sum.x / (seen + tiny), sum.y / (seen + tiny)},
                                                  .seen = std::clamp(seen, 0.0F, 1.0F)};
    }
    return stays;
}

/// The tracks that weigh most at a place, the heaviest first; of equal ones the first.
struct NearestTracks {
    std::array<std::size_t, 2> tracks{};
    std::array<float, 2> weights{};
};

NearestTracks nearestTracks(const std::vector<TrackStay>& stays, TrackPlace place) {
    constexpr float temperature = 220;
    NearestTracks nearest;
    nearest.weights.fill(-1);
    for (std::size_t track = 0; track < stays.size(); ++track) {
        const float dx = stays[track].place.x - place.x;
        const float dy = stays[track].place.y - place.y;
        const float weight = std::exp(-(dx * dx + dy * dy) * temperature) * stays[track].seen;
        if (weight > nearest.weights[0]) {
            nearest.weights[1] = std::exchange(nearest.weights[0], weight);
            nearest.tracks[1] = std::exchange(nearest.tracks[0], track);
        } else if (weight > nearest.weights[1]) {
            nearest.weights[1] = weight;
            nearest.tracks[1] = track;
        }
    }
    nearest.weights[1] = std::max(0.0F, nearest.weights[1]);  // for a single track
    return nearest;
}

}  // namespace

Tensor alongTracks(const Tensor& latents, const Tensor& tracks, std::int64_t temporalFactor) {
    const std::int64_t frames = latents.extent(frameAxis);
    const std::int64_t height = latents.extent(3);
    const std::int64_t width = latents.extent(4);
    const auto shorter = static_cast<float>(std::min(height, width));
    const float boundX = static_cast<float>(width) / shorter;
    const float boundY = static_cast<float>(height) / shorter;
    std::vector<std::vector<float>> features;
    for (std::int64_t track = 0; track < tracks.extent(1); ++track) {
        const auto begin = tracks.data<float>().subspan(static_cast<std::size_t>(track * 3), 2);
        features.push_back(featureAt(latents, {std::clamp(begin[0] / boundX, -1.0F, 1.0F),
                                               std::clamp(begin[1] / boundY, -1.0F, 1.0F)}));
    }
    const std::vector<float> columns = evenPlaces(boundX, width);
    const std::vector<float> rows = evenPlaces(boundY, height);

    Tensor mask = Tensor::zeros({1, temporalFactor, frames, height, width});
    Tensor moved = latents.clone();
    const auto area = static_cast<std::size_t>(height * width);
    const auto planeOf = [&](Tensor& of, std::int64_t channel, std::int64_t frame) {
        return of.data<float>().subspan(static_cast<std::size_t>(channel * frames + frame) * area, area);
    };
    for (std::int64_t channel = 0; channel < temporalFactor; ++channel)
        std::ranges::fill(planeOf(mask, channel, 0), 1.0F);
    for (std::int64_t frame = 1; frame < frames; ++frame) {
        const std::vector<TrackStay> stays = staysIn(tracks, frame - 1, temporalFactor);
        for (std::size_t pixel = 0; pixel < area; ++pixel) {
            const NearestTracks nearest =
                nearestTracks(stays, {columns[pixel % static_cast<std::size_t>(width)],
                                      rows[pixel / static_cast<std::size_t>(width)]});
            const float weight = nearest.weights[0] + nearest.weights[1];
            for (std::int64_t channel = 0; channel < temporalFactor; ++channel)
                planeOf(mask, channel, frame)[pixel] = weight;
            const float rest = 1 - std::clamp(weight, 0.0F, 1.0F);
            for (std::int64_t channel = 0; channel < latents.extent(channelAxis); ++channel) {
                const auto z = static_cast<std::size_t>(channel);
                float& value = planeOf(moved, channel, frame)[pixel];
                value = features[nearest.tracks[0]][z] * nearest.weights[0] +
                        features[nearest.tracks[1]][z] * nearest.weights[1] + value * rest;
            }
        }
    }
    return joined({mask, moved}, channelAxis);
}

Tensor trackPlaces(const Tensor& latents, const Tensor& tracks, const VideoGeometry& geometry) {
    const std::int64_t frames = latents.extent(frameAxis);
    const std::int64_t count = tracks.extent(1);
    const auto factor = static_cast<float>(geometry.spatialFactor);
    const auto height = static_cast<float>(latents.extent(3)) * factor;
    const auto width = static_cast<float>(latents.extent(4)) * factor;
    const auto samples = tracks.data<float>();
    Tensor places = Tensor::empty({count, frames, 2}, DType::I64);
    auto out = places.data<std::int64_t>().begin();
    for (std::int64_t track = 0; track < count; ++track)
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            const auto sample = samples.subspan(
                static_cast<std::size_t>((frame * geometry.temporalFactor * count + track) * 3), 3);
            const bool inside = sample[2] > 0.0F && sample[0] >= 0.0F && sample[1] >= 0.0F &&
                                sample[0] < width && sample[1] < height;
            *out++ = inside ? static_cast<std::int64_t>(sample[1] / factor) : -1;
            *out++ = inside ? static_cast<std::int64_t>(sample[0] / factor) : -1;
        }
    return places;
}

Tensor copiedAlongTracks(const Tensor& latents, const Tensor& tracks, const VideoGeometry& geometry) {
    const std::int64_t frames = latents.extent(frameAxis);
    const std::int64_t columns = latents.extent(4);
    const std::int64_t area = latents.extent(3) * columns;
    const Tensor places = trackPlaces(latents, tracks, geometry);
    const auto cellOf = [&](std::int64_t track, std::int64_t frame) {
        const auto place =
            places.data<std::int64_t>().subspan(static_cast<std::size_t>((track * frames + frame) * 2), 2);
        return place[0] < 0 ? std::int64_t{-1} : place[0] * columns + place[1];
    };
    Tensor moved = latents.clone();
    for (std::int64_t track = 0; track < tracks.extent(1); ++track) {
        const std::int64_t from = cellOf(track, 0);
        for (std::int64_t frame = 1; from >= 0 && frame < frames; ++frame) {
            const std::int64_t to = cellOf(track, frame);
            for (std::int64_t channel = 0; to >= 0 && channel < latents.extent(channelAxis); ++channel) {
                const std::int64_t plane = channel * frames * area;
                moved.data<float>()[static_cast<std::size_t>(plane + frame * area + to)] =
                    latents.data<float>()[static_cast<std::size_t>(plane + from)];
            }
        }
    }
    return moved;
}

Tensor foldedMask(const Tensor& mask, const VideoGeometry& geometry) {
    const std::int64_t factor = geometry.spatialFactor;
    const std::int64_t from = mask.extent(2);
    const std::int64_t frames = (from + geometry.temporalFactor - 1) / geometry.temporalFactor;
    const std::int64_t height = mask.extent(3) / factor;
    const std::int64_t width = mask.extent(4) / factor;
    const std::span<const float> pixels = mask.data<float>();
    const float scale = static_cast<float>(from) / static_cast<float>(frames);
    Tensor folded = Tensor::empty({1, factor * factor, frames, height, width});
    auto out = folded.data<float>().begin();
    for (std::int64_t row = 0; row < factor; ++row)
        for (std::int64_t column = 0; column < factor; ++column)
            for (std::int64_t frame = 0; frame < frames; ++frame) {
                const auto nearest = std::min(
                    static_cast<std::int64_t>(std::floor((static_cast<float>(frame) + 0.5F) * scale)),
                    from - 1);
                for (std::int64_t y = 0; y < height; ++y)
                    for (std::int64_t x = 0; x < width; ++x)
                        *out++ = pixels[static_cast<std::size_t>(
                            (nearest * mask.extent(3) + y * factor + row) * mask.extent(4) + x * factor +
                            column)];
            }
    return folded;
}

Tensor letterboxed(const Tensor& image, std::int64_t height, std::int64_t width) {
    const std::int64_t colours = image.extent(1);
    const std::int64_t fromHeight = image.extent(3);
    const std::int64_t fromWidth = image.extent(4);
    const double scale = std::min(static_cast<double>(height) / static_cast<double>(fromHeight),
                                  static_cast<double>(width) / static_cast<double>(fromWidth));
    const auto toHeight = static_cast<std::int64_t>(static_cast<double>(fromHeight) * scale);
    const auto toWidth = static_cast<std::int64_t>(static_cast<double>(fromWidth) * scale);
    const Tensor fitted = interpolatePlanes(image, toHeight, toWidth, Interpolation::Bilinear);
    Tensor canvas = Tensor::empty({1, colours, 1, height, width});
    std::ranges::fill(canvas.data<float>(), white);
    const std::int64_t top = (height - toHeight) / 2;
    const std::int64_t left = (width - toWidth) / 2;
    for (std::int64_t row = 0; row < colours * toHeight; ++row) {
        const std::int64_t line = row / toHeight * height + top + row % toHeight;
        std::ranges::copy(fitted.data<float>().subspan(static_cast<std::size_t>(row * toWidth),
                                                       static_cast<std::size_t>(toWidth)),
                          canvas.data<float>().begin() + line * width + left);
    }
    return canvas;
}

VisualConditioning conditionOn(WanTask task, bool tokenTimesteps, const VisualInputs& inputs,
                               const VideoGeometry& geometry, const EncodeVideo& encode,
                               std::span<const GroupShape> groups) {
    switch (task) {
        case WanTask::TextToVideo: {
            VisualConditioning visual;
            visual.begun = latentsOfClip(inputs, encode);
            return visual;
        }
        case WanTask::SubjectsToVideo: {
            std::vector<Tensor> frames;
            for (const Tensor& reference : inputs.references)
                frames.push_back(encode(reference));
            VisualConditioning visual;
            visual.groups = {{.latents = joined(frames, frameAxis), .firstFrame = groups.front().firstFrame}};
            visual.begun = latentsOfClip(inputs, encode);
            return visual;
        }
        case WanTask::TracksToVideo:
            return conditionOnTracks(inputs, geometry, encode);
        case WanTask::MoveToVideo:
            return conditionOnMoves(inputs, geometry, encode);
        case WanTask::ImageToVideo:
        case WanTask::FirstLastFrame:
        case WanTask::KeyframesToVideo: {
            if (!tokenTimesteps)
                return conditionOnFrames(inputs, geometry, encode);
            VisualConditioning visual;
            visual.given = encodeGiven(givenIn(inputs, geometry), geometry, encode);
            return visual;
        }
        case WanTask::SourcesToVideo: {
            VisualConditioning visual = conditionOnSources(inputs, groups, encode);
            visual.begun = latentsOfClip(inputs, encode);
            return visual;
        }
        case WanTask::VideoToVideo: {
            VisualConditioning visual;
            visual.startVideo = encode(*inputs.video);
            visual.begun = latentsOfClip(inputs, encode);
            return visual;
        }
        case WanTask::ControlToVideo:
            throw Error(ErrorKind::Internal, "a control video is conditioned on by itself");
        case WanTask::Animation:
        case WanTask::Replacement:
        case WanTask::DrivenAnimation:
        case WanTask::SpeechToVideo:
            throw Error(ErrorKind::Internal, "this task is conditioned segment by segment");
        case WanTask::VaceEditing:
            break;
    }
    return conditionOnEdit(inputs, geometry, encode);
}

Tensor modelLatents(const VisualConditioning& visual, const Tensor& latents, bool negative) {
    const Tensor seen = visual.given.empty() ? latents : withGiven(latents, visual.given);
    if (!visual.channels)
        return seen;
    const Tensor& channels =
        negative && visual.negativeChannels ? *visual.negativeChannels : *visual.channels;
    return joined({seen, repeated(channels, latents.extent(0))}, channelAxis);
}

std::vector<TokenGroup> modelGroups(const VisualConditioning& visual, std::int64_t videos, std::size_t seen) {
    std::vector<TokenGroup> groups;
    for (const TokenGroup& group : visual.groups) {
        const bool isSeen = groups.size() < seen;
        if (!isSeen && visual.leavesOutGroups)
            break;
        TokenGroup& given = groups.emplace_back(group);
        given.latents =
            isSeen ? repeated(group.latents, videos) : Tensor::zeros(group.latents.shape().with(0, videos));
    }
    return groups;
}

VisualConditioning visualOfExpert(const VisualConditioning& visual, int expert) {
    VisualConditioning own = visual;
    if (expert == 2 && visual.secondChannels)
        own.channels = visual.secondChannels;
    own.secondChannels.reset();
    return own;
}

namespace {

/// Places of the clip's frames in it, of those behind the character's.
WindowFrames behindCharacter(const WindowFrames& frames) {
    WindowFrames behind(frames.begin() + 1, frames.end());
    for (std::int64_t& frame : behind)
        --frame;
    return behind;
}

}  // namespace

WindowFrames facesOfWindow(const WindowFrames& frames) {
    constexpr std::int64_t each = 4;
    const WindowFrames behind = behindCharacter(frames);
    WindowFrames faces{each * behind.front()};
    for (const std::int64_t frame : std::span(behind).subspan(1))
        for (std::int64_t last = each - 1; last >= 0; --last)
            faces.push_back(std::max<std::int64_t>(0, each * frame - last));
    return faces;
}

VisualConditioning visualOfWindow(const VisualConditioning& visual, const WindowFrames& frames,
                                  const ContextWindows& windows) {
    VisualConditioning own = visual;
    WindowFrames seen = frames;
    if (windows.retainsFirst)
        seen[static_cast<std::size_t>(windows.leading)] = windows.leading;
    if (visual.channels)
        own.channels = framesOf(*visual.channels, seen);
    if (visual.negativeChannels)
        own.negativeChannels = framesOf(*visual.negativeChannels, seen);
    own.secondChannels.reset();
    if (visual.control)
        own.control = framesOf(*visual.control, frames);
    if (visual.pose)
        own.pose = framesOf(*visual.pose, behindCharacter(frames));
    own.faces.reset();
    return own;
}

Tensor tokenTimesteps(std::int64_t rows, std::int64_t frames, std::int64_t tokens, float timestep,
                      const std::vector<GivenLatents>& given, std::int64_t groupTokens) {
    const std::int64_t all = tokens + groupTokens;
    Tensor times = Tensor::empty({rows, all});
    std::ranges::fill(times.data<float>(), timestep);
    const std::int64_t frameTokens = tokens / frames;
    for (std::int64_t row = 0; row < rows; ++row)
        for (const GivenLatents& stretch : given)
            std::ranges::fill(times.data<float>().subspan(
                                  static_cast<std::size_t>(row * all + stretch.first * frameTokens),
                                  static_cast<std::size_t>(stretch.latents.extent(frameAxis) * frameTokens)),
                              0.0F);
    return times;
}

namespace {

/// The latents with other first frames.
Tensor withFirstFrames(const Tensor& latents, const Tensor& first) {
    return joined({first, sliced(latents, frameAxis, first.extent(frameAxis), latents.extent(frameAxis))},
                  frameAxis);
}

}  // namespace

Tensor withBegun(const VisualConditioning& visual, const Tensor& latents, const Scheduler& scheduler,
                 int step) {
    if (!visual.begun)
        return latents;
    const Tensor clean = repeated(*visual.begun, latents.extent(0));
    return withFirstFrames(latents, scheduler.addNoise(clean, *visual.begunNoise, step));
}

Tensor followingBegun(const VisualConditioning& visual, const Tensor& velocity, const Tensor& latents,
                      const Scheduler& scheduler, int step) {
    return visual.begun ? followingKnown(velocity, latents, *visual.begun, scheduler, step) : velocity;
}

Tensor finishedLatents(const VisualConditioning& visual, std::int64_t referenceFrames,
                       const Tensor& latents) {
    if (!visual.given.empty())
        return withGiven(latents, visual.given);
    if (visual.lead)
        return joined({repeated(*visual.lead, latents.extent(0)), latents}, frameAxis);
    const Tensor own =
        visual.begun ? withFirstFrames(latents, repeated(*visual.begun, latents.extent(0))) : latents;
    return referenceFrames == 0 ? own : sliced(own, frameAxis, referenceFrames, own.extent(frameAxis));
}

namespace {

/// The reference image as a latent frame that is given.
Tensor referenceChannels(const Tensor& image, const VideoGeometry& geometry, const EncodeVideo& encode) {
    const Tensor latents = encode(image);
    const Tensor given =
        Tensor::filled({1, geometry.temporalFactor, 1, latents.extent(3), latents.extent(4)}, 1.0F);
    return joined({given, latents}, channelAxis);
}

/// The segment before's last frames, and behind them the background, or nothing: 0.
Tensor givenVideo(const std::optional<Tensor>& background, const std::optional<Tensor>& before,
                  const Shape& segment) {
    const Tensor rest = background ? *background : Tensor::zeros(segment);
    if (!before)
        return rest;
    return joined({*before, sliced(rest, frameAxis, before->extent(frameAxis), segment[frameAxis])},
                  frameAxis);
}

/// Where the mask is black, at the latents' size by the nearest pixel: [1, 1, T, h, w].
Tensor keptPixels(const Tensor& mask, std::int64_t factor) {
    const std::int64_t frames = mask.extent(2);
    const std::int64_t height = mask.extent(3) / factor;
    const std::int64_t width = mask.extent(4) / factor;
    Tensor kept = Tensor::empty({1, 1, frames, height, width});
    const auto pixels = mask.data<float>();
    auto out = kept.data<float>().begin();
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                *out++ = 1.0F - pixels[static_cast<std::size_t>(
                                    (frame * mask.extent(3) + y * factor) * mask.extent(4) + x * factor)];
    return kept;
}

/// What is given of each frame of the segment.
Tensor givenFrames(const std::optional<Tensor>& mask, const std::optional<Tensor>& before,
                   const VideoGeometry& geometry) {
    const std::int64_t height = geometry.height / geometry.spatialFactor;
    const std::int64_t width = geometry.width / geometry.spatialFactor;
    Tensor given = mask ? keptPixels(*mask, geometry.spatialFactor)
                        : Tensor::zeros({1, 1, geometry.frames, height, width});
    if (before)
        std::ranges::fill(
            given.data<float>().first(static_cast<std::size_t>(before->extent(frameAxis) * height * width)),
            1.0F);
    return given;
}

}  // namespace

Tensor maskChannels(const Tensor& given, std::int64_t temporalFactor) {
    const std::int64_t frames = (given.extent(2) - 1) / temporalFactor + 1;
    const auto area = static_cast<std::size_t>(given.extent(3) * given.extent(4));
    Tensor channels = Tensor::empty({1, temporalFactor, frames, given.extent(3), given.extent(4)});
    auto out = channels.data<float>().begin();
    for (std::int64_t channel = 0; channel < temporalFactor; ++channel)
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            const std::int64_t from = std::max<std::int64_t>(0, temporalFactor * (frame - 1) + 1 + channel);
            const auto plane =
                given.data<float>().subspan(frame == 0 ? 0 : static_cast<std::size_t>(from) * area, area);
            out = std::ranges::copy(plane, out).out;
        }
    return channels;
}

Tensor drivingChannels(const Tensor& latents, std::int64_t temporalFactor) {
    const Tensor given = Tensor::filled(latents.shape().with(channelAxis, temporalFactor), 1.0F);
    return joined({latents, given, latents}, channelAxis);
}

VisualConditioning conditionOnSegment(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const VideoSegments& segments, int segment,
                                      const std::optional<Tensor>& before, const EncodeVideo& encode) {
    const std::int64_t first = segments.firstFrame(segment);
    const auto own = [&](const std::optional<Tensor>& video) {
        return video ? std::optional(sliced(*video, frameAxis, first, first + segments.frames))
                     : std::nullopt;
    };
    const Shape shape{1, inputs.image->extent(1), segments.frames, geometry.height, geometry.width};
    const Tensor mask =
        maskChannels(givenFrames(own(inputs.mask), before, geometry), geometry.temporalFactor);
    const Tensor latents = encode(givenVideo(own(inputs.background), before, shape));

    VisualConditioning visual;
    visual.channels =
        joined({referenceChannels(*inputs.image, geometry, encode), joined({mask, latents}, channelAxis)},
               frameAxis);
    visual.imageTokens = inputs.imageTokens;
    visual.faces = own(inputs.faces);
    if (inputs.pose)
        visual.pose = encode(*own(inputs.pose));
    if (inputs.video) {
        visual.driving = drivingChannels(encode(*own(inputs.video)), geometry.temporalFactor);
        visual.imageTokens = inputs.imageTokens->slice(0, 1);
        visual.drivingTokens = inputs.imageTokens->slice(1, 2);
    }
    return visual;
}

Tensor posesOfClip(const Tensor& pose, const VideoSegments& clips, int clip) {
    const std::int64_t first = clips.firstFrame(clip);
    WindowFrames shown;
    for (std::int64_t frame = -1; frame < clips.frames; ++frame) {
        // Frames that the video does not show stand still before its first one.
        const std::int64_t place = std::max<std::int64_t>(0, first + std::max<std::int64_t>(0, frame));
        if (place < pose.extent(frameAxis))
            shown.push_back(place);
    }
    const std::int64_t black = clips.frames + 1 - std::ssize(shown);
    std::vector<Tensor> parts;
    if (!shown.empty())
        parts.push_back(framesOf(pose, shown));
    if (black > 0)
        parts.push_back(Tensor::filled(pose.shape().with(frameAxis, black), -1.0F));
    return joined(parts, frameAxis);
}

VisualConditioning conditionOnClip(const VisualInputs& inputs, const VideoSegments& clips, int clip,
                                   const std::optional<Tensor>& before, const EncodeVideo& encode) {
    constexpr std::size_t columnAxis = 3;
    const Tensor reference = encode(*inputs.image);
    VisualConditioning visual;
    visual.groups = {{.latents = reference, .firstFrame = SoundConfig::referenceFrame}};
    if (before) {
        visual.lead = encode(*before);
        visual.groups.push_back({.latents = *visual.lead, .embedding = PatchEmbedding::Motion});
    } else {
        const Tensor none = Tensor::zeros(reference.shape().with(frameAxis, motionLatentFrames - 1));
        visual.lead = joined({none, reference}, frameAxis);
    }
    if (inputs.pose) {
        const Tensor poses = encode(posesOfClip(*inputs.pose, clips, clip));
        visual.pose = sliced(poses, frameAxis, 1, poses.extent(frameAxis));
    } else {
        visual.pose = Tensor::zeros(reference.shape().with(frameAxis, speechClipLatents));
    }
    if (inputs.sound)
        visual.sound = sliced(*inputs.sound, columnAxis, clip * clips.frames, (clip + 1) * clips.frames);
    return visual;
}

}  // namespace meshreel
