// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/channel_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/base/error.h"
#include "engine/kernels/lanes.h"

namespace meshreel {
namespace {

// torch.nn.functional.normalize's eps.
constexpr float smallestNorm = 1e-12F;

// Two AVX2 registers of partial sums.
constexpr std::size_t lanes = 16;

float sumOfSquares(std::span<const float> values) {
    return foldLanes<lanes>(
        values, 0.0F, [](float value) { return value * value; }, std::plus<>());
}

}  // namespace

void channelNorm(const Execution& execution, std::span<const float> x, std::span<const float> gamma,
                 Activation* activation, std::span<float> y) {
    const std::size_t channels = gamma.size();
    if (channels == 0 || x.size() % channels != 0 || x.size() != y.size())
        throw Error(ErrorKind::Internal, fmt::format("A norm of {} channels got {} inputs and {} outputs",
                                                     channels, x.size(), y.size()));
    const float scale = std::sqrt(static_cast<float>(channels));
    const auto pixels = static_cast<std::int64_t>(x.size() / channels);
    execution.workers.parallelFor(pixels, [&](std::int64_t begin, std::int64_t end) {
        for (auto pixel = static_cast<std::size_t>(begin); pixel < static_cast<std::size_t>(end); ++pixel) {
            const auto from = x.subspan(pixel * channels, channels);
            const auto to = y.subspan(pixel * channels, channels);
            const float factor = scale / std::max(std::sqrt(sumOfSquares(from)), smallestNorm);
            for (std::size_t channel = 0; channel < channels; ++channel)
                to[channel] = from[channel] * factor * gamma[channel];
            if (activation != nullptr)
                activation(to);
        }
    });
}

}  // namespace meshreel
