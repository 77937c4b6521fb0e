// SPDX-License-Identifier: GPL-3.0-or-later
// Norms, rotary embedding, activations, sums of rows and bytes of frames on every device, against their
// definitions in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bounded_value.h"
#include "engine/kernels/pixels/frame_bytes.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/int8_rows.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "tested_device.h"
#include "tests/support/activation_reference.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::Bounded;
using testing::BoundedSum;

constexpr double epsilonOfNorms = 1e-6;

class RowsOnDevices : public testing::DeviceTest {
  protected:
    /// Random rows in the case's number format.
    [[nodiscard]] Tensor rowsOf(const Shape& shape, std::uint64_t seed) const {
        return testing::randomTensor(shape, seed).to(rowType());
    }

    [[nodiscard]] static double at(const Tensor& f32, std::int64_t index) {
        return static_cast<double>(f32.data<float>()[static_cast<std::size_t>(index)]);
    }

    /// Every number of `output`, in its number format.
    static void expectEach(const Tensor& output, const std::function<Bounded(std::int64_t)>& expected) {
        const Tensor found = output.host().toF32();
        for (std::int64_t index = 0; index < found.elements(); ++index) {
            const Bounded value = testing::stored(expected(index), output.dtype());
            ASSERT_TRUE(value.admits(at(found, index)))
                << at(found, index) << " is not " << value << " at " << index;
        }
    }

    static void expectSameBits(const Tensor& one, const Tensor& other) {
        const Tensor first = one.host();
        const Tensor second = other.host();
        EXPECT_TRUE(std::ranges::equal(first.hostBytes(), second.hostBytes()));
    }

    /// 1/√(mean of squares + epsilon).
    [[nodiscard]] static Bounded inverseRms(const std::vector<Bounded>& row) {
        BoundedSum squares;
        for (const Bounded& value : row)
            squares.add(testing::product(value, value), 1.0);
        const Bounded mean = testing::product(squares.total(), 1.0 / static_cast<double>(row.size()));
        return testing::inverseRoot(testing::sum(mean, {epsilonOfNorms}));
    }

    [[nodiscard]] static std::vector<Bounded> rowAt(const Tensor& f32, std::int64_t row) {
        std::vector<Bounded> values;
        for (std::int64_t i = 0; i < f32.extent(1); ++i)
            values.push_back({at(f32, row * f32.extent(1) + i)});
        return values;
    }
};

/// A mean of 100 costs a sum in f32 seven bits of the differences.
TEST_P(RowsOnDevices, LayerNormIsItsDefinition) {
    constexpr std::int64_t width = 300;
    const Tensor gamma = testing::randomTensor({width}, 2);
    const Tensor beta = testing::randomTensor({width}, 3);
    const Tensor gammaThere = there(gamma);
    const Tensor betaThere = there(beta);
    for (const float shift : {0.0F, 100.0F}) {
        Tensor x = testing::randomTensor({9, width}, 1);
        for (float& value : x.data<float>())
            value += shift;
        const Tensor rows = there(x);
        Tensor y = there(Tensor::zeros(x.shape()).to(rowType()));
        layerNorm(execution(), MatrixView(rows), epsilonOfNorms,
                  {.gamma = MatrixView(gammaThere), .beta = MatrixView(betaThere)}, MatrixSpan(y));
        Tensor ofVectors = there(Tensor::zeros(x.shape()).to(rowType()));
        modulatedNorm(execution(), MatrixView(rows), epsilonOfNorms, gamma.data<float>(), beta.data<float>(),
                      MatrixSpan(ofVectors));
        expectSameBits(y, ofVectors);
        Tensor plain = there(Tensor::zeros(x.shape()).to(rowType()));
        layerNorm(execution(), MatrixView(rows), epsilonOfNorms, MatrixSpan(plain));
        const Tensor ones = there(Tensor::from({width}, std::vector<float>(width, 1.0F)));
        const Tensor zeros = there(Tensor::zeros({width}));
        Tensor byOnes = there(Tensor::zeros(x.shape()).to(rowType()));
        layerNorm(execution(), MatrixView(rows), epsilonOfNorms,
                  {.gamma = MatrixView(ones), .beta = MatrixView(zeros)}, MatrixSpan(byOnes));
        expectSameBits(plain, byOnes);
        std::vector<Bounded> expected;
        for (std::int64_t row = 0; row < x.extent(0); ++row) {
            std::vector<Bounded> values = rowAt(x, row);
            BoundedSum total;
            for (const Bounded& value : values)
                total.add(value, 1.0);
            const Bounded mean = testing::product(total.total(), 1.0 / width);
            for (Bounded& value : values)
                value = testing::sum(value, {-mean.value, mean.error});
            const Bounded factor = inverseRms(values);
            for (std::int64_t i = 0; i < width; ++i)
                expected.push_back(testing::sum(
                    testing::product(testing::product(values[static_cast<std::size_t>(i)], factor),
                                     at(gamma, i)),
                    {at(beta, i)}));
        }
        expectEach(y, [&](std::int64_t index) { return expected[static_cast<std::size_t>(index)]; });
    }
}

