// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/decode.h"

#include <algorithm>
#include <utility>

#include "engine/media/frames.h"
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

std::optional<DecodedFrames> ownFrames(const RunPlan& plan, int segment, std::int64_t first,
                                       const Tensor& pixels) {
    const std::int64_t total = plan.project.numFrames;
    const std::int64_t place = segment == 0 ? first : plan.segments.firstFrame(segment) + first;
    const std::int64_t begin = segment == 0 ? 0 : std::max<std::int64_t>(0, plan.segments.overlap - first);
    const std::int64_t end = std::min(pixels.extent(frameAxis), total - place);
    if (begin >= end)
        return std::nullopt;
    const Tensor frames = toFrames(sliced(pixels, frameAxis, begin, end));
    return DecodedFrames{
        .first = place + begin,
        .total = total,
        .frames = frames.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)})};
}

Tensor decodeOnMesh(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                    const VaeEvents& events) {
    const Tensor vaeInput = parts.vae().denormalize(latents);
    Tensor video;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        Tensor decoded = parts.vaeOf(device).decode(device, context.plan.vaeStrips, vaeInput,
                                                    device.isFirst() ? events : VaeEvents());
        if (device.isFirst())
            video = std::move(decoded);
    });
    return video;
}

}  // namespace meshreel
