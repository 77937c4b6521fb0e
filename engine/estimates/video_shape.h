// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/models/wan/wan_config.h"
#include "engine/project/project.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// The size of the video that is made, and how latents represent it.
struct VideoGeometry {
    std::int64_t frames = 0;  ///< pixel frames
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t spatialFactor = 8;   ///< pixels of a latent along a side
    std::int64_t temporalFactor = 4;  ///< frames of a latent but the first
};

/// Latents of the project's video: [1, channels, frames, height, width]. Throws Error{Project} naming the key
/// for a size that this model cannot make, with the nearest ones that it can.
Shape computeLatentShape(const Project& project, const ModelFacts& model);

/// Tokens of the transformer's sequence for such latents.
std::int64_t tokenCount(const Shape& latents, const WanTransformerConfig& config);

/// A TokenGroup of every pass, as it is planned: latents beside the video's that no step changes.
struct GroupShape {
    std::string_view name;        ///< "subjects", "reference"
    Shape latents;                ///< [1, channels, frames, height, width]
    std::int64_t firstFrame = 0;  ///< position of its first frame among those of a pass
    PatchEmbedding embedding = PatchEmbedding::Video;
    std::int64_t source = 0;  ///< see TokenGrid::source
};

/// Tokens of such a group.
std::int64_t tokenCount(const GroupShape& group, const WanTransformerConfig& config);

/// Height and width of a picture, in pixels.
struct PictureSize {
    std::int64_t height = 0;
    std::int64_t width = 0;

    friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

/// Tokens of the sequence for such latents and groups.
std::int64_t tokenCount(const Shape& latents, std::span<const GroupShape> groups,
                        const WanTransformerConfig& config);

/// How a video is made of segments, each of which begins with the last frames of the previous one.
struct VideoSegments {
    int count = 1;
    std::int64_t frames = 0;   ///< frames of each, in pixels
    std::int64_t overlap = 0;  ///< those of them that come from the previous one
    std::int64_t leading = 0;  ///< of the first one's, those that the video does not show

    /// Returns the frames that all of them cover: those of the video, or a few more.
    [[nodiscard]] std::int64_t covered() const { return count * (frames - overlap) + overlap - leading; }
    /// Returns which frame of the video a segment's first one is; below 0 where the video shows less.
    [[nodiscard]] std::int64_t firstFrame(int segment) const {
        return segment * (frames - overlap) - leading;
    }
};

/// Returns the segments that diffusers' Animate pipeline makes a video of. `frames` of a segment are more
/// than its `overlap`.
VideoSegments planSegments(std::int64_t videoFrames, std::int64_t frames, std::int64_t overlap);

/// Returns the clips that Wan 2.2's S2V makes a video of.
VideoSegments planSpeechClips(std::int64_t videoFrames);

/// Returns which of `length` frames stand for `wanted` ones: forwards and backwards, each end once.
std::vector<std::int64_t> reflectedFrames(std::int64_t length, std::int64_t wanted);

/// The size of an image or of a video's frames, in pixels.
struct FrameSize {
    std::int64_t height;
    std::int64_t width;

    friend bool operator==(const FrameSize&, const FrameSize&) = default;
};

// Returns the size of a video that starts from an image: about the image's form and at most about `maxArea`
// pixels. `image` is 1x1 or larger. All throw Error{Project} at max_area when nothing of such an area is
// left.

/// Returns the size that Wan's own image-to-video takes: whole patches of `patch` latents of `latentPixels`
/// pixels along each side.
FrameSize wanImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t latentPixels,
                            std::int64_t patch);

/// Returns the size that Wan 2.2's TI2V-5B takes (best_output_size): multiples of `step` closest to the
/// image's aspect ratio.
FrameSize bestOutputSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step);

/// Returns the size that diffusers' pipelines take: multiples of `step`.
FrameSize diffusersImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step);

}  // namespace meshreel
