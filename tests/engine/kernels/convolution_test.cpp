// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace meshreel {
namespace {

Tensor randomTensor(const Shape& shape, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> values(-1.0F, 1.0F);
    Tensor tensor = Tensor::empty(shape);
    for (float& value : tensor.data<float>())
        value = values(engine);
    return tensor;
}

struct Case {
    Shape weight;  // [out, in, kt, kh, kw]
    ConvolutionGeometry geometry;
    std::int64_t frames;
    std::int64_t height;
    std::int64_t width;
    std::int64_t zeroFrames = 0;
};

/// The definition, in double: one output value.
double naive(const Case& given, const Tensor& weight, float bias, const Tensor& input, std::int64_t out,
             std::int64_t frame, std::int64_t y, std::int64_t x) {
    const ConvolutionGeometry& geometry = given.geometry;
    const std::int64_t channels = weight.extent(1);
    double sum = static_cast<double>(bias);
    for (std::int64_t in = 0; in < channels; ++in)
        for (std::int64_t kt = 0; kt < weight.extent(2); ++kt)
            for (std::int64_t kh = 0; kh < weight.extent(3); ++kh)
                for (std::int64_t kw = 0; kw < weight.extent(4); ++kw) {
                    const std::int64_t fromFrame = frame * geometry.timeStride + kt - given.zeroFrames;
                    const std::int64_t row = y * geometry.spaceStride + kh - geometry.padBefore;
                    const std::int64_t column = x * geometry.spaceStride + kw - geometry.padBefore;
                    if (fromFrame < 0 || row < 0 || row >= given.height * geometry.upsample || column < 0 ||
                        column >= given.width * geometry.upsample)
                        continue;
                    const std::int64_t pixel =
                        (fromFrame * given.height + row / geometry.upsample) * given.width +
                        column / geometry.upsample;
                    const std::int64_t tap =
                        (((out * channels + in) * weight.extent(2) + kt) * weight.extent(3) + kh) *
                            weight.extent(4) +
                        kw;
                    sum += static_cast<double>(
                               input.data<float>()[static_cast<std::size_t>(pixel * channels + in)]) *
                           static_cast<double>(weight.data<float>()[static_cast<std::size_t>(tap)]);
                }
    return sum;
}

/// The past's zeros, then the frames of `input` [T, H, W, C].
std::vector<ConvolutionFrame> framesOf(const Case& given, const Tensor& input) {
    std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(given.zeroFrames));
    for (std::int64_t frame = 0; frame < given.frames; ++frame)
        frames.push_back(
            {input.data<float>().data() + frame * input.extent(1) * input.extent(2) * input.extent(3)});
    return frames;
}

/// Columns [begin, end) of [T, H, W, C].
Tensor columnsOf(const Tensor& input, std::int64_t begin, std::int64_t end) {
    const std::int64_t channels = input.extent(3);
    Tensor columns = Tensor::empty({input.extent(0), input.extent(1), end - begin, channels});
    float* to = columns.data<float>().data();
    for (std::int64_t row = 0; row < input.extent(0) * input.extent(1); ++row)
        to = std::copy_n(input.data<float>().data() + (row * input.extent(2) + begin) * channels,
                         (end - begin) * channels, to);
    return columns;
}

class ConvolutionTest : public ::testing::TestWithParam<Case> {};

TEST_P(ConvolutionTest, EqualsTheDefinition) {
    const Case& given = GetParam();
    const Tensor weight = randomTensor(given.weight, 1);
    const Tensor bias = randomTensor({given.weight[0]}, 2);
    const Tensor input = randomTensor({given.frames, given.height, given.width, given.weight[1]}, 3);
    const std::vector<ConvolutionFrame> frames = framesOf(given, input);
    const PackedConvolution convolution = PackedConvolution::pack(weight, bias, given.geometry);
    const std::int64_t outFrames = convolution.outFrames(std::ssize(frames));
    const std::int64_t outHeight = convolution.outHeight(given.height);
    const std::int64_t outWidth = convolution.outWidth(given.width);
    Tensor output = Tensor::empty({outFrames, outHeight, outWidth, given.weight[0]});
    ASSERT_GT(output.elements(), 0);

    for (const int workers : {1, 3}) {
        WorkerPool pool({.workers = workers});
        convolution.apply({pool, {}}, frames, given.height, given.width, output.data<float>());
        std::size_t index = 0;
        for (std::int64_t frame = 0; frame < outFrames; ++frame)
            for (std::int64_t y = 0; y < outHeight; ++y)
                for (std::int64_t x = 0; x < outWidth; ++x)
                    for (std::int64_t out = 0; out < given.weight[0]; ++out, ++index)
                        ASSERT_NEAR(output.data<float>()[index],
                                    naive(given, weight, bias.data<float>()[static_cast<std::size_t>(out)],
                                          input, out, frame, y, x),
                                    1e-4)
                            << "frame " << frame << ", pixel " << y << ", " << x << ", channel " << out;
    }
}