TEST_P(RowsOnDevices, RmsNormIsItsDefinition) {
    constexpr std::int64_t width = 300;
    const Tensor gamma = testing::randomTensor({width}, 2);
    const Tensor x = testing::randomTensor({9, width}, 1);
    const Tensor rows = there(x);
    Tensor y =
        there(Tensor::zeros(x.shape()).to(device().gpu ? rowType() : DType::F32));  // the host's are f32
    const Tensor gammaThere = there(gamma);
    rmsNorm(execution(), MatrixView(rows), epsilonOfNorms, MatrixView(gammaThere), MatrixSpan(y));
    std::vector<Bounded> expected;
    for (std::int64_t row = 0; row < x.extent(0); ++row) {
        const std::vector<Bounded> values = rowAt(x, row);
        const Bounded factor = inverseRms(values);
        for (std::int64_t i = 0; i < width; ++i)
            expected.push_back(testing::product(testing::product(values[static_cast<std::size_t>(i)], factor),
                                                at(gamma, i)));
    }
    expectEach(y, [&](std::int64_t index) { return expected[static_cast<std::size_t>(index)]; });
}

TEST_P(RowsOnDevices, HeadsAreNormedAndRotated) {
    constexpr TokenGrid grid{.frames = 2, .rows = 3, .columns = 2};
    constexpr std::int64_t headDim = 24;
    constexpr std::int64_t width = 5 * headDim;
    const RotaryTable rotary = rotaryTable(grid, headDim);
    const RotaryTable placed{there(rotary.cos), there(rotary.sin)};
    const Tensor gamma = testing::randomTensor({width}, 2);
    const Tensor gammaThere = there(gamma);
    const Tensor before = rowsOf({2 * grid.tokens(), width}, 1);
    const Tensor values = before.toF32();
    for (const bool scaled : {false, true})
        for (const bool rotated : {false, true}) {
            SCOPED_TRACE(fmt::format("scaled {}, rotated {}", scaled, rotated));
            Tensor x = there(before).clone();
            normaliseHeads(execution(), MatrixSpan(x),
                           {.headDim = headDim,
                            .gamma = scaled ? MatrixView(gammaThere) : MatrixView(),
                            .fullWidth = width,
                            .epsilon = epsilonOfNorms,
                            .rotary = rotated ? &placed : nullptr});
            std::vector<Bounded> expected;
            for (std::int64_t row = 0; row < values.extent(0); ++row) {
                std::vector<Bounded> of = rowAt(values, row);
                const Bounded factor = inverseRms(of);
                for (std::int64_t i = 0; i < width && scaled; ++i) {
                    Bounded& value = of[static_cast<std::size_t>(i)];
                    value = testing::product(testing::product(value, factor), at(gamma, i));
                }
                for (std::int64_t even = 0; even < width && rotated; even += 2) {
                    const std::int64_t angle = row % grid.tokens() * (headDim / 2) + even % headDim / 2;
                    const double cosine = at(rotary.cos, angle);
                    const double sine = at(rotary.sin, angle);
                    Bounded& one = of[static_cast<std::size_t>(even)];
                    Bounded& other = of[static_cast<std::size_t>(even + 1)];
                    const Bounded turned =
                        testing::sum(testing::product(one, cosine), testing::product(other, -sine));
                    other = testing::sum(testing::product(one, sine), testing::product(other, cosine));
                    one = turned;
                }
                expected.insert(expected.end(), of.begin(), of.end());
            }
            expectEach(x, [&](std::int64_t index) { return expected[static_cast<std::size_t>(index)]; });
        }
}

