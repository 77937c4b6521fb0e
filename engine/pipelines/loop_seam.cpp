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

}  // namespace

LoopSeam measureLoopSeam(const Tensor& frames) {
    const auto values = frames.data<std::uint8_t>();
    const auto count = static_cast<std::size_t>(frames.extent(0));
    const std::size_t size = values.size() / count;
    const auto frame = [&](std::size_t index) { return values.subspan(index * size, size); };
    std::vector<double> differences;
    for (std::size_t index = 1; index < count; ++index)
        differences.push_back(meanDifference(frame(index - 1), frame(index)));
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::ranges::nth_element(differences, middle);
    return {.seam = meanDifference(frame(count - 1), frame(0)), .neighbours = *middle};
}

}  // namespace meshreel
