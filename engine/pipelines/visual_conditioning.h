// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/models/families/model_family.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/pipelines/given_frames.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Axes of videos and their latents: [batch, channels, frames, height, width].
constexpr std::size_t channelAxis = 1;
constexpr std::size_t frameAxis = 2;

/// What a task is given to see, at the video's size: f32 pixels in [-1, 1].
struct VisualInputs {
    std::optional<Tensor> image;            ///< [1, 3, n, H, W]: the first frame, or those of the clip before
    std::optional<Tensor> lastImage;        ///< shaped as firstImage
    std::optional<Tensor> imageTokens;      ///< what CLIP sees, [images, tokens, imageDim]; behind the
                                            ///< task's images the first frame of a driving video
    std::optional<Tensor> video;            ///< [1, 3, T, H, W]; a driving video for all segments
    std::optional<Tensor> mask;             ///< [1, 3, T, H, W] in [0, 1]: 1 is made anew
    std::vector<Tensor> references;         ///< each [1, 3, 1, H, W]
    std::optional<Tensor> tracks = {};      ///< [T, tracks, 3], from the last frame of `image` on: see
                                            ///< sampledTracks(), and for Wan-Move framedTracks()
    std::optional<Tensor> pose = {};        ///< [1, 3, T, H, W], for all segments; of a video after a sound
                                            ///< any T
    std::optional<Tensor> faces = {};       ///< [1, 3, T, side, side], likewise
    std::optional<Tensor> background = {};  ///< shaped as pose
    std::optional<Tensor> sound = {};       ///< [1, states, width, frames of all clips]: what is heard
    GivenFrames given = {};                 ///< frames of the video beside image and lastImage
    std::optional<Tensor> clip = {};        ///< [1, 3, n, H, W]: the last frames of the clip before
    std::optional<Tensor> clipLatents =
        {};  ///< [1, z, K, h, w]: normalised ones of them, as it was made with
};

/// What of them goes into every step; latents are normalised, f32.
struct VisualConditioning {
    std::optional<Tensor> channels = {};  ///< [1, C, F, H, W]: the transformer's channels beside the latents'
    std::optional<Tensor> secondChannels = {};    ///< those of the second expert, where they differ
    std::optional<Tensor> negativeChannels = {};  ///< those of guidance's negative half, where they differ
    std::vector<GivenLatents> given = {};    ///< by their frames: stay as they are while others are denoised
    std::vector<TokenGroup> groups = {};     ///< [1, z, F', H', W'] each
    bool leavesOutGroups = false;            ///< passes that do not see groups have none; else zeros in them
    std::optional<Tensor> imageTokens = {};  ///< [images, tokens, imageDim]
    std::optional<Tensor> control = {};      ///< [1, C, F, H, W]: of the VACE blocks
    std::vector<float> controlScales = {};   ///< for each VACE block
    std::optional<Tensor> startVideo = {};   ///< [1, z, F, H, W]: what video to video noises and begins with
    std::optional<Tensor> pose = {};         ///< [1, z, F - 1, H, W]: goes with the frames after the first;
                                             ///< of a clip after a sound [1, z, F, H, W]
    std::optional<Tensor> faces = {};        ///< [1, 3, S, side, side]; a negative half sees blank ones
    std::optional<Tensor> sound = {};        ///< [1, states, width, 4 F]: a negative half hears silence
    float soundScale = 1.0F;                 ///< see WanInputs::soundScale
    std::optional<Tensor> lead = {};  ///< [1, z, 19, H, W]: what stands before the latents when they are
                                      ///< decoded, the last frame at least; the others may be zeros
    std::optional<Tensor> driving =
        {};  ///< [1, C, F - 1, H, W]: a driving video, as the transformer takes it
    std::optional<Tensor> drivingTokens = {};  ///< [1, tokens, imageDim]: of its first frame
    std::optional<Tensor> begun = {};  ///< [1, z, K, H, W]: of what the first latent frames are, which each
                                       ///< step is given with as much noise as the others have then
    std::optional<Tensor> begunNoise = {};  ///< [videos, z, K, H, W]: the run's noise in these frames
    double encodeSeconds = 0;               ///< wall clock of the VAE's share, on this process
};

/// Returns latents of the clip before: as it was made with, or of its frames; nothing without one.
std::optional<Tensor> latentsOfClip(const VisualInputs& inputs, const EncodeVideo& encode);

/// Conditions the task as diffusers' Wan pipelines do; `tokenTimesteps`: the model's tokens have a timestep
/// each. `groups` are those of the plan, where the task has any.
VisualConditioning conditionOn(WanTask task, bool tokenTimesteps, const VisualInputs& inputs,
                               const VideoGeometry& geometry, const EncodeVideo& encode,
                               std::span<const GroupShape> groups = {});

/// Returns the conditioning of every step of one segment of an animation, as in diffusers' Animate pipeline,
/// or with a driving video in its Animate-2 pipeline.
/// The inputs are of all segments; `geometry` is of one. `before`: the last frames of the previous segment,
/// [1, 3, overlap, H, W] in [-1, 1]; none for the first.
VisualConditioning conditionOnSegment(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const VideoSegments& segments, int segment,
                                      const std::optional<Tensor>& before, const EncodeVideo& encode);

