// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers in emulated tiles on every machine, and in their own instructions where these can be run.
#include "engine/kernels/linear/tile_linear.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/instruction_emulation.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

struct Layer {
    std::int64_t in;
    std::int64_t out;
};

struct ProductVariant {
    const char* name;
    const TileProductKernel* kernel;
};

class TileLinearTest : public ::testing::TestWithParam<ProductVariant> {
  protected:
    void SetUp() override {
        if (GetParam().kernel == &amxBf16Product && !testing::bf16InstructionsAtHand())
            GTEST_SKIP() << "this CPU has not AVX-512, beside which the instructions are emulated";
    }

    static const TileProductKernel& kernel() { return *GetParam().kernel; }

    static void apply(const HostLinear& linear, const Tensor& x, Tensor& y, const LinearEpilogue& epilogue) {
        linear.applyPart(MatrixView(x), MatrixSpan(y), epilogue, {.first = 0, .end = y.extent(1)});
    }

    static void expectSameBits(const Tensor& a, const Tensor& b) {
        ASSERT_EQ(a.bytes(), b.bytes());
        EXPECT_EQ(std::memcmp(a.raw(), b.raw(), a.bytes()), 0);
    }
};

TEST_P(TileLinearTest, ARowHasTheSameBitsWhateverIsComputedWithIt) {
    constexpr std::int64_t rows = 540;  // more than is packed at once
    for (const auto [in, out] : {Layer{96, 64}, Layer{416, 272}}) {
        const auto linear = makeTileLinear(kernel(), testing::toBf16(testing::randomTensor({out, in}, 1)),
                                           testing::randomTensor({out}, 2));
        const Tensor x = testing::randomTensor({rows, in}, 3);
        Tensor whole = Tensor::empty({rows, out});
        apply(*linear, x, whole, {});
        for (const std::int64_t count : {1, 17, 33, 300}) {
            SCOPED_TRACE(count);
            Tensor part = Tensor::empty({count, out});
            const MatrixView last(x.slice(rows - count, rows));
            for (const auto& [first, end] : {std::pair<std::int64_t, std::int64_t>{0, 48}, {48, out}})
                linear->applyPart(last, MatrixSpan(part).columns(first, end - first), {},
                                  {.first = first, .end = end});
            expectSameBits(part, whole.slice(rows - count, rows));
        }
    }
}

TEST_P(TileLinearTest, AStreamedWeightGivesTheSameBits) {
    for (const auto [in, out] : {Layer{64, 300}, Layer{77, 20}}) {
        const Tensor weight = testing::toBf16(testing::randomTensor({out, in}, 1));
        const Tensor bias = testing::randomTensor({out}, 2);
        const Tensor x = testing::randomTensor({40, in}, 3);
        Tensor packed = Tensor::empty({40, out});
        Tensor streamed = Tensor::empty({40, out});
        apply(*makeTileLinear(kernel(), weight, bias), x, packed, {});
        apply(*makeStreamedTileLinear(kernel(), weight, bias), x, streamed, {});
        expectSameBits(packed, streamed);
    }
}

TEST_P(TileLinearTest, IsMadeAgainOfItsParts) {
    constexpr Layer layer{77, 50};
    const auto linear =
        makeTileLinear(kernel(), testing::toBf16(testing::randomTensor({layer.out, layer.in}, 1)), Tensor());
    PackedForm form{.arithmetic = Arithmetic::BF16,
                    .outFeatures = layer.out,
                    .inFeatures = layer.in,
                    .format = linear->format(),
                    .parts = linear->parts()};
    const auto again = tileLinearFromParts(kernel(), form);
    const Tensor x = testing::randomTensor({5, layer.in}, 2);
    Tensor first = Tensor::empty({5, layer.out});
    Tensor second = Tensor::empty({5, layer.out});
    apply(*linear, x, first, {});
    apply(*again, x, second, {});
    expectSameBits(first, second);
    form.outFeatures = 70;
    EXPECT_THROW(tileLinearFromParts(kernel(), form), Error);
}

