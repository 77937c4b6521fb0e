// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions on every device in every arithmetic that they have, against the definition in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bounded_value.h"
#include "tested_device.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::Bounded;
using testing::BoundedSum;

struct FilterCase {
    std::array<std::int64_t, 5> weight;  // [out, in, kt, kh, kw]
    ConvolutionGeometry geometry = {};
    std::int64_t zeroFrames = 0;
    bool adds = false;
};

constexpr std::int64_t frames = 3;
constexpr std::int64_t height = 5;
constexpr std::int64_t width = 11;
constexpr ConvolutionGeometry padded{.padBefore = 1, .padAfter = 1};
constexpr ConvolutionGeometry enlarged{.padBefore = 1, .padAfter = 1, .upsample = 2};
constexpr ConvolutionGeometry halved{.spaceStride = 2, .padAfter = 1};

// Whole blocks of channels and parts of one, few outputs, what is read in words and what is gathered, and
// windows of zeros alone.
constexpr std::array filterCases{
    FilterCase{.weight = {70, 20, 3, 3, 3}, .geometry = padded, .zeroFrames = 2},
    FilterCase{.weight = {40, 32, 2, 3, 3}, .geometry = padded, .zeroFrames = 1, .adds = true},
    FilterCase{.weight = {3, 32, 1, 3, 3}, .geometry = padded},
    FilterCase{.weight = {12, 33, 1, 1, 1}},
    FilterCase{.weight = {16, 16, 3, 1, 1}, .geometry = {.timeStride = 2}},
    FilterCase{.weight = {24, 32, 1, 3, 3}, .geometry = halved},
    FilterCase{.weight = {24, 32, 1, 3, 3}, .geometry = enlarged},
    FilterCase{.weight = {8, 32, 2, 1, 1}, .zeroFrames = 2},
};

class ConvolutionsOnDevices : public testing::DeviceTest {
  protected:
    /// Pixel (y, x) of an output frame.
    struct Place {
        std::int64_t frame;
        std::int64_t y;
        std::int64_t x;
    };

    /// The sum over taps that lie within the frames. Enlarged, an input pixel is read by several taps, whose
    /// weights are added up first, in f32, and then rounded to the arithmetic.
    [[nodiscard]] Bounded sumAt(const FilterCase& of, const float* weights, const float* inputs,
                                std::int64_t out, const Place& at) const {
        const auto [outs, ins, times, rows, columns] = of.weight;
        const ConvolutionGeometry& geometry = of.geometry;
        BoundedSum products;
        for (std::int64_t kt = 0; kt < times; ++kt)
            for (std::int64_t kh = 0; kh < rows; ++kh)
                for (std::int64_t kw = 0; kw < columns; ++kw) {
                    const std::int64_t frame = at.frame * geometry.timeStride + kt - of.zeroFrames;
                    const std::int64_t y = at.y * geometry.spaceStride + kh - geometry.padBefore;
                    const std::int64_t x = at.x * geometry.spaceStride + kw - geometry.padBefore;
                    if (frame < 0 || y < 0 || y >= height * geometry.upsample || x < 0 ||
                        x >= width * geometry.upsample)
                        continue;
                    const std::int64_t pixel =
                        (frame * height + y / geometry.upsample) * width + x / geometry.upsample;
                    const std::int64_t taps = times * rows * columns;
                    const float* left = inputs + pixel * ins;
                    const float* right = weights + out * ins * taps + (kt * rows + kh) * columns + kw;
                    products.add(left, right, ins, taps);
                }
        Bounded total = products.total();
        if (geometry.upsample > 1)
            total.error += 2 * testing::unitRoundoff(rowType()) * products.magnitude();
        return total;
    }

    void expectFilter(const FilterCase& of) {
        const auto [outs, ins, times, rows, columns] = of.weight;
        const Tensor weight = testing::randomTensor({outs, ins, times, rows, columns}, 1).to(rowType());
        const Tensor bias = testing::randomTensor({outs}, 2);
        const Tensor input = testing::randomTensor({frames, height, width, ins}, 3).to(rowType());
        const PackedConvolution convolution = pack(weight, bias, of.geometry);
        const Tensor placed = there(input);
        std::vector<ConvolutionFrame> read(static_cast<std::size_t>(of.zeroFrames));
        for (std::int64_t frame = 0; frame < frames; ++frame)
            read.push_back({.pixels = MatrixView(placed.slice(frame, frame + 1))});
        const Shape shape{convolution.outFrames(of.zeroFrames + frames), convolution.outHeight(height),
                          convolution.outWidth(width), outs};
        const Tensor before = testing::randomTensor(shape, 4).to(rowType()).clone();
        Tensor out = there(before);
        convolution.apply(execution(), read, height, width, MatrixSpan(out), {.addToOutput = of.adds});
        const Tensor found = out.host().toF32();
        const Tensor old = before.toF32();
        const Tensor weightValues = weight.toF32();
        const Tensor inputValues = input.toF32();
        const float* const weights = weightValues.data<float>().data();
        const float* const inputs = inputValues.data<float>().data();
        ASSERT_GT(found.elements(), 0);
        std::size_t index = 0;
        for (Place at{}; at.frame < shape[0]; ++at.frame)
            for (at.y = 0; at.y < shape[1]; ++at.y)
                for (at.x = 0; at.x < shape[2]; ++at.x)
                    for (std::int64_t channel = 0; channel < outs; ++channel, ++index) {
                        Bounded value = testing::sum(
                            sumAt(of, weights, inputs, channel, at),
                            {static_cast<double>(bias.data<float>()[static_cast<std::size_t>(channel)])});
                        if (of.adds)
                            value = testing::sum(value, {static_cast<double>(old.data<float>()[index])});
                        value = testing::stored(value, rowType());
                        ASSERT_TRUE(value.admits(static_cast<double>(found.data<float>()[index])))
                            << found.data<float>()[index] << " is not " << value << ": frame " << at.frame
                            << ", pixel " << at.y << ", " << at.x << ", channel " << channel;
                    }
    }
};

TEST_P(ConvolutionsOnDevices, AreTheirDefinition) {
    for (std::size_t index = 0; index < filterCases.size(); ++index) {
        SCOPED_TRACE(fmt::format("filter {}", index));
        expectFilter(filterCases.at(index));
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ConvolutionsOnDevices,
                         ::testing::ValuesIn(testing::onEveryDevice({Arithmetic::F32, Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
