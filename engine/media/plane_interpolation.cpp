// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/plane_interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::size_t cubicTaps = 4;

/// The source pixels of one result pixel and their weights; unused ones weigh nothing.
struct Taps {
    std::array<std::int64_t, cubicTaps> pixels{};
    std::array<float, cubicTaps> weights{};
};

float nearCubic(float x) {
    constexpr float a = -0.75F;
    return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
}

float farCubic(float x) {
    constexpr float a = -0.75F;
    return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a;
}

Taps bilinearTaps(float position, std::int64_t extent) {
    const float inside = std::max(position, 0.0F);
    const std::int64_t low = std::min(static_cast<std::int64_t>(inside), extent - 1);
    const float share = std::min(inside - static_cast<float>(low), 1.0F);
    return {{low, std::min(low + 1, extent - 1)}, {1.0F - share, share}};
}

Taps bicubicTaps(float position, std::int64_t extent) {
    const float floor = std::floor(position);
    const float share = position - floor;
    Taps taps{{},
              {farCubic(share + 1.0F), nearCubic(share), nearCubic(1.0F - share), farCubic(2.0F - share)}};
    for (std::size_t tap = 0; tap < cubicTaps; ++tap)
        taps.pixels[tap] = std::clamp(static_cast<std::int64_t>(floor) - 1 + static_cast<std::int64_t>(tap),
                                      std::int64_t{0}, extent - 1);
    return taps;
}

std::vector<Taps> tapsOf(std::int64_t from, std::int64_t to, Interpolation interpolation) {
    const float step = static_cast<float>(from) / static_cast<float>(to);
    std::vector<Taps> taps;
    for (std::int64_t index = 0; index < to; ++index) {
        const float position = step * (static_cast<float>(index) + 0.5F) - 0.5F;
        taps.push_back(interpolation == Interpolation::Bicubic ? bicubicTaps(position, from)
                                                               : bilinearTaps(position, from));
    }
    return taps;
}

/// The middle axis of [outer, from, inner] at the taps' places.
void interpolate(const float* source, std::int64_t outer, std::int64_t from, std::int64_t inner,
                 const std::vector<Taps>& taps, float* result) {
    for (std::int64_t block = 0; block < outer; ++block, source += from * inner)
        for (const Taps& at : taps)
            for (std::int64_t index = 0; index < inner; ++index) {
                float sum = 0.0F;
                for (std::size_t tap = 0; tap < cubicTaps; ++tap)
                    sum += at.weights[tap] * source[at.pixels[tap] * inner + index];
                *result++ = sum;
            }
}

}  // namespace

Tensor interpolatePlanes(const Tensor& planes, std::int64_t height, std::int64_t width,
                         Interpolation interpolation) {
    const Shape& shape = planes.shape();
    if (shape.rank() < 2 || planes.dtype() != DType::F32 || planes.elements() == 0)
        throw Error(ErrorKind::Internal, "planes are f32 [..., height, width], not " + shape.text());
    if (height < 1 || width < 1)
        throw Error(ErrorKind::Input, sentence("an image cannot be resized to {}x{}", width, height), {},
                    sentence("Choose a size from 1x1 on"));
    const std::int64_t rows = shape[shape.rank() - 2];
    const std::int64_t columns = shape[shape.rank() - 1];
    const std::int64_t count = planes.elements() / (rows * columns);
    Tensor wide = Tensor::empty({count, rows, width});
    interpolate(planes.data<float>().data(), count * rows, columns, 1, tapsOf(columns, width, interpolation),
                wide.data<float>().data());
    std::vector<std::int64_t> extents(shape.extents().begin(), shape.extents().end());
    extents[shape.rank() - 2] = height;
    extents[shape.rank() - 1] = width;
    Tensor result = Tensor::empty(Shape(extents));
    interpolate(std::as_const(wide).data<float>().data(), count, rows, width,
                tapsOf(rows, height, interpolation), result.data<float>().data());
    return result;
}

}  // namespace meshreel