/// Returns the conditioning of every step of one clip after a sound (WanS2V of Wan-Video/Wan2.2,
/// wan/speech2video.py). The inputs are of all clips; sound may be missing where no step follows. `before`:
/// the last motionVideoFrames of the clip before, [1, 3, T, H, W] in [-1, 1]; none for the first.
VisualConditioning conditionOnClip(const VisualInputs& inputs, const VideoSegments& clips, int clip,
                                   const std::optional<Tensor>& before, const EncodeVideo& encode);

/// Returns the conditioning of the steps of one expert, 1 or 2.
VisualConditioning visualOfExpert(const VisualConditioning& visual, int expert);

/// Returns what the transformer gets for its latents: followed by the channels, or with given frames in their
/// places. `negative`: in the negative half of guidance.
Tensor modelLatents(const VisualConditioning& visual, const Tensor& latents, bool negative = false);

/// Returns the token groups of a pass of so many videos that sees the first `seen` of them.
std::vector<TokenGroup> modelGroups(const VisualConditioning& visual, std::int64_t videos, std::size_t seen);

/// Returns what of one expert's conditioning goes with these frames of the latents: of a window, which may
/// see the clip's first frame in place of its own. Of faces there is nothing: facesOfWindow().
VisualConditioning visualOfWindow(const VisualConditioning& visual, const WindowFrames& frames,
                                  const ContextWindows& windows);

/// Returns which of a clip's faces go with frames of an animation's latents, the first of which is the
/// character's: of the latent behind it one, of the others all four.
WindowFrames facesOfWindow(const WindowFrames& frames);

/// [rows, F·H·W of patches, and those of groups]: the timestep of every token, 0 in the frames that are
/// given. `tokens` of `frames`; behind them `groupTokens`.
Tensor tokenTimesteps(std::int64_t rows, std::int64_t frames, std::int64_t tokens, float timestep,
                      const std::vector<GivenLatents>& given, std::int64_t groupTokens = 0);

/// Returns latents with what they are begun with in the first frames, at the noise level of a step:
/// scheduler.addNoise(begun, begunNoise, step), as image to image in parts (RePaint without its repeats;
/// diffusers' inpainting pipelines). Without anything begun they are returned as they are.
Tensor withBegun(const VisualConditioning& visual, const Tensor& latents, const Scheduler& scheduler,
                 int step);

/// Returns velocities that were predicted for latents of withBegun() at a step, so that the frames behind
/// follow what they are begun with: followingKnown(). Without anything begun they are returned as they are.
Tensor followingBegun(const VisualConditioning& visual, const Tensor& velocity, const Tensor& latents,
                      const Scheduler& scheduler, int step);

/// Returns what a finished sampling is decoded to: the given frames back in their places, frames of
/// references dropped, what leads a clip in front of it.
Tensor finishedLatents(const VisualConditioning& visual, std::int64_t referenceFrames, const Tensor& latents);

// Exposed for tests.

/// Returns the frames of a pose video, [1, 3, T, H, W], that go with a clip, the first one twice: black where
/// there are none.
Tensor posesOfClip(const Tensor& pose, const VideoSegments& clips, int clip);

/// `video` where the mask is not above a half (`inside` false) or above it, 0 elsewhere; both of one shape.
Tensor maskedVideo(const Tensor& video, const Tensor& mask, bool inside);

/// [1, factor², F, H, W] of a mask [1, any, T, factor·H, factor·W]: each pixel of a latent a channel, frames
/// by the nearest.
Tensor foldedMask(const Tensor& mask, const VideoGeometry& geometry);

/// Returns what image to video gets of the latents [1, z, F, h, w] of its first frame before grey ones when
/// points move, [1, temporalFactor + z, F, h, w]: after the first frame each latent takes over, as far as a
/// track passes by, what the first one has where that track begins; the mask says how far. ATI's patch_motion
/// with its temperature and its two nearest tracks. `tracks` as VisualInputs has them, of 1 +
/// temporalFactor·(F − 1) frames.
Tensor alongTracks(const Tensor& latents, const Tensor& tracks, std::int64_t temporalFactor);

/// Returns where tracks are among the latents, I64 [tracks, F, 2]: row and column in the first frame of each
/// latent, or -1 twice where they are out of sight or of the video. `tracks` as framedTracks() makes them,
/// `latents` [1, z, F, h, w]. Wan-Move's create_pos_feature_map, with its strategy `sample`.
Tensor trackPlaces(const Tensor& latents, const Tensor& tracks, const VideoGeometry& geometry);

/// Returns latents [1, z, F, h, w] of a first frame before grey ones, with what it has where a track begins
/// copied to where that track is in each frame behind it; of tracks that meet the last one counts. Tracks
/// that are out of sight in the first frame copy nothing. Wan-Move's replace_feature, without its shuffling
/// of tracks.
Tensor copiedAlongTracks(const Tensor& latents, const Tensor& tracks, const VideoGeometry& geometry);

/// f32 [1, 3, 1, H, W]: the image scaled to fit (bilinear, as torch's interpolate) and centred on white.
Tensor letterboxed(const Tensor& image, std::int64_t height, std::int64_t width);

/// Returns a driving video's latents [1, z, F, h, w] as the transformer takes them, [1, 2·z + temporalFactor,
/// F, h, w]: themselves, a mask that gives all frames, and themselves again.
Tensor drivingChannels(const Tensor& latents, std::int64_t temporalFactor);

/// [1, temporalFactor, F, h, w] of what is given of each frame, [1, 1, T, h, w]: the first frame counts
/// temporalFactor times.
Tensor maskChannels(const Tensor& given, std::int64_t temporalFactor);

}  // namespace meshreel
