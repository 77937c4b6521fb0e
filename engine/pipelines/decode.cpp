// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/decode.h"

#include <utility>

#include "engine/pipelines/video_axes.h"
#include "engine/tensor/joined.h"

namespace meshreel {

std::vector<Tensor> latentSegments(const RunPlan& plan, const Tensor& latents) {
    if (plan.segments.count == 1)
        return {latents};
    const std::int64_t each = latents.extent(frameAxis) / plan.segments.count;
    std::vector<Tensor> segments;
    for (std::int64_t first = 0; first < latents.extent(frameAxis); first += each)
        segments.push_back(sliced(latents, frameAxis, first, first + each));
    return segments;
}

Tensor joinedVideo(const RunPlan& plan, const std::vector<Tensor>& segments) {
    std::vector<Tensor> own;
    for (const Tensor& segment : segments)
        own.push_back(own.empty()
                          ? segment
                          : sliced(segment, frameAxis, plan.segments.overlap, segment.extent(frameAxis)));
    const Tensor video = own.size() == 1 ? own.front() : joined(own, frameAxis);
    return video.extent(frameAxis) == plan.project.numFrames
               ? video
               : sliced(video, frameAxis, 0, plan.project.numFrames);
}

Tensor decodeOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                    const VaeProgress& onChunk) {
    const Tensor vaeInput = parts.vae().denormalize(latents);
    Tensor video;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor decoded = parts.vaeOf(device).decode(device, context.plan.vaeStrips, vaeInput,
                                                    device.isFirst() ? onChunk : VaeProgress());
        if (device.isFirst())
            video = std::move(decoded);
    });
    return video;
}

}  // namespace meshreel
