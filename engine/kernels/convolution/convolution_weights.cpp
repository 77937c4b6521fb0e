// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_weights.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/kernels/round_up.h"

namespace meshreel {
namespace {

std::int64_t floorDivide(std::int64_t value, std::int64_t divisor) {
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// Which source pixels a kernel of `taps` reads for place `phase` of an enlarged pixel, along one side.
struct SeenPixels {
    std::int64_t phase;
    std::int64_t padBefore;
    std::int64_t upsample;
    std::int64_t taps;

    [[nodiscard]] std::int64_t of(std::int64_t tap) const {
        return floorDivide(phase + tap - padBefore, upsample);
    }
    [[nodiscard]] std::int64_t first() const { return of(0); }
    [[nodiscard]] std::int64_t count() const { return of(taps - 1) - first() + 1; }
};

/// [kt, height, width, in, out]: the weight as the source pixels meet it.
Tensor foldedWeight(const Tensor& weight, const SeenPixels& rows, const SeenPixels& columns) {
    const std::int64_t outs = weight.extent(0);
    const std::int64_t ins = weight.extent(1);
    const std::int64_t frames = weight.extent(2);
    const std::int64_t taps = frames * rows.taps * columns.taps;
    Tensor folded = Tensor::zeros({frames, rows.count(), columns.count(), ins, outs});
    std::vector<std::int64_t> seen;  // by tap
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t row = 0; row < rows.taps; ++row)
            for (std::int64_t column = 0; column < columns.taps; ++column)
                seen.push_back((frame * rows.count() + rows.of(row) - rows.first()) * columns.count() +
                               columns.of(column) - columns.first());
    // A few inputs at a time, so that what the cache line of one output's weight holds is all read while it
    // is near, and each tap is written in order.
    constexpr std::int64_t insAtATime = 8;
    float* to = folded.data<float>().data();
    const float* from = weight.data<float>().data();
    for (std::int64_t firstIn = 0; firstIn < ins; firstIn += insAtATime)
        for (std::int64_t out = 0; out < outs; ++out)
            for (std::int64_t in = firstIn; in < std::min(ins, firstIn + insAtATime); ++in) {
                const float* tapped = from + (out * ins + in) * taps;
                for (std::int64_t tap = 0; tap < taps; ++tap)
                    to[(seen[static_cast<std::size_t>(tap)] * ins + in) * outs + out] += tapped[tap];
            }
    return folded;
}

/// The kernel's order of [taps, features, outs], features and outs padded with zeros. A kernel lays `lane`
/// outputs of a feature evenly apart, so only the first two of them are asked for.
template <typename Stored, typename Store>
Tensor packed(const Tensor& folded, std::int64_t features, const ConvolutionKernel& kernel, Store store) {
    const std::int64_t outs = folded.extent(4);
    const std::int64_t paddedOuts = roundUp(outs, kernel.lane);
    const std::int64_t taps = folded.extent(0) * folded.extent(1);
    const std::int64_t tapFeatures = folded.extent(2) * folded.extent(3);
    Tensor result = Tensor::zeros({taps * features * paddedOuts}, kernel.type);
    Stored* to = result.data<Stored>().data();
    const float* from = folded.data<float>().data();
    for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t tapFeature = 0; tapFeature < tapFeatures; ++tapFeature)
            for (std::int64_t out = 0; out < outs; out += kernel.lane) {
                const std::int64_t feature = tap * features + tapFeature;
                const std::int64_t firstOut = out / kernel.channels * kernel.channels;
                const std::int64_t channels = std::min(kernel.channels, paddedOuts - firstOut);
                const std::int64_t first = kernel.weightOffset(feature, out - firstOut, channels);
                const std::int64_t step = kernel.weightOffset(feature, out - firstOut + 1, channels) - first;
                Stored* lane = to + firstOut * taps * features + first;
                for (std::int64_t left = std::min(kernel.lane, outs - out); left > 0; --left, lane += step)
                    *lane = store(*from++);
            }
    return result;
}

/// The same, rounded to `arithmetic`.
Tensor packed(const Tensor& folded, std::int64_t features, const ConvolutionKernel& kernel,
              Arithmetic arithmetic) {
    if (kernel.type == DType::BF16)
        return packed<BFloat16>(folded, features, kernel, [](float value) { return toBFloat16(value); });
    if (arithmetic == Arithmetic::BF16)
        return packed<float>(folded, features, kernel,
                             [](float value) { return toFloat(toBFloat16(value)); });
    return packed<float>(folded, features, kernel, [](float value) { return value; });
}

}  // namespace

std::int64_t ConvolutionPhase::features(std::int64_t inChannels, const ConvolutionKernel& kernel) const {
    return roundUp(width * inChannels, kernel.depth);
}

std::vector<ConvolutionPhase> packPhases(const Tensor& weight, std::int64_t padBefore, std::int64_t upsample,
                                         Arithmetic arithmetic, const ConvolutionKernel& kernel) {
    std::vector<ConvolutionPhase> phases;
    for (std::int64_t row = 0; row < upsample; ++row)
        for (std::int64_t column = 0; column < upsample; ++column) {
            const SeenPixels rows{row, padBefore, upsample, weight.extent(3)};
            const SeenPixels columns{column, padBefore, upsample, weight.extent(4)};
            ConvolutionPhase phase{.row = row,
                                   .column = column,
                                   .firstRow = rows.first(),
                                   .firstColumn = columns.first(),
                                   .height = rows.count(),
                                   .width = columns.count()};
            phase.weights = packed(foldedWeight(weight, rows, columns),
                                   phase.features(weight.extent(1), kernel), kernel, arithmetic);
            phases.push_back(std::move(phase));
        }
    return phases;
}

}  // namespace meshreel
