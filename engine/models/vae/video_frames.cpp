// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/video_frames.h"

#include <cstdint>

#include "engine/base/error.h"

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
    const Tensor frames = frameBytes(execution, features, patch);
    return frames.reshaped({1, frames.extent(0), frames.extent(1), frames.extent(2), frames.extent(3)});
}

}  // namespace meshreel