TEST_P(RowsOnDevices, ChannelsAreNormedAndActivated) {
    constexpr std::int64_t channels = 100;
    const Tensor gamma = testing::randomTensor({channels}, 2);
    Tensor before = testing::randomTensor({37, channels}, 1);
    std::ranges::fill(before.slice(0, 1).data<float>(), 0.0F);
    before = before.to(rowType());
    const Tensor values = before.toF32();
    std::vector<Bounded> expected(static_cast<std::size_t>(channels));  // of zeros
    for (std::int64_t row = 1; row < values.extent(0); ++row) {
        const std::vector<Bounded> pixel = rowAt(values, row);
        BoundedSum squares;
        for (const Bounded& value : pixel)
            squares.add(testing::product(value, value), 1.0);
        const Bounded factor =
            testing::product(testing::inverseRoot(squares.total()), std::sqrt(static_cast<double>(channels)));
        for (std::int64_t i = 0; i < channels; ++i)
            expected.push_back(
                testing::product(testing::product(pixel[static_cast<std::size_t>(i)], factor), at(gamma, i)));
    }
    for (const auto after : {ChannelNorm::After::Nothing, ChannelNorm::After::Silu}) {
        Tensor x = there(before).clone();
        ChannelNorm(there(gamma), after).apply(execution(), MatrixView(x), MatrixSpan(x));
        expectEach(x, [&](std::int64_t index) {
            const Bounded& normed = expected[static_cast<std::size_t>(index)];
            return after == ChannelNorm::After::Silu && index >= channels
                       ? testing::activated([](double v) { return v / (1.0 + std::exp(-v)); }, normed)
                       : normed;
        });
    }
}

/// The sum, product or difference of two numbers is rounded once.
TEST_P(RowsOnDevices, SumsAndBoundsAreTheirDefinitions) {
    const Tensor left = rowsOf({7, 130}, 1);
    const Tensor right = rowsOf({7, 130}, 2);
    const Tensor lefts = left.toF32();
    const Tensor rights = right.toF32();
    const auto expectOf = [&](auto operation, const std::function<Bounded(double, double)>& definition) {
        Tensor into = there(left).clone();
        const Tensor values = there(right);
        operation(MatrixSpan(into), MatrixView(values));
        expectEach(into, [&](std::int64_t index) { return definition(at(lefts, index), at(rights, index)); });
    };
    using To = const MatrixSpan&;
    using From = const MatrixView&;
    const Execution on = execution();
    expectOf([&](To x, From y) { addRows(on, x, y); },
             [](double x, double y) { return testing::sum({x}, {y}); });
    expectOf([&](To x, From) { rectify(on, x); }, [](double x, double) { return Bounded{std::max(x, 0.0)}; });
    expectOf([&](To x, From y) { addAndRectify(on, x, y); },
             [](double x, double y) { return testing::sum({std::max(x + y, 0.0)}, {0.0}); });
    expectOf([&](To x, From) { centre(on, x); },
             [](double x, double) { return testing::sum({2.0 * x}, {-1.0}); });
    expectOf([&](To x, From y) { boundTo3(on, x, y); },
             [](double, double y) {
                 return testing::activated([](double v) { return 3.0 * std::tanh(v / 3.0); }, {y});
             });
    if (rowType() != DType::F32)
        return;  // those below are of f32 rows
    const Tensor gate = testing::randomTensor({130}, 3);
    expectOf([&](To x, From y) { subtractFrom(on, x, y); },
             [](double x, double y) { return testing::sum({y}, {-x}); });
    expectOf([&](To x, From y) { multiplyRows(on, x, y); },
             [](double x, double y) { return testing::product({x}, y); });
    Tensor into = there(left).clone();
    const Tensor values = there(right);
    addGated(on, MatrixSpan(into), MatrixView(values), gate.data<float>());
    expectEach(into, [&](std::int64_t index) {
        return testing::sum({at(lefts, index)}, testing::product({at(rights, index)}, at(gate, index % 130)));
    });
}

TEST_P(RowsOnDevices, Int8RowsAreTheirNumbersTimesTheirScales) {
    const Tensor given = rowsOf({70, 12}, 5);
    const Int8Rows packed = packInt8Rows(execution(), given, 12, execution().memory());
    const Tensor values = packed.values.host();
    const Tensor scales = packed.scales.host();
    Tensor into = there(testing::randomTensor({70, 12}, 6).to(rowType()));
    unpackInt8Rows(execution(), packed, MatrixSpan(into));
    const auto* const bytes = reinterpret_cast<const std::int8_t*>(values.raw());
    expectEach(into, [&](std::int64_t index) {
        return testing::product({static_cast<double>(bytes[index])}, at(scales, index / 12));
    });
}

/// Of f32 rows alone.
class NumbersOnDevices : public RowsOnDevices {};

