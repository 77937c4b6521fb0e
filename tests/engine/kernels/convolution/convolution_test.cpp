// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <tuple>
#include <vector>

#include "engine/kernels/convolution/convolution_bf16.h"
#include "engine/kernels/tiles/tile_unit_emulated.h"
#include "tests/support/instruction_emulation.h"

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

MatrixView toPixels(const Tensor& tensor, std::int64_t frame) {
    return MatrixView(tensor.slice(frame, frame + 1));
}

/// The past's zeros, then the frames of `input` [T, H, W, C].
std::vector<ConvolutionFrame> framesOf(const Case& given, const Tensor& input) {
    std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(given.zeroFrames));
    for (std::int64_t frame = 0; frame < given.frames; ++frame)
        frames.push_back({.pixels = toPixels(input, frame)});
    return frames;
}

/// Columns [begin, end) of [T, H, W, C].
Tensor sliceColumns(const Tensor& input, std::int64_t begin, std::int64_t end) {
    const std::int64_t channels = input.extent(3);
    Tensor columns = Tensor::empty({input.extent(0), input.extent(1), end - begin, channels});
    float* to = columns.data<float>().data();
    for (std::int64_t row = 0; row < input.extent(0) * input.extent(1); ++row)
        to = std::copy_n(input.data<float>().data() + (row * input.extent(2) + begin) * channels,
                         (end - begin) * channels, to);
    return columns;
}

Tensor rounded(const Tensor& values) {
    Tensor result = values.clone();
    for (float& value : result.data<float>())
        value = toFloat(toBFloat16(value));
    return result;
}

Tensor asBFloat16(const Tensor& values) {
    Tensor result = Tensor::empty(values.shape(), DType::BF16);
    convert(values.data<float>(), result.data<BFloat16>());
    return result;
}

/// A kernel that this machine runs, and what it multiplies.
struct Way {
    const ConvolutionKernel* kernel;
    Arithmetic arithmetic;
};

constinit const ConvolutionKernel emulated = tileConvolution<TileUnitEmulated>("emulated_tiles");

std::vector<Way> ways() {
    std::vector<Way> result = {{&emulated, Arithmetic::BF16}};
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16})
        for (const ConvolutionCandidate& candidate : convolutionCandidates(arithmetic))
            if (whyRejected(candidate.needs).empty())
                result.push_back({candidate.kernel, arithmetic});
    return result;
}

/// Kernels whose instructions this CPU lacks, if they can be emulated.
std::vector<Way> emulatedWays() {
    if (testing::cpuHasBf16Instructions() || !testing::bf16InstructionsAtHand())
        return {};
    return {{&amxConvolution, Arithmetic::BF16}, {&avx512Bf16Convolution, Arithmetic::BF16}};
}

class ConvolutionTest : public ::testing::TestWithParam<std::tuple<Case, Way>> {
  protected:
    const Case given = std::get<0>(GetParam());
    const Way way = std::get<1>(GetParam());
    const Tensor weight = randomTensor(given.weight, 1);
    const Tensor bias = randomTensor({given.weight[0]}, 2);
    const Tensor input = randomTensor({given.frames, given.height, given.width, given.weight[1]}, 3);
    const PackedConvolution convolution =
        PackedConvolution::pack(weight, bias, given.geometry, way.arithmetic, *way.kernel);

    [[nodiscard]] Tensor apply(const std::vector<ConvolutionFrame>& frames, std::int64_t width, int workers,
                               const ConvolutionEpilogue& epilogue = {}) const {
        WorkerPool pool({.workers = workers});
        Tensor out =
            Tensor::zeros({convolution.outFrames(std::ssize(frames)), convolution.outHeight(given.height),
                           convolution.outWidth(width), given.weight[0]});
        convolution.apply({pool, {}}, frames, given.height, width, MatrixSpan(out), epilogue);
        return out;
    }
};

void expectSameBits(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    EXPECT_TRUE(std::ranges::equal(found.data<float>(), expected.data<float>()));
}

TEST_P(ConvolutionTest, EqualsTheDefinition) {
    const bool rounds = way.arithmetic == Arithmetic::BF16;
    // Where the input is enlarged, weights are added up before they are rounded.
    const double tolerance = rounds && given.geometry.upsample > 1 ? 3e-2 : 1e-4;
    const Tensor usedWeight = rounds ? rounded(weight) : weight;
    const Tensor usedInput = rounds ? rounded(input) : input;
    const Tensor output = apply(framesOf(given, input), given.width, 1);
    ASSERT_GT(output.elements(), 0);
    std::size_t index = 0;
    for (std::int64_t frame = 0; frame < output.extent(0); ++frame)
        for (std::int64_t y = 0; y < output.extent(1); ++y)
            for (std::int64_t x = 0; x < output.extent(2); ++x)
                for (std::int64_t out = 0; out < given.weight[0]; ++out, ++index)
                    ASSERT_NEAR(output.data<float>()[index],
                                naive(given, usedWeight, bias.data<float>()[static_cast<std::size_t>(out)],
                                      usedInput, out, frame, y, x),
                                tolerance)
                        << way.kernel->name << ": frame " << frame << ", pixel " << y << ", " << x
                        << ", channel " << out;
}

