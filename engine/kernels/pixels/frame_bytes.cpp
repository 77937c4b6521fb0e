// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/pixels/frame_bytes.h"

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_pixels.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

Tensor frameBytes(const OnHost& on, const Tensor& features, std::int64_t patch) {
    const std::int64_t width = features.extent(2);
    const std::int64_t channels = features.extent(3);
    const std::int64_t colours = channels / (patch * patch);
    const std::int64_t lineBytes = width * patch * colours;
    Tensor frames =
        Tensor::empty({features.extent(0), features.extent(1) * patch, width * patch, colours}, DType::U8);
    const float* values = features.data<float>().data();
    std::uint8_t* bytes = frames.data<std::uint8_t>().data();
    const std::int64_t lines = features.extent(0) * features.extent(1) * patch;
    on.execution.workers.parallelFor(lines, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
            const float* square = values + line / patch * width * channels + line % patch;
            std::uint8_t* to = bytes + line * lineBytes;
            for (std::int64_t at = 0; at < width; ++at, square += channels)
                for (std::int64_t column = 0; column < patch; ++column)
                    for (std::int64_t colour = 0; colour < colours; ++colour)
                        *to++ = toByte(square[(colour * patch + column) * patch]);
        }
    });
    return frames;
}

}  // namespace

Tensor frameBytes(const Execution& execution, const Tensor& features, std::int64_t patch) {
    if (features.shape().rank() != 4 || patch < 1 || features.extent(3) % (patch * patch) != 0)
        throw Error(ErrorKind::Internal,
                    "frames of bytes do not fit features of shape " + features.shape().text());
    return dispatch(execution, {MatrixView(features)},
                    [&](const auto& on) { return frameBytes(on, features, patch); });
}

}  // namespace meshreel