/// Of values far from 0 too.
TEST_P(NumbersOnDevices, ActivationsAreTheirDefinitions) {
    const std::pair<Activation*, double (*)(double)> activations[] = {
        {geluTanh, [](double x) { return testing::activatedInDouble(LinearActivation::GeluTanh, x); }},
        {geluErf, [](double x) { return testing::activatedInDouble(LinearActivation::GeluErf, x); }},
        {geluQuick, [](double x) { return x / (1.0 + std::exp(-1.702 * x)); }}};
    Tensor before = testing::randomTensor({7, 1300}, 1);
    before.data<float>()[5] = 1e4F;
    before.data<float>()[9000] = -1e4F;
    for (const auto& [activation, definition] : activations) {
        Tensor x = there(before).clone();
        activate(execution(), *activation, MatrixSpan(x));
        expectEach(x, [&, exact = definition](std::int64_t index) {
            return testing::activated(exact, {at(before, index)});
        });
    }
}

/// Of rows that are cut to the bound, within it, and zeros.
TEST_P(RowsOnDevices, GuidedAttentionIsItsDefinition) {
    constexpr std::int64_t rows = 6;
    constexpr std::int64_t width = 300;
    constexpr AttentionGuidance guidance{.scale = 4, .tau = 2.5F, .alpha = 0.25F};
    Tensor prompt = rowsOf({rows, width}, 1);
    Tensor negative = rowsOf({rows, width}, 2);
    negative.slice(1, 2).assign(prompt.slice(1, 2));                     // g is p
    prompt.slice(2, 3).assign(Tensor::zeros({1, width}).to(rowType()));  // no bound: zeros stay
    negative.slice(3, 4).assign(Tensor::zeros({1, width}).to(rowType()));
    const Tensor p = prompt.toF32();
    const Tensor n = negative.toF32();
    Tensor guided = there(prompt);
    guideAttention(execution(), MatrixSpan(guided), MatrixView(there(negative)), guidance);
    std::vector<Bounded> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
        BoundedSum ofPrompt;
        BoundedSum ofGuided;
        std::vector<Bounded> g;
        for (std::int64_t i = 0; i < width; ++i) {
            const double own = at(p, row * width + i);
            g.push_back(testing::sum(testing::product({own}, guidance.scale),
                                     testing::product({at(n, row * width + i)}, 1.0 - guidance.scale)));
            ofPrompt.add({std::abs(own)}, 1.0);
            ofGuided.add({std::abs(g.back().value), g.back().error}, 1.0);
        }
        const Bounded most = testing::product(ofPrompt.total(), guidance.tau);
        const bool exceeds = ofGuided.total().value > most.value;
        const Bounded limit =
            exceeds ? testing::quotient(most, testing::sum(ofGuided.total(), {1e-7})) : Bounded{1.0};
        for (std::int64_t i = 0; i < width; ++i)
            expected.push_back(testing::sum(
                testing::product(testing::product(limit, g[static_cast<std::size_t>(i)]), guidance.alpha),
                testing::product({at(p, row * width + i)}, 1.0 - guidance.alpha)));
    }
    expectEach(guided, [&](std::int64_t index) { return expected[static_cast<std::size_t>(index)]; });
}

/// To the last bit, so that a video does not tell what computed it.
TEST_P(NumbersOnDevices, FramesAreTheSameBytes) {
    constexpr std::int64_t patch = 2;
    const Tensor features = testing::randomTensor({2, 3, 5, 3 * patch * patch}, 1);
    const Tensor bytes = frameBytes(execution(), there(features), patch);
    ASSERT_EQ(bytes.shape(), (Shape{2, 6, 10, 3}));
    ASSERT_TRUE(bytes.isOnHost());
    std::size_t index = 0;
    for (std::int64_t line = 0; line < 2 * 6; ++line)
        for (std::int64_t column = 0; column < 10; ++column)
            for (std::int64_t colour = 0; colour < 3; ++colour, ++index) {
                const std::int64_t feature = line / patch * 5 + column / patch;
                const std::int64_t channel = (colour * patch + column % patch) * patch + line % patch;
                const float value = features.data<float>()[static_cast<std::size_t>(feature * 12 + channel)];
                ASSERT_EQ(bytes.data<std::uint8_t>()[index], toByte(value)) << index;
            }
}

INSTANTIATE_TEST_SUITE_P(Every, RowsOnDevices,
                         ::testing::ValuesIn(testing::onEveryChosenDevice({Arithmetic::F32,
                                                                           Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });
INSTANTIATE_TEST_SUITE_P(Every, NumbersOnDevices,
                         ::testing::ValuesIn(testing::onEveryChosenDevice({Arithmetic::F32})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
