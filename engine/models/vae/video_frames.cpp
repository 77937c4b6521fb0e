// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/video_frames.h"

#include <cstdint>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_pixels.h"
#include "engine/models/vae/wan_vae_chunk.h"

namespace meshreel {

Tensor toFrames(const Execution& execution, const Tensor& decoded) {
    constexpr std::int64_t channels = 3;
    if (decoded.shape().rank() != 5 || decoded.extent(1) != channels)
        throw Error(
            ErrorKind::Internal,
            "frames need a video of shape [batch, 3, time, height, width], not " + decoded.shape().text());
    const std::int64_t time = decoded.extent(2);
    const std::int64_t plane = decoded.extent(3) * decoded.extent(4);
    Tensor frames =
        Tensor::empty({decoded.extent(0), time, decoded.extent(3), decoded.extent(4), channels}, DType::U8);
    const float* pixels = decoded.data<float>().data();
    std::uint8_t* bytes = frames.data<std::uint8_t>().data();
    execution.workers.parallelFor(decoded.extent(0) * time, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t frame = begin; frame < end; ++frame) {
            const std::int64_t sample = frame / time;
            const float* from = pixels + (sample * channels * time + frame % time) * plane;
            std::uint8_t* to = bytes + frame * plane * channels;
            for (std::int64_t pixel = 0; pixel < plane; ++pixel)
                for (std::int64_t channel = 0; channel < channels; ++channel)
                    *to++ = toByte(from[channel * time * plane + pixel]);
        }
    });
    return frames;
}

Tensor toFrames(const Execution& execution, const Tensor& features, std::int64_t patch) {
    if (features.isOnHost())
        return toFrames(execution, batchOfFeatures(std::vector{features}, patch));
    const MatrixView pixels(features);
    GpuWork& gpu = requireGpu(execution, {pixels});
    Tensor bytes = Tensor::empty({features.elements()}, DType::U8, &gpu.memory());
    makeBytes(gpu.pipelines(), gpu.stream(),
              {.address = gpuMatrix(pixels).address,
               .type = features.dtype(),
               .frames = features.extent(0),
               .height = features.extent(1),
               .width = features.extent(2),
               .channels = features.extent(3)},
              patch, reinterpret_cast<GpuAddress>(bytes.address()));
    return bytes.host().reshaped({1, features.extent(0), features.extent(1) * patch,
                                  features.extent(2) * patch, features.extent(3) / (patch * patch)});
}

}  // namespace meshreel
