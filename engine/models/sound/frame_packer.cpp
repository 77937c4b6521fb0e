// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/sound/frame_packer.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

constexpr std::int64_t videoPatchSide = 2;

/// numpy's linspace(start, stop, count) as whole numbers: truncated, with the last value exactly `stop`.
std::vector<std::int64_t> wholeSteps(std::int64_t start, std::int64_t stop, std::int64_t count) {
    std::vector<std::int64_t> steps;
    const double step = count > 1 ? static_cast<double>(stop - start) / static_cast<double>(count - 1) : 0.0;
    for (std::int64_t index = 0; index < count; ++index)
        steps.push_back(
            static_cast<std::int64_t>(static_cast<double>(index) * step + static_cast<double>(start)));
    if (count > 1)
        steps.back() = stop;
    return steps;
}

/// The first latent frame of a packing in wholeMotion(): packings follow each other backwards.
std::int64_t firstFrameOfPacking(const MotionPacking& packing) {
    std::int64_t behind = 0;
    for (const MotionPacking& each : motionPackings) {
        behind += each.frames;
        if (each.frames == packing.frames)
            break;
    }
    return motionLatentFrames - behind;
}

}  // namespace

std::array<TokenPlaces, motionPackings.size()> motionPlaces(const Shape& latents, std::int64_t firstFrame) {
    std::array<TokenPlaces, motionPackings.size()> places;
    for (std::size_t index = 0; index < places.size(); ++index) {
        const MotionPacking& packing = motionPackings[index];
        // From its first frame on, in steps, to its last one: both counted backwards from the video's first.
        const std::int64_t first = motionLatentFrames - firstFrameOfPacking(packing);
        for (const std::int64_t before :
             wholeSteps(first, first - packing.frames + 1, packing.frames / packing.patchFrames))
            places[index].frames.push_back(firstFrame - before);
        places[index].rows = wholeSteps(0, latents[3] / videoPatchSide - 1, latents[3] / packing.patchSide);
        places[index].columns =
            wholeSteps(0, latents[4] / videoPatchSide - 1, latents[4] / packing.patchSide);
    }
    return places;
}

std::int64_t motionTokens(std::int64_t rows, std::int64_t columns) {
    std::int64_t tokens = 0;
    for (const MotionPacking& packing : motionPackings)
        tokens +=
            packing.frames / packing.patchFrames * (rows / packing.patchSide) * (columns / packing.patchSide);
    return tokens;
}

Tensor wholeMotion(const Tensor& motion) {
    constexpr std::size_t frameAxisOfMotion = 2;
    const std::int64_t frames = motion.extent(frameAxisOfMotion);
    if (frames == motionLatentFrames)
        return motion;
    if (frames > motionLatentFrames)
        return sliced(motion, frameAxisOfMotion, frames - motionLatentFrames, frames);
    const Tensor before = Tensor::zeros(motion.shape().with(frameAxisOfMotion, motionLatentFrames - frames));
    return joined({before, motion}, frameAxisOfMotion);
}

Tensor cutMotion(const Execution& execution, const Tensor& motion, const MotionPacking& packing,
                 ShardRange tokens) {
    const std::int64_t channels = motion.extent(1);
    const std::int64_t height = motion.extent(3);
    const std::int64_t width = motion.extent(4);
    const std::int64_t columns = width / packing.patchSide;
    const std::int64_t ofFrame = height / packing.patchSide * columns;
    const std::int64_t firstFrame = firstFrameOfPacking(packing);
    const std::int64_t plane = height * width;
    const std::int64_t elements = channels * packing.patchFrames * packing.patchSide * packing.patchSide;
    Tensor patches = Tensor::empty({motion.extent(0), tokens.size(), elements});
    const float* from = motion.data<float>().data();
    float* to = patches.data<float>().data();
    execution.workers.parallelFor(
        motion.extent(0) * tokens.size(), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t video = row / tokens.size();
                const std::int64_t token = tokens.begin + row % tokens.size();
                const std::int64_t frame = firstFrame + token / ofFrame * packing.patchFrames;
                const std::int64_t top = token % ofFrame / columns * packing.patchSide;
                const std::int64_t left = token % columns * packing.patchSide;
                float* place = to + row * elements;
                for (std::int64_t channel = 0; channel < channels; ++channel)
                    for (std::int64_t t = frame; t < frame + packing.patchFrames; ++t)
                        for (std::int64_t y = top; y < top + packing.patchSide; ++y) {
                            const std::int64_t line =
                                ((video * channels + channel) * motion.extent(2) + t) * plane + y * width;
                            place = std::copy_n(from + line + left, packing.patchSide, place);
                        }
            }
        });
    return patches;
}

}  // namespace meshreel
