// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// Of an image or of a video's frames, in pixels.
struct FrameSize {
    std::int64_t height;
    std::int64_t width;

    friend bool operator==(const FrameSize&, const FrameSize&) = default;
};

// The size of a video that starts from an image: about the image's form and at most about `maxArea` pixels.
// `image` is 1x1 or larger. All throw Error{Project} at max_area where nothing of such an area is left.

/// As Wan's own image-to-video: whole patches of `patch` latents of `latentPixels` pixels along each side.
FrameSize wanImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t latentPixels,
                            std::int64_t patch);

/// As Wan 2.2's TI2V-5B (best_output_size): multiples of `step` whose form comes nearest to the image's.
FrameSize bestOutputSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step);

/// As diffusers' pipelines do it: multiples of `step`.
FrameSize diffusersImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step);

}  // namespace meshreel