TEST_P(ConvolutionTest, StripsThatKnowTheNextColumnEqualTheWhole) {
    const Case& given = GetParam();
    const Tensor input = randomTensor({given.frames, given.height, given.width, given.weight[1]}, 3);
    const PackedConvolution convolution = PackedConvolution::pack(
        randomTensor(given.weight, 1), randomTensor({given.weight[0]}, 2), given.geometry);
    const std::vector<ConvolutionFrame> wholeFrames = framesOf(given, input);
    const std::int64_t outFrames = convolution.outFrames(std::ssize(wholeFrames));
    const std::int64_t outHeight = convolution.outHeight(given.height);
    const auto apply = [&](const std::vector<ConvolutionFrame>& frames, std::int64_t width) {
        WorkerPool pool({.workers = 2});
        Tensor out = Tensor::empty({outFrames, outHeight, convolution.outWidth(width), given.weight[0]});
        convolution.apply({pool, {}}, frames, given.height, width, out.data<float>());
        return out;
    };
    const Tensor whole = apply(wholeFrames, given.width);
    const std::int64_t stride = given.geometry.spaceStride;
    for (std::int64_t cut = stride; cut < given.width; cut += stride) {
        for (const bool first : {true, false}) {
            const std::int64_t begin = first ? 0 : cut;
            const std::int64_t end = first ? cut : given.width;
            const Tensor strip = columnsOf(input, begin, end);
            const Tensor beside = first ? columnsOf(input, cut, cut + 1) : columnsOf(input, cut - 1, cut);
            std::vector<ConvolutionFrame> frames = framesOf(given, strip);
            for (std::int64_t frame = 0; frame < given.frames; ++frame) {
                const float* column = beside.data<float>().data() + frame * given.height * given.weight[1];
                auto& known = frames[static_cast<std::size_t>(given.zeroFrames + frame)];
                (first ? known.right : known.left) = column;
            }
            const Tensor found = apply(frames, end - begin);
            const std::int64_t outBegin = begin * given.geometry.upsample / stride;
            const Tensor expected = columnsOf(whole, outBegin, outBegin + found.extent(2));
            for (std::size_t i = 0; i < found.data<float>().size(); ++i)
                ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], 1e-5)
                    << "columns " << begin << " to " << end << ", value " << i;
        }
    }
}

constexpr ConvolutionGeometry same{.padBefore = 1, .padAfter = 1};

INSTANTIATE_TEST_SUITE_P(
    Shapes, ConvolutionTest,
    ::testing::Values(Case{{5, 3, 3, 3, 3}, same, 4, 7, 9}, Case{{5, 3, 3, 3, 3}, same, 1, 7, 9, 2},
                      Case{{5, 3, 3, 3, 3}, same, 2, 1, 1, 1},
                      Case{{4, 150, 3, 3, 3}, same, 3, 5, 6, 1},   // one tap a slab
                      Case{{3, 20, 3, 3, 3}, same, 3, 33, 41, 2},  // several strips a frame
                      Case{{6, 7, 1, 1, 1}, {}, 2, 5, 3}, Case{{10, 5, 3, 1, 1}, {}, 2, 5, 3, 2},
                      Case{{5, 5, 3, 1, 1}, {.timeStride = 2}, 5, 3, 4},
                      Case{{4, 6, 1, 3, 3}, {.spaceStride = 2, .padAfter = 1}, 2, 8, 6},
                      Case{{4, 6, 1, 3, 3}, {.spaceStride = 2, .padAfter = 1}, 1, 7, 5},
                      Case{{3, 6, 1, 3, 3}, {.padBefore = 1, .padAfter = 1, .upsample = 2}, 2, 5, 4}));

TEST(PackedConvolution, RefusesAnOutputOfAnotherSize) {
    const PackedConvolution convolution =
        PackedConvolution::pack(Tensor::zeros({2, 2, 3, 3}), Tensor::zeros({2}), same);
    const std::vector<float> frame(2 * 4 * 4);
    std::vector<float> out(2 * 4 * 3);
    const std::vector<ConvolutionFrame> frames = {{frame.data()}};
    WorkerPool pool({.workers = 1});
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 4, 4, out), Error);
}

TEST(PackedConvolution, RefusesStripsWhenOneColumnBesideThemIsNotEnough) {
    const PackedConvolution convolution = PackedConvolution::pack(
        Tensor::zeros({2, 2, 5, 5}), Tensor::zeros({2}), {.padBefore = 2, .padAfter = 2});
    const std::vector<float> frame(2 * 4 * 4);
    std::vector<float> out(2 * 4 * 4);
    WorkerPool pool({.workers = 1});
    std::vector<ConvolutionFrame> frames = {{.pixels = frame.data()}};
    EXPECT_NO_THROW(convolution.apply({pool, {}}, frames, 4, 4, out));
    frames.front().left = frame.data();
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 4, 4, out), Error);
}

TEST(PackedConvolution, StopsBetweenStrips) {
    const PackedConvolution convolution =
        PackedConvolution::pack(Tensor::zeros({2, 2, 3, 3}), Tensor::zeros({2}), same);
    const std::vector<float> frame(2 * 4 * 4);
    std::vector<float> out(2 * 4 * 4);
    const std::vector<ConvolutionFrame> frames = {{frame.data()}};
    WorkerPool pool({.workers = 2});
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(convolution.apply({pool, stop.get_token()}, frames, 4, 4, out), Error);
}

}  // namespace
}  // namespace meshreel
