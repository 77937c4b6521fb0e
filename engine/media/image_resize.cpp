// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image_resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

// As torch does: planes of f32.

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

std::vector<Taps> computeTaps(std::int64_t from, std::int64_t to, Interpolation interpolation) {
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
    interpolate(planes.data<float>().data(), count * rows, columns, 1,
                computeTaps(columns, width, interpolation), wide.data<float>().data());
    Tensor result = Tensor::empty(shape.with(shape.rank() - 2, height).with(shape.rank() - 1, width));
    interpolate(std::as_const(wide).data<float>().data(), count, rows, width,
                computeTaps(rows, height, interpolation), result.data<float>().data());
    return result;
}

namespace {

// As Pillow does: bytes.

// 8 bits of pixels, and 2 for sums beyond them, leave these of an int32 to coefficients.
constexpr int fractionBits = 22;

struct Filter {
    double support;  // beyond which it is zero
    double (*value)(double distance);
};

double bilinear(double distance) {
    return std::max(0.0, 1.0 - std::abs(distance));
}

double bicubic(double distance) {
    constexpr double a = -0.5;
    const double x = std::abs(distance);
    if (x < 1.0)
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

double sinc(double x) {
    return x == 0.0 ? 1.0 : std::sin(x * std::numbers::pi) / (x * std::numbers::pi);
}

double lanczos(double distance) {
    constexpr double lobes = 3.0;
    return distance >= -lobes && distance < lobes ? sinc(distance) * sinc(distance / lobes) : 0.0;
}

Filter toFilter(Resampling filter) {
    switch (filter) {
        case Resampling::Bilinear:
            return {1.0, bilinear};
        case Resampling::Bicubic:
            return {2.0, bicubic};
        case Resampling::Lanczos:
            break;
    }
    return {3.0, lanczos};
}

/// The source pixels of one result pixel and what they count.
struct Window {
    std::int64_t first;
    std::vector<std::int32_t> weights;  // in 2^-fractionBits
};

std::int32_t fixedPoint(double weight) {
    const double scaled = weight * (1 << fractionBits);
    return static_cast<std::int32_t>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

std::vector<Window> computeWindows(std::int64_t from, std::int64_t to, const Filter& filter) {
    const double step = static_cast<double>(from) / static_cast<double>(to);
    const double stretch = std::max(step, 1.0);
    const double support = filter.support * stretch;
    std::vector<Window> windows;
    for (std::int64_t index = 0; index < to; ++index) {
        const double centre = (static_cast<double>(index) + 0.5) * step;
        const auto first = static_cast<std::int64_t>(std::max(0.0, centre - support + 0.5));
        const auto end = std::min(from, static_cast<std::int64_t>(centre + support + 0.5));
        std::vector<double> values;
        double sum = 0.0;
        for (std::int64_t pixel = first; pixel < end; ++pixel) {
            const double distance = (static_cast<double>(pixel) - centre + 0.5) * (1.0 / stretch);
            values.push_back(filter.value(distance));
            sum += values.back();
        }
        Window& window = windows.emplace_back(Window{first, {}});
        for (const double value : values)
            window.weights.push_back(fixedPoint(sum == 0.0 ? value : value / sum));
    }
    return windows;
}

std::uint8_t roundedByte(std::int32_t sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> fractionBits, 0, 255));
}

/// Resamples the middle axis of bytes [outer, from, inner].
void resample(const std::uint8_t* source, std::int64_t outer, std::int64_t from, std::int64_t inner,
              const std::vector<Window>& windows, std::uint8_t* result) {
    constexpr std::int32_t half = 1 << (fractionBits - 1);
    std::vector<std::int32_t> sums(static_cast<std::size_t>(inner));
    for (std::int64_t block = 0; block < outer; ++block, source += from * inner)
        for (const Window& window : windows) {
            std::ranges::fill(sums, half);
            const std::uint8_t* pixel = source + window.first * inner;
            for (const std::int32_t weight : window.weights)
                for (std::int32_t& sum : sums)
                    sum += weight * *pixel++;
            result = std::ranges::transform(sums, result, roundedByte).out;
        }
}

void requireImage(const Tensor& image) {
    if (image.shape().rank() != 3 || image.dtype() != DType::U8 || image.elements() == 0)
        throw Error(ErrorKind::Internal,
                    "an image is u8 [height, width, channels], not " + image.shape().text());
}

void requireSize(const Tensor& image, std::int64_t height, std::int64_t width) {
    constexpr std::int64_t largestResizedSide = 1 << 16;
    constexpr std::int64_t largestImage = std::int64_t{1} << 30;  // bytes
    requireImage(image);
    const bool sides =
        height >= 1 && width >= 1 && height <= largestResizedSide && width <= largestResizedSide;
    // Columns are resampled first, so that an image of the old height and the new width lies in between.
    if (!sides || std::max(height, image.extent(0)) * width * image.extent(2) > largestImage)
        throw Error(ErrorKind::Input,
                    sentence("an image of {}x{} pixels cannot be resized to {}x{}", image.extent(1),
                             image.extent(0), width, height),
                    {}, sentence("Choose a smaller image, or a size from 1x1 on"));
}

/// Python's round: halves go to the even neighbour, as nearbyint does by default.
std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value));
}