INSTANTIATE_TEST_SUITE_P(Units, TileLinearTest,
                         ::testing::Values(ProductVariant{"emulated", &emulatedBf16Product},
                                           ProductVariant{"AMX", &amxBf16Product}),
                         [](const auto& variant) { return std::string(variant.param.name); });

class TileInt8LinearTest : public ::testing::TestWithParam<ProductVariant> {
  protected:
    void SetUp() override {
        if (GetParam().kernel == &amxInt8Product && !testing::bf16InstructionsAtHand())
            GTEST_SKIP() << "this CPU has not AVX-512, beside which the instructions are emulated";
    }

    static const TileProductKernel& kernel() { return *GetParam().kernel; }
};

TEST_P(TileInt8LinearTest, GivesTheBitsOfTheRoundedProducts) {
    for (const auto [in, out] : {Layer{64, 96}, Layer{1000, 20}, Layer{77, 300}}) {
        constexpr std::int64_t rows = 37;
        const Int8Weight weight = roundToInt8(testing::randomTensor({out, in}, 1));
        const Tensor bias = testing::randomTensor({out}, 2);
        const Tensor x = testing::randomTensor({rows, in}, 3);
        const auto linear = makeTileInt8Linear(kernel(), weight, bias);
        PackedForm form{.arithmetic = Arithmetic::Int8,
                        .outFeatures = out,
                        .inFeatures = in,
                        .format = linear->format(),
                        .parts = linear->parts()};
        const auto again = tileInt8LinearFromParts(kernel(), form);
        Tensor y = Tensor::empty({rows, out});
        for (const auto& [first, end] : {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, out}})
            (first == 0 ? linear : again)
                ->applyPart(MatrixView(x), MatrixSpan(y).columns(first, end - first), {},
                            {.first = first, .end = end});
        std::vector<std::int8_t> rounded(static_cast<std::size_t>(in));
        for (std::int64_t row = 0; row < rows; ++row) {
            const float scale = roundToInt8(MatrixView(x).row<float>(row), rounded);
            for (std::int64_t output = 0; output < out; ++output) {
                std::int32_t sum = 0;
                for (std::int64_t i = 0; i < in; ++i)
                    sum += rounded[static_cast<std::size_t>(i)] *
                           weight.row(output)[static_cast<std::size_t>(i)];
                const auto at = static_cast<std::size_t>(output);
                const float expected = static_cast<float>(sum) * (weight.scales.data<float>()[at] * scale) +
                                       bias.data<float>()[at];
                ASSERT_EQ(MatrixView(y).row<float>(row)[at], expected)
                    << in << " to " << out << ", row " << row;
            }
        }
        form.parts[2] = Tensor::empty({out + 1});
        EXPECT_THROW(tileInt8LinearFromParts(kernel(), form), Error);
    }
}

INSTANTIATE_TEST_SUITE_P(Units, TileInt8LinearTest,
                         ::testing::Values(ProductVariant{"emulated", &emulatedInt8Product},
                                           ProductVariant{"AMX", &amxInt8Product}),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(TileLinear, EmulatedTilesGiveTheBitsOfTheCpus) {
    if (!testing::cpuHasBf16Instructions())
        GTEST_SKIP() << "this CPU has no tiles";
    const Tensor weight = testing::toBf16(testing::randomTensor({300, 800}, 1));
    const Tensor x = testing::randomTensor({70, 800}, 2);
    Tensor emulated = Tensor::empty({70, 300});
    Tensor own = Tensor::empty({70, 300});
    for (const auto& [kernel, y] : {std::pair{&emulatedBf16Product, &emulated}, {&amxBf16Product, &own}})
        makeTileLinear(*kernel, weight, Tensor())
            ->applyPart(MatrixView(x), MatrixSpan(*y), {}, {.first = 0, .end = 300});
    EXPECT_EQ(std::memcmp(emulated.raw(), own.raw(), own.bytes()), 0);
}

}  // namespace
}  // namespace meshreel
