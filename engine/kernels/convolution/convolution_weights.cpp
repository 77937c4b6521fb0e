// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"

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

/// Returns, for each tap of the weight [kt, kh, kw], the number of the source pixel that it meets, in [kt,
/// rows.count(), columns.count()].
std::vector<std::size_t> pixelsSeen(std::int64_t frames, const SeenPixels& rows, const SeenPixels& columns) {
    std::vector<std::size_t> seen;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t row = 0; row < rows.taps; ++row)
            for (std::int64_t column = 0; column < columns.taps; ++column) {
                const std::int64_t seenRow = frame * rows.count() + rows.of(row) - rows.first();
                seen.push_back(static_cast<std::size_t>(seenRow * columns.count() + columns.of(column) -
                                                        columns.first()));
            }
    return seen;
}

/// The weights of `lanes` outputs for one input, by source pixel.
class PixelWeights {
  public:
    static constexpr std::size_t lanes = 16;  ///< limit for a kernel

    explicit PixelWeights(std::int64_t pixels)
        : m_sums(static_cast<std::size_t>(pixels) * lanes), m_rounded(m_sums.size()) {}

    /// `weight`: of the first output; those of the next lie `stride` behind. Taps that see one pixel are
    /// added up.
    void gather(const float* weight, std::int64_t stride, std::size_t count,
                std::span<const std::size_t> seen) {
        std::ranges::fill(m_sums, 0.0F);
        for (std::size_t lane = 0; lane < count; ++lane, weight += stride)
            for (std::size_t tap = 0; tap < seen.size(); ++tap)
                m_sums[seen[tap] * lanes + lane] += weight[tap];
    }

    void roundToBFloat16() {
        convert(m_sums, m_rounded);
        convert(m_rounded, m_sums);
    }

    /// In bf16 only after roundToBFloat16().
    template <typename Element>
    [[nodiscard]] const Element* of(std::int64_t pixel) const {
        const std::size_t at = static_cast<std::size_t>(pixel) * lanes;
        if constexpr (std::is_same_v<Element, float>)
            return m_sums.data() + at;
        else
            return m_rounded.data() + at;
    }

  private:
    std::vector<float> m_sums;
    std::vector<BFloat16> m_rounded;
};

/// The phase's weights, rounded to `arithmetic`, in the kernel's order of [taps, features, outs], features
/// and outs padded with zeros. A kernel lays `lane` outputs of a feature evenly apart.
template <typename Stored>
Tensor packed(const Tensor& weight, const ConvolutionPhase& phase, std::span<const std::size_t> seen,
              const ConvolutionKernel& kernel, Arithmetic arithmetic) {
    const std::int64_t outs = weight.extent(0);
    const std::int64_t ins = weight.extent(1);
    const std::int64_t weightsOfOut = ins * std::ssize(seen);
    const std::int64_t taps = weight.extent(2) * phase.height;
    const std::int64_t features = phase.features(ins, kernel);
    const std::int64_t paddedOuts = roundUp(outs, kernel.lane);
    const std::int64_t step = kernel.weightOffset(0, 1, kernel.lane) - kernel.weightOffset(0, 0, kernel.lane);
    Tensor result = Tensor::zeros({taps * features * paddedOuts}, kernel.type);
    PixelWeights weights(taps * phase.width);
    for (std::int64_t out = 0; out < outs; out += kernel.lane) {
        const std::int64_t firstOut = out / kernel.channels * kernel.channels;
        const std::int64_t channels = std::min(kernel.channels, paddedOuts - firstOut);
        const std::int64_t lanes = std::min(kernel.lane, outs - out);
        Stored* const block = result.data<Stored>().data() + firstOut * taps * features;
        for (std::int64_t in = 0; in < ins; ++in) {
            weights.gather(weight.data<float>().data() + out * weightsOfOut + in * std::ssize(seen),
                           weightsOfOut, static_cast<std::size_t>(lanes), seen);
            if (arithmetic == Arithmetic::BF16)
                weights.roundToBFloat16();
            std::int64_t pixel = 0;
            for (std::int64_t tap = 0; tap < taps; ++tap)
                for (std::int64_t column = 0; column < phase.width; ++column, ++pixel) {
                    const std::int64_t feature = tap * features + column * ins + in;
                    Stored* place = block + kernel.weightOffset(feature, out - firstOut, channels);
                    const Stored* from = weights.of<Stored>(pixel);
                    for (std::int64_t lane = 0; lane < lanes; ++lane, place += step)
                        *place = from[lane];
                }
        }
    }
    return result;
}

Tensor packedFor(const ConvolutionKernel& kernel, const Tensor& weight, const ConvolutionPhase& phase,
                 std::span<const std::size_t> seen, Arithmetic arithmetic) {
    return kernel.type == DType::BF16 ? packed<BFloat16>(weight, phase, seen, kernel, arithmetic)
                                      : packed<float>(weight, phase, seen, kernel, arithmetic);
}

/// The phases of weight f32 [out, in, kt, kh, kw] that reads the input from `padBefore` pixels before the
/// first. Kernel taps that see the same source pixel through the enlargement are added up, then rounded to
/// `arithmetic`.
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
            phase.weights =
                packedFor(kernel, weight, phase, pixelsSeen(weight.extent(2), rows, columns), arithmetic);
            phases.push_back(std::move(phase));
        }
    return phases;
}

constexpr std::int64_t transposedSide = 4;  // of the kernel
constexpr std::int64_t transposedTaps = 2;  // that an output pixel reads, along one side

