// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/loop_seam.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace meshreel {
namespace {

double meanDifference(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
    std::uint64_t sum = 0;
    for (std::size_t place = 0; place < one.size(); ++place)
        sum += static_cast<std::uint64_t>(std::abs(int{one[place]} - int{other[place]}));
    return static_cast<double>(sum) / static_cast<double>(one.size());
}

std::span<const std::uint8_t> frameOf(const Tensor& frames, std::int64_t index) {
    return frames.slice(index, index + 1).data<std::uint8_t>();
}

/// The upper one of an even number; 0 of a single frame.
double medianOfNeighbours(const Tensor& frames) {
    std::vector<double> differences;
    for (std::int64_t index = 1; index < frames.extent(0); ++index)
        differences.push_back(meanDifference(frameOf(frames, index - 1), frameOf(frames, index)));
    if (differences.empty())
        return 0;
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::ranges::nth_element(differences, middle);
    return *middle;
}

}  // namespace

LoopSeam measureLoopSeam(const Tensor& frames) {
    return {.seam = meanDifference(frameOf(frames, frames.extent(0) - 1), frameOf(frames, 0)),
            .neighbours = medianOfNeighbours(frames)};
}

ClipSeam measureClipSeam(const Tensor& before, const Tensor& frames, std::int64_t shared) {
    return {.joint = meanDifference(before.data<std::uint8_t>(), frameOf(frames, shared)),
            .neighbours = medianOfNeighbours(frames)};
}

}  // namespace meshreel
