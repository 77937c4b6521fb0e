// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::size_t frameColours = 3;
constexpr double brightest = 255;

/// A plane of one colour of one frame, or a map computed from such planes.
struct Plane {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<double> values;
};

std::vector<double> gaussian(std::size_t length) {
    constexpr double deviation = 1.5;
    std::vector<double> weights(length);
    double sum = 0;
    for (std::size_t at = 0; at < length; ++at) {
        const double distance = static_cast<double>(at) - static_cast<double>(length - 1) / 2;
        weights[at] = std::exp(-distance * distance / (2 * deviation * deviation));
        sum += weights[at];
    }
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

/// Gaussian means of the windows that lie inside the plane.
Plane windowMeans(const Plane& plane) {
    constexpr std::size_t window = 11;
    const std::vector<double> down = gaussian(std::min(window, plane.height));
    const std::vector<double> across = gaussian(std::min(window, plane.width));
    Plane rows{plane.height, plane.width - across.size() + 1, {}};
    for (std::size_t y = 0; y < rows.height; ++y)
        for (std::size_t x = 0; x < rows.width; ++x) {
            double sum = 0;
            for (std::size_t at = 0; at < across.size(); ++at)
                sum += across[at] * plane.values[y * plane.width + x + at];
            rows.values.push_back(sum);
        }
    Plane means{plane.height - down.size() + 1, rows.width, {}};
    for (std::size_t y = 0; y < means.height; ++y)
        for (std::size_t x = 0; x < means.width; ++x) {
            double sum = 0;
            for (std::size_t at = 0; at < down.size(); ++at)
                sum += down[at] * rows.values[(y + at) * rows.width + x];
            means.values.push_back(sum);
        }
    return means;
}

Plane product(const Plane& first, const Plane& second) {
    Plane result{first.height, first.width, {}};
    for (std::size_t at = 0; at < first.values.size(); ++at)
        result.values.push_back(first.values[at] * second.values[at]);
    return result;
}

double similarity(const Plane& first, const Plane& second) {
    constexpr double c1 = (0.01 * brightest) * (0.01 * brightest);
    constexpr double c2 = (0.03 * brightest) * (0.03 * brightest);
    const Plane mean1 = windowMeans(first);
    const Plane mean2 = windowMeans(second);
    const Plane square1 = windowMeans(product(first, first));
    const Plane square2 = windowMeans(product(second, second));
    const Plane mixed = windowMeans(product(first, second));
    double sum = 0;
    for (std::size_t at = 0; at < mean1.values.size(); ++at) {
        const double m1 = mean1.values[at];
        const double m2 = mean2.values[at];
        sum += (2 * m1 * m2 + c1) * (2 * (mixed.values[at] - m1 * m2) + c2) /
               ((m1 * m1 + m2 * m2 + c1) *
                ((square1.values[at] - m1 * m1) + (square2.values[at] - m2 * m2) + c2));
    }
    return sum / static_cast<double>(mean1.values.size());
}

Plane takePlane(std::span<const std::uint8_t> frame, std::size_t height, std::size_t width,
                std::size_t colour) {
    Plane plane{height, width, {}};
    for (std::size_t at = colour; at < frame.size(); at += frameColours)
        plane.values.push_back(frame[at]);
    return plane;
}

double peakSignalToNoise(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
    double sum = 0;
    for (std::size_t at = 0; at < first.size(); ++at) {
        const double difference = static_cast<double>(first[at]) - static_cast<double>(second[at]);
        sum += difference * difference;
    }
    if (sum == 0)
        return std::numeric_limits<double>::infinity();
    constexpr double decibel = 10;
    return decibel * std::log10(brightest * brightest * static_cast<double>(first.size()) / sum);
}

std::int64_t commonFrames(const Tensor& first, const Tensor& second) {
    for (const std::size_t axis : {1U, 2U, 3U})
        if (first.extent(axis) != second.extent(axis))
            throw Error(ErrorKind::Input,
                        sentence("frames of {}x{} cannot be compared with frames of {}x{}", first.extent(2),
                                 first.extent(1), second.extent(2), second.extent(1)),
                        {}, sentence("Compare videos of one size"));
    return std::min(first.extent(0), second.extent(0));
}

}  // namespace

FrameDistance measureDistance(const Tensor& frames, const Tensor& reference) {
    if (frames.shape() != reference.shape())
        throw Error(ErrorKind::Input,
                    sentence("videos of the shapes {} and {} cannot be compared", frames.shape().text(),
                             reference.shape().text()),
                    {}, sentence("Compare videos of one size and length"));
    const std::size_t rank = frames.shape().rank();
    const auto height = static_cast<std::size_t>(frames.extent(rank - 3));
    const auto width = static_cast<std::size_t>(frames.extent(rank - 2));
    const auto first = frames.data<std::uint8_t>();
    const auto second = reference.data<std::uint8_t>();
    const std::size_t frame = height * width * frameColours;
    double sum = 0;
    for (std::size_t at = 0; at < first.size(); at += frame)
        for (std::size_t colour = 0; colour < frameColours; ++colour)
            sum += similarity(takePlane(first.subspan(at, frame), height, width, colour),
                              takePlane(second.subspan(at, frame), height, width, colour));
    return {.psnr = peakSignalToNoise(first, second),
            .ssim = sum * static_cast<double>(frame) / static_cast<double>(frameColours * first.size())};
}

std::vector<FrameDistance> compareFrames(const Tensor& first, const Tensor& second, const StopToken& stop) {
    std::vector<FrameDistance> frames;
    for (std::int64_t frame = 0; frame < commonFrames(first, second); ++frame) {
        throwIfStopped(stop);
        frames.push_back(measureDistance(first.slice(frame, frame + 1), second.slice(frame, frame + 1)));
    }
    return frames;
}

Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain) {
    const std::int64_t count = commonFrames(first, second);
    Tensor differences =
        Tensor::empty({count, first.extent(1), first.extent(2), std::int64_t{frameColours}}, DType::U8);
    const std::span<const std::uint8_t> a = first.data<std::uint8_t>();
    const std::span<const std::uint8_t> b = second.data<std::uint8_t>();
    const std::span<std::uint8_t> out = differences.data<std::uint8_t>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(std::min(gain * std::abs(int{a[i]} - int{b[i]}), 255));
    return differences;
}

FrameDistance overall(const std::vector<FrameDistance>& frames) {
    if (frames.empty())
        return {};
    double error = 0;
    double ssim = 0;
    for (const FrameDistance& frame : frames) {
        error += std::isinf(frame.psnr) ? 0 : brightest * brightest / std::pow(10, frame.psnr / 10);
        ssim += frame.ssim;
    }
    const auto count = static_cast<double>(frames.size());
    return {.psnr = error == 0 ? std::numeric_limits<double>::infinity()
                               : 10 * std::log10(brightest * brightest * count / error),
            .ssim = ssim / count};
}

}  // namespace meshreel