/// The tap of the kernel that output place `phase` multiplies the source pixel `seen` with, both counted
/// along one side. Source pixel i adds to output pixel 2i - 1 + tap, and place 0 reads the pixel before its
/// square's.
std::int64_t transposedTap(std::int64_t phase, std::int64_t seen) {
    return phase + 1 + 2 * (1 - phase - seen);
}

/// The weight [out, in, 1, 2, 2] of one place in the squares of transposedBy2, of weight f32 [in, out, 4, 4].
Tensor transposedPart(const Tensor& weight, std::int64_t row, std::int64_t column) {
    const std::int64_t ins = weight.extent(0);
    const std::int64_t outs = weight.extent(1);
    Tensor part = Tensor::empty({outs, ins, 1, transposedTaps, transposedTaps});
    const float* const from = weight.data<float>().data();
    float* to = part.data<float>().data();
    for (std::int64_t out = 0; out < outs; ++out)
        for (std::int64_t in = 0; in < ins; ++in)
            for (std::int64_t y = 0; y < transposedTaps; ++y)
                for (std::int64_t x = 0; x < transposedTaps; ++x)
                    *to++ =
                        from[((in * outs + out) * transposedSide + transposedTap(row, y)) * transposedSide +
                             transposedTap(column, x)];
    return part;
}

std::vector<ConvolutionPhase> packTransposedPhases(const Tensor& weight, Arithmetic arithmetic,
                                                   const ConvolutionKernel& kernel) {
    constexpr std::array<std::size_t, 4> everyPixel{0, 1, 2, 3};
    std::vector<ConvolutionPhase> phases;
    for (std::int64_t row = 0; row < transposedBy2.upsample; ++row)
        for (std::int64_t column = 0; column < transposedBy2.upsample; ++column) {
            ConvolutionPhase phase{.row = row,
                                   .column = column,
                                   .firstRow = row - 1,
                                   .firstColumn = column - 1,
                                   .height = transposedTaps,
                                   .width = transposedTaps};
            phase.weights =
                packedFor(kernel, transposedPart(weight, row, column), phase, everyPixel, arithmetic);
            phases.push_back(std::move(phase));
        }
    return phases;
}

Tensor paddedBias(const Tensor& bias, std::int64_t lane) {
    Tensor padded = Tensor::zeros({roundUp(bias.extent(0), lane)});
    const Tensor values = bias.toF32();
    std::ranges::copy(std::as_const(values).data<float>(), padded.data<float>().begin());
    return padded;
}

/// [out, in, kt, kh, kw] of f32.
Tensor weightOfFiveAxes(const Tensor& weight) {
    const Shape& shape = weight.shape();
    return weight.toF32().reshaped({shape[0], shape[1], shape.rank() == 5 ? shape[2] : 1,
                                    shape[shape.rank() - 2], shape[shape.rank() - 1]});
}

ConvolutionWeights packTransposed(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                  const ConvolutionKernel& kernel) {
    const bool fits = weight.shape().rank() == 4 && weight.extent(2) == transposedSide &&
                      weight.extent(3) == transposedSide && bias.shape() == Shape{weight.extent(1)} &&
                      geometry == transposedBy2;
    if (!fits)
        throw Error(ErrorKind::Internal,
                    fmt::format("No transposed convolution has a weight {} and a bias {}",
                                weight.shape().text(), bias.shape().text()));
    ConvolutionWeights packed;
    packed.geometry = geometry;
    packed.arithmetic = arithmetic;
    packed.kernel = &kernel;
    packed.outChannels = weight.extent(1);
    packed.inChannels = weight.extent(0);
    packed.kernelFrames = 1;
    packed.kernelHeight = 3;  // as seen through the enlargement
    packed.kernelWidth = 3;
    packed.bias = paddedBias(bias, kernel.lane);
    packed.phases = packTransposedPhases(weight.toF32(), arithmetic, kernel);
    return packed;
}

}  // namespace

std::int64_t ConvolutionPhase::features(std::int64_t inChannels, const ConvolutionKernel& kernel) const {
    return roundUp(width * inChannels, kernel.depth);
}

std::size_t ConvolutionWeights::bytes() const {
    std::size_t total = bias.bytes();
    for (const ConvolutionPhase& phase : phases)
        total += phase.weights.bytes();
    return total;
}

ConvolutionWeights packConvolution(const Tensor& weight, const Tensor& bias,
                                   const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                   const ConvolutionKernel& kernel) {
    if (geometry.transposed)
        return packTransposed(weight, bias, geometry, arithmetic, kernel);
    const std::size_t rank = weight.shape().rank();
    if ((rank != 4 && rank != 5) || bias.shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("No convolution has a weight {} and a bias {}",
                                                     weight.shape().text(), bias.shape().text()));
    if (geometry.upsample > 1 && geometry.spaceStride > 1)
        throw Error(ErrorKind::Internal, "No convolution both enlarges its input and strides over it");
    const Tensor values = weightOfFiveAxes(weight);
    ConvolutionWeights packed;
    packed.geometry = geometry;
    packed.arithmetic = arithmetic;
    packed.kernel = &kernel;
    packed.outChannels = values.extent(0);
    packed.inChannels = values.extent(1);
    packed.kernelFrames = values.extent(2);
    packed.kernelHeight = values.extent(3);
    packed.kernelWidth = values.extent(4);
    packed.bias = paddedBias(bias, kernel.lane);
    packed.phases = packPhases(values, geometry.padBefore, geometry.upsample, arithmetic, kernel);
    return packed;
}

}  // namespace meshreel