std::int64_t floorHalf(std::int64_t value) {
    return (value - (value & 1)) / 2;
}

}  // namespace

Tensor resizeImage(const Tensor& image, std::int64_t height, std::int64_t width, Resampling filter) {
    requireSize(image, height, width);
    const std::int64_t rows = image.extent(0);
    const std::int64_t columns = image.extent(1);
    const std::int64_t channels = image.extent(2);
    Tensor wide = image;
    if (width != columns) {
        wide = Tensor::empty({rows, width, channels}, DType::U8);
        resample(image.data<std::uint8_t>().data(), rows, columns, channels,
                 computeWindows(columns, width, toFilter(filter)), wide.data<std::uint8_t>().data());
    }
    if (height == rows)
        return wide.clone();
    Tensor result = Tensor::empty({height, width, channels}, DType::U8);
    resample(std::as_const(wide).data<std::uint8_t>().data(), 1, rows, width * channels,
             computeWindows(rows, height, toFilter(filter)), result.data<std::uint8_t>().data());
    return result;
}

Tensor cropImage(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
                 std::int64_t width) {
    requireSize(image, height, width);
    Tensor part = Tensor::zeros({height, width, image.extent(2)}, DType::U8);
    const std::int64_t firstColumn = std::max<std::int64_t>(0, -left);
    const std::int64_t endColumn = std::min(width, image.extent(1) - left);
    for (std::int64_t row = 0; row < height; ++row) {
        const std::int64_t from = top + row;
        if (from < 0 || from >= image.extent(0) || firstColumn >= endColumn)
            continue;
        std::memcpy(part.raw() + (row * width + firstColumn) * image.extent(2),
                    image.raw() + (from * image.extent(1) + left + firstColumn) * image.extent(2),
                    static_cast<std::size_t>((endColumn - firstColumn) * image.extent(2)));
    }
    return part;
}

Tensor cropToCentre(const Tensor& image, std::int64_t height, std::int64_t width) {
    requireImage(image);
    return cropImage(image, floorHalf(image.extent(0) - height), floorHalf(image.extent(1) - width), height,
                     width);
}

Tensor resizeToCover(const Tensor& image, std::int64_t height, std::int64_t width, Resampling filter) {
    requireSize(image, height, width);
    const auto rows = static_cast<double>(image.extent(0));
    const auto columns = static_cast<double>(image.extent(1));
    const double scale = std::max(static_cast<double>(width) / columns, static_cast<double>(height) / rows);
    return cropToCentre(resizeImage(image, rounded(rows * scale), rounded(columns * scale), filter), height,
                        width);
}

}  // namespace meshreel
