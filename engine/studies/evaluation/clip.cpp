// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/clip.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t fewestFrames = 2;
constexpr std::int64_t smallestSide = 16;

}  // namespace

ClipPixels::ClipPixels(Tensor frames) : m_frames(std::move(frames)) {
    const Shape& shape = m_frames.shape();
    if (m_frames.dtype() != DType::U8 || shape.rank() != 4 || shape[3] != 3 || shape[0] < fewestFrames ||
        shape[1] < smallestSide || shape[2] < smallestSide)
        throw Error(ErrorKind::Internal,
                    "a clip to measure is u8 [time >= 2, height >= 16, width >= 16, 3], not " + shape.text());
}

double largestDifference(const Colour& a, const Colour& b) {
    double largest = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        largest = std::max(largest, std::abs(a[c] - b[c]));
    return largest;
}

double euclideanDistance(const Colour& a, const Colour& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double upperMedianOf(std::vector<double> values) {
    if (values.empty())
        return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

Colour medianColour(const std::vector<Colour>& pixels) {
    Colour median{};
    for (std::size_t c = 0; c < median.size(); ++c) {
        std::vector<double> values;
        values.reserve(pixels.size());
        for (const Colour& pixel : pixels)
            values.push_back(pixel[c]);
        median[c] = upperMedianOf(std::move(values));
    }
    return median;
}

}  // namespace meshreel
