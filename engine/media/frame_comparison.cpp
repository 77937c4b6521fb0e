// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr double peak = 255;
constexpr std::int64_t channels = 3;
// Wang et al. 2004, "Image quality assessment: from error visibility to structural similarity".
constexpr std::int64_t windowSize = 11;
constexpr double windowSigma = 1.5;
constexpr double c1 = (0.01 * peak) * (0.01 * peak);
constexpr double c2 = (0.03 * peak) * (0.03 * peak);

using Bytes = std::span<const std::uint8_t>;

struct Plane {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::vector<double> values;
};

Bytes frameOf(const Tensor& frames, std::int64_t frame) {
    const auto size = static_cast<std::size_t>(frames.elements() / frames.extent(0));
    return frames.data<std::uint8_t>().subspan(static_cast<std::size_t>(frame) * size, size);
}

std::int64_t commonFrames(const Tensor& first, const Tensor& second) {
    for (const std::size_t axis : {1U, 2U, 3U})
        if (first.extent(axis) != second.extent(axis))
            throw Error(ErrorKind::Input,
                        fmt::format("frames of {}x{} cannot be compared with frames of {}x{}",
                                    first.extent(2), first.extent(1), second.extent(2), second.extent(1)),
                        {}, "Compare videos of one size");
    return std::min(first.extent(0), second.extent(0));
}

/// ITU-R BT.601, as the field computes it for SSIM.
Plane lumaOf(Bytes rgb, std::int64_t height, std::int64_t width) {
    Plane luma{height, width, std::vector<double>(static_cast<std::size_t>(height * width))};
    for (std::size_t i = 0; i < luma.values.size(); ++i)
        luma.values[i] = 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2];
    return luma;
}

std::vector<double> gaussian(std::int64_t size) {
    std::vector<double> weights(static_cast<std::size_t>(size));
    double sum = 0;
    for (std::int64_t i = 0; i < size; ++i) {
        const double distance = static_cast<double>(i) - static_cast<double>(size - 1) / 2;
        weights[static_cast<std::size_t>(i)] =
            std::exp(-distance * distance / (2 * windowSigma * windowSigma));
        sum += weights[static_cast<std::size_t>(i)];
    }
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

/// Weighted means of every window that lies inside: the plane shrinks by the window less one.
Plane filtered(const Plane& plane, const std::vector<double>& rows, const std::vector<double>& columns) {
    const auto at = [](const Plane& of, std::int64_t y, std::int64_t x) {
        return of.values[static_cast<std::size_t>(y * of.width + x)];
    };
    const auto reach = [](const std::vector<double>& weights) {
        return static_cast<std::int64_t>(weights.size()) - 1;
    };
    Plane across{plane.height, plane.width - reach(columns), {}};
    for (std::int64_t y = 0; y < across.height; ++y)
        for (std::int64_t x = 0; x < across.width; ++x) {
            double sum = 0;
            for (std::size_t i = 0; i < columns.size(); ++i)
                sum += columns[i] * at(plane, y, x + static_cast<std::int64_t>(i));
            across.values.push_back(sum);
        }
    Plane both{across.height - reach(rows), across.width, {}};
    for (std::int64_t y = 0; y < both.height; ++y)
        for (std::int64_t x = 0; x < both.width; ++x) {
            double sum = 0;
            for (std::size_t i = 0; i < rows.size(); ++i)
                sum += rows[i] * at(across, y + static_cast<std::int64_t>(i), x);
            both.values.push_back(sum);
        }
    return both;
}

Plane product(const Plane& a, const Plane& b) {
    Plane result{a.height, a.width, a.values};
    for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] *= b.values[i];
    return result;
}

double ssimOf(const Plane& a, const Plane& b) {
    const std::vector<double> rows = gaussian(std::min(windowSize, a.height));
    const std::vector<double> columns = gaussian(std::min(windowSize, a.width));
    const auto mean = [&](const Plane& plane) { return filtered(plane, rows, columns).values; };
    const std::vector<double> meanA = mean(a);
    const std::vector<double> meanB = mean(b);
    const std::vector<double> squareA = mean(product(a, a));
    const std::vector<double> squareB = mean(product(b, b));
    const std::vector<double> cross = mean(product(a, b));
    double sum = 0;
    for (std::size_t i = 0; i < meanA.size(); ++i) {
        const double ab = meanA[i] * meanB[i];
        const double aa = meanA[i] * meanA[i];
        const double bb = meanB[i] * meanB[i];
        sum += ((2 * ab + c1) * (2 * (cross[i] - ab) + c2)) /
               ((aa + bb + c1) * ((squareA[i] - aa) + (squareB[i] - bb) + c2));
    }
    return sum / static_cast<double>(meanA.size());
}

double psnrOf(double meanSquaredError) {
    return meanSquaredError == 0 ? std::numeric_limits<double>::infinity()
                                 : 10 * std::log10(peak * peak / meanSquaredError);
}

double meanSquaredError(Bytes a, Bytes b) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const int difference = int{a[i]} - int{b[i]};
        sum += std::int64_t{difference} * difference;
    }
    return static_cast<double>(sum) / static_cast<double>(a.size());
}

}  // namespace

std::vector<FrameLikeness> compareFrames(const Tensor& first, const Tensor& second, const StopToken& stop) {
    const std::int64_t height = first.extent(1);
    const std::int64_t width = first.extent(2);
    std::vector<FrameLikeness> frames;
    for (std::int64_t frame = 0; frame < commonFrames(first, second); ++frame) {
        throwIfStopped(stop);
        const Bytes a = frameOf(first, frame);
        const Bytes b = frameOf(second, frame);
        frames.push_back({.psnr = psnrOf(meanSquaredError(a, b)),
                          .ssim = ssimOf(lumaOf(a, height, width), lumaOf(b, height, width))});
    }
    return frames;
}

Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain) {
    const std::int64_t count = commonFrames(first, second);
    Tensor differences = Tensor::empty({count, first.extent(1), first.extent(2), channels}, DType::U8);
    const Bytes a = first.data<std::uint8_t>();
    const Bytes b = second.data<std::uint8_t>();
    const std::span<std::uint8_t> out = differences.data<std::uint8_t>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(std::min(gain * std::abs(int{a[i]} - int{b[i]}), 255));
    return differences;
}

FrameLikeness overall(const std::vector<FrameLikeness>& frames) {
    if (frames.empty())
        return {};
    double error = 0;
    double ssim = 0;
    for (const FrameLikeness& frame : frames) {
        error += std::isinf(frame.psnr) ? 0 : peak * peak / std::pow(10, frame.psnr / 10);
        ssim += frame.ssim;
    }
    const auto count = static_cast<double>(frames.size());
    return {.psnr = psnrOf(error / count), .ssim = ssim / count};
}

}  // namespace meshreel