TEST_P(ConvolutionTest, WorkersAndFramesComputedTogetherChangeNoBit) {
    const std::vector<ConvolutionFrame> frames = framesOf(given, input);
    const Tensor expected = apply(frames, given.width, 1);
    expectSameBits(apply(frames, given.width, 3), expected);
    for (std::int64_t frame = 0; frame < expected.extent(0); ++frame) {
        const auto first = frames.begin() + frame * given.geometry.timeStride;
        expectSameBits(apply({first, first + given.weight[2]}, given.width, 2),
                       expected.slice(frame, frame + 1));
    }
}

TEST_P(ConvolutionTest, StripsThatKnowTheNextColumnEqualTheWhole) {
    const std::vector<ConvolutionFrame> wholeFrames = framesOf(given, input);
    const Tensor whole = apply(wholeFrames, given.width, 2);
    const std::int64_t stride = given.geometry.spaceStride;
    for (std::int64_t cut = stride; cut < given.width; cut += stride) {
        for (const bool first : {true, false}) {
            const std::int64_t begin = first ? 0 : cut;
            const std::int64_t end = first ? cut : given.width;
            const Tensor strip = sliceColumns(input, begin, end);
            const Tensor beside =
                first ? sliceColumns(input, cut, cut + 1) : sliceColumns(input, cut - 1, cut);
            std::vector<ConvolutionFrame> frames = framesOf(given, strip);
            for (std::int64_t frame = 0; frame < given.frames; ++frame) {
                auto& known = frames[static_cast<std::size_t>(given.zeroFrames + frame)];
                (first ? known.right : known.left) = toPixels(beside, frame);
            }
            const Tensor found = apply(frames, end - begin, 2);
            const std::int64_t outBegin = begin * given.geometry.upsample / stride;
            SCOPED_TRACE(begin);
            expectSameBits(found, sliceColumns(whole, outBegin, outBegin + found.extent(2)));
        }
    }
}

TEST_P(ConvolutionTest, NormsAndAddsBeforeItStores) {
    const std::vector<ConvolutionFrame> frames = framesOf(given, input);
    const std::int64_t channels = given.weight[0];
    WorkerPool pool({.workers = 2});
    Tensor expected = apply(frames, given.width, 1);
    const ChannelNorm norm(randomTensor({channels}, 4));
    norm.apply({pool, {}}, MatrixView(expected), MatrixSpan(expected));
    expectSameBits(apply(frames, given.width, 2, {.norm = &norm}), expected);

    const Tensor before = randomTensor(expected.shape(), 5);
    Tensor out = before.clone();
    convolution.apply({pool, {}}, frames, given.height, given.width, MatrixSpan(out),
                      {.norm = &norm, .addToOutput = true});
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        expected.data<float>()[i] += before.data<float>()[i];
    expectSameBits(out, expected);
}

TEST_P(ConvolutionTest, ReadsAndWritesBFloat16) {
    const Tensor halved = asBFloat16(input);
    const Tensor whole = rounded(input);
    const Tensor expected = asBFloat16(apply(framesOf(given, whole), given.width, 1));
    WorkerPool pool({.workers = 2});
    Tensor out = Tensor::zeros(expected.shape(), DType::BF16);
    convolution.apply({pool, {}}, framesOf(given, halved), given.height, given.width, MatrixSpan(out));
    EXPECT_TRUE(std::ranges::equal(out.data<BFloat16>(), expected.data<BFloat16>(),
                                   [](BFloat16 a, BFloat16 b) { return a.bits == b.bits; }));
}

constexpr ConvolutionGeometry same{.padBefore = 1, .padAfter = 1};

const std::vector<Case> cases = {
    {{5, 3, 3, 3, 3}, same, 4, 7, 9},
    {{5, 3, 3, 3, 3}, same, 1, 7, 9, 2},
    {{5, 3, 3, 3, 3}, same, 2, 1, 1, 1},
    {{4, 150, 3, 3, 3}, same, 3, 5, 6, 1},   // weights of a tap in parts
    {{3, 20, 3, 3, 3}, same, 3, 33, 41, 2},  // several units a frame
    {{70, 9, 1, 3, 3}, same, 1, 5, 70},      // blocks of channels of all widths, several units a row
    {{6, 7, 1, 1, 1}, {}, 2, 5, 3},
    {{10, 5, 3, 1, 1}, {}, 2, 5, 3, 2},
    {{5, 5, 3, 1, 1}, {.timeStride = 2}, 5, 3, 4},
    {{4, 6, 1, 3, 3}, {.spaceStride = 2, .padAfter = 1}, 2, 8, 6},
    {{4, 6, 1, 3, 3}, {.spaceStride = 2, .padAfter = 1}, 1, 7, 5},
    {{3, 6, 1, 3, 3}, {.padBefore = 1, .padAfter = 1, .upsample = 2}, 2, 5, 4}};

