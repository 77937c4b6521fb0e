// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/models/vae/vae_progress.h"
#include "engine/pipelines/generation_context.h"

namespace meshreel {

/// Normalised latents of a video, [N, C, F, H, W], by the segments that it was made in.
std::vector<Tensor> latentSegments(const RunPlan& plan, const Tensor& latents);

/// The videos of all segments in one: without what each has of the one before, and no longer than asked for.
Tensor joinedVideo(const RunPlan& plan, const std::vector<Tensor>& segments);

/// What of a segment's pixels, f32 [1, 3, T, H, W] from its frame `first` on, that video shows. Nothing when
/// all of it is in the segment before, or behind the end.
std::optional<DecodedFrames> ownFrames(const RunPlan& plan, int segment, std::int64_t first,
                                       const Tensor& pixels);

/// Pixels f32 [N, 3, T, H, W] in [-1, 1] of one segment's normalised latents, which are the same on all
/// processes. The mesh decodes; the leading process gets them, and its first device tells the events.
Tensor decodeOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                    const VaeEvents& events);

}  // namespace meshreel
