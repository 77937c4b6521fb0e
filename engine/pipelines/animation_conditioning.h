// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/video_segments.h"

namespace meshreel {

/// What goes into every step of one segment of an animation, as diffusers' Animate pipeline conditions it.
/// The inputs are of all segments; `geometry` is of one. `before`: the last frames of the segment before,
/// [1, 3, overlap, H, W] in [-1, 1]; none for the first.
VisualConditioning conditionOnSegment(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const VideoSegments& segments, int segment,
                                      const std::optional<Tensor>& before, const EncodeVideo& encode);

// Exposed for tests.

/// [1, temporalFactor, F, h, w] of what is given of each frame, [1, 1, T, h, w]: the first frame stands
/// temporalFactor times.
Tensor maskChannels(const Tensor& given, std::int64_t temporalFactor);

}  // namespace meshreel