// What emulated instructions, thousands of times slower, can do in a test.
std::vector<Case> smallCases() {
    constexpr std::int64_t mostProducts = 110'000;
    std::vector<Case> result;
    std::ranges::copy_if(cases, std::back_inserter(result), [](const Case& one) {
        return one.weight.elements() * one.frames * one.height * one.width <= mostProducts;
    });
    return result;
}

std::string nameOfTest(const ::testing::TestParamInfo<std::tuple<Case, Way>>& test) {
    const Way& way = std::get<1>(test.param);
    return fmt::format("{}_{}_{}", test.index, nameOf(way.arithmetic), way.kernel->name);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ConvolutionTest,
                         ::testing::Combine(::testing::ValuesIn(cases), ::testing::ValuesIn(ways())),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(EmulatedInstructions, ConvolutionTest,
                         ::testing::Combine(::testing::ValuesIn(smallCases()),
                                            ::testing::ValuesIn(emulatedWays())),
                         nameOfTest);

TEST(PackedConvolution, RefusesOutputsAndFramesOfAnotherSize) {
    const PackedConvolution convolution =
        PackedConvolution::pack(Tensor::zeros({2, 2, 3, 3}), Tensor::zeros({2}), same);
    const Tensor frame = Tensor::zeros({4, 4, 2});
    Tensor out = Tensor::zeros({4, 4, 2});
    WorkerPool pool({.workers = 1});
    const std::vector<ConvolutionFrame> frames = {{.pixels = MatrixView(frame)}};
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 4, 4, MatrixSpan(out).slice(0, 15)), Error);
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 4, 4, MatrixSpan(out).columns(0, 1)), Error);
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 2, 4, MatrixSpan(out).slice(0, 8)), Error);
}

TEST(PackedConvolution, RefusesStripsWhenOneColumnBesideThemIsNotEnough) {
    const PackedConvolution convolution = PackedConvolution::pack(
        Tensor::zeros({2, 2, 5, 5}), Tensor::zeros({2}), {.padBefore = 2, .padAfter = 2});
    const Tensor frame = Tensor::zeros({4, 4, 2});
    Tensor out = Tensor::zeros({4, 4, 2});
    WorkerPool pool({.workers = 1});
    std::vector<ConvolutionFrame> frames = {{.pixels = MatrixView(frame)}};
    EXPECT_NO_THROW(convolution.apply({pool, {}}, frames, 4, 4, MatrixSpan(out)));
    frames.front().left = MatrixView(frame).slice(0, 4);
    EXPECT_THROW(convolution.apply({pool, {}}, frames, 4, 4, MatrixSpan(out)), Error);
}

TEST(PackedConvolution, RefusesWhatItCannotCompute) {
    const Tensor weight = Tensor::zeros({2, 2, 3, 3});
    EXPECT_THROW(PackedConvolution::pack(weight, Tensor::zeros({2}), same, Arithmetic::Int8), Error);
    EXPECT_THROW(PackedConvolution::pack(weight, Tensor::zeros({2}), {.spaceStride = 2, .upsample = 2}),
                 Error);
    EXPECT_THROW(PackedConvolution::pack(weight, Tensor::zeros({3}), same), Error);
}

TEST(ConvolutionCandidates, TheFirstThatIsNotRejectedIsTaken) {
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16}) {
        const auto candidates = convolutionCandidates(arithmetic);
        EXPECT_EQ(whyRejected(candidates.back().needs), "") << "every CPU runs the last";
        const auto taken =
            std::ranges::find(candidates, &convolutionKernel(arithmetic), &ConvolutionCandidate::kernel);
        EXPECT_EQ(whyRejected(taken->needs), "");
        for (auto better = candidates.begin(); better != taken; ++better)
            EXPECT_NE(whyRejected(better->needs), "") << better->needs.name;
    }
}

TEST(PackedConvolution, StopsBetweenStrips) {
    const PackedConvolution convolution =
        PackedConvolution::pack(Tensor::zeros({2, 2, 3, 3}), Tensor::zeros({2}), same);
    const Tensor frame = Tensor::zeros({4, 4, 2});
    Tensor out = Tensor::zeros({4, 4, 2});
    const std::vector<ConvolutionFrame> frames = {{.pixels = MatrixView(frame)}};
    WorkerPool pool({.workers = 2});
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(convolution.apply({pool, stop.get_token()}, frames, 4, 4, MatrixSpan(out)), Error);
}

}  // namespace
}  // namespace meshreel
