// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_weights.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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
    Tensor folded = Tensor::zeros({frames, rows.count(), columns.count(), ins, outs});
    float* to = folded.data<float>().data();
    const float* from = weight.data<float>().data();
    for (std::int64_t out = 0; out < outs; ++out)
        for (std::int64_t in = 0; in < ins; ++in)
            for (std::int64_t frame = 0; frame < frames; ++frame)
                for (std::int64_t row = 0; row < rows.taps; ++row)
                    for (std::int64_t column = 0; column < columns.taps; ++column) {
                        const std::int64_t seenRow = frame * rows.count() + rows.of(row) - rows.first();
                        const std::int64_t seen =
                            seenRow * columns.count() + columns.of(column) - columns.first();
                        to[(seen * ins + in) * outs + out] += *from++;
                    }
    return folded;
}

void roundTo(Arithmetic arithmetic, Tensor& values) {
    if (arithmetic == Arithmetic::BF16)
        for (float& value : values.data<float>())
            value = toFloat(toBFloat16(value));
}

void storeWeight(Tensor& packed, std::int64_t offset, float value) {
    if (packed.dtype() == DType::BF16)
        packed.data<BFloat16>()[static_cast<std::size_t>(offset)] = toBFloat16(value);
    else
        packed.data<float>()[static_cast<std::size_t>(offset)] = value;
}

/// The kernel's order of [taps, features, outs], features and outs padded with zeros.
Tensor packed(const Tensor& folded, std::int64_t features, const ConvolutionKernel& kernel) {
    const std::int64_t outs = folded.extent(4);
    const std::int64_t paddedOuts = roundUp(outs, kernel.lane);
    const std::int64_t taps = folded.extent(0) * folded.extent(1);
    const std::int64_t tapFeatures = folded.extent(2) * folded.extent(3);
    Tensor result = Tensor::zeros({taps * features * paddedOuts}, kernel.type);
    const float* from = folded.data<float>().data();
    for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t feature = 0; feature < tapFeatures; ++feature)
            for (std::int64_t out = 0; out < outs; ++out) {
                const std::int64_t firstOut = out / kernel.channels * kernel.channels;
                const std::int64_t channels = std::min(kernel.channels, paddedOuts - firstOut);
                storeWeight(result,
                            firstOut * taps * features +
                                kernel.weightOffset(tap * features + feature, out - firstOut, channels),
                            *from++);
            }
    return result;
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
            Tensor folded = foldedWeight(weight, rows, columns);
            roundTo(arithmetic, folded);
            phase.weights = packed(folded, phase.features(weight.extent(1), kernel), kernel);
            phases.push_back(std::move(phase));
        }
    return phases;
}

}  // namespace meshreel
