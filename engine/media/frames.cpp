// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frames.h"

#include <cstdint>

#include "engine/base/error.h"

namespace meshreel {
namespace {

std::uint8_t toByte(float value) {
    const float unit = value / 2.0F + 0.5F;
    // Written so that NaN fails the first comparison and lands on 0.
    const float clipped = unit > 0.0F ? (unit < 1.0F ? unit : 1.0F) : 0.0F;
    return static_cast<std::uint8_t>(clipped * 255.0F);
}

}  // namespace

Tensor toFrames(const Tensor& decoded) {
    if (decoded.shape().rank() != 5 || decoded.extent(1) != 3)
        throw Error(
            ErrorKind::Internal,
            "frames need a video of shape [batch, 3, time, height, width], not " + decoded.shape().text());
    const std::int64_t batch = decoded.extent(0);
    const std::int64_t channels = decoded.extent(1);
    const std::int64_t time = decoded.extent(2);
    const std::int64_t plane = decoded.extent(3) * decoded.extent(4);
    Tensor frames = Tensor::empty({batch, time, decoded.extent(3), decoded.extent(4), channels}, DType::U8);
    const float* from = decoded.data<float>().data();
    std::uint8_t* to = frames.data<std::uint8_t>().data();
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t t = 0; t < time; ++t)
            for (std::int64_t pixel = 0; pixel < plane; ++pixel)
                for (std::int64_t c = 0; c < channels; ++c)
                    *to++ = toByte(from[((b * channels + c) * time + t) * plane + pixel]);
    return frames;
}

}  // namespace meshreel
