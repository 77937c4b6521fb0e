// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/packed_matrix.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <string>

#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/rows/elementwise.h"
#include "tests/support/activation_reference.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

struct Size {
    std::int64_t rows, in, out;
};

void PrintTo(const Size& size, std::ostream* out) {
    *out << size.rows << " rows " << size.in << " to " << size.out;
}

class PackedMatrixTest : public ::testing::TestWithParam<Size> {};

TEST_P(PackedMatrixTest, IsTheProductPlusBiasForAnyTeam) {
    const auto [rows, in, out] = GetParam();
    const Tensor x = testing::randomTensor({rows, in}, 1);
    const Tensor weight = testing::randomTensor({out, in}, 2);
    const Tensor bias = testing::randomTensor({out}, 3);
    const PackedMatrix matrix = PackedMatrix::pack(weight, &bias);
    for (const int workers : {1, 2, 3}) {
        WorkerPool pool({.workers = workers});
        Tensor y = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, y.data<float>());
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < out; ++column) {
                double expected = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(column)]);
                for (std::int64_t i = 0; i < in; ++i)
                    expected +=
                        static_cast<double>(x.data<float>()[static_cast<std::size_t>(row * in + i)]) *
                        static_cast<double>(weight.data<float>()[static_cast<std::size_t>(column * in + i)]);
                ASSERT_NEAR(y.data<float>()[static_cast<std::size_t>(row * out + column)], expected,
                            1e-6 * std::sqrt(static_cast<double>(in)) * 4)
                    << workers << " workers, row " << row << ", column " << column;
            }
        Tensor again = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, again.data<float>());
        EXPECT_EQ(std::memcmp(y.raw(), again.raw(), y.bytes()), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackedMatrixTest,
                         ::testing::Values(Size{1, 1, 1}, Size{1, 64, 96}, Size{3, 17, 5}, Size{70, 33, 16},
                                           Size{16, 48, 130}, Size{131, 96, 131}),
                         testing::PrintedName());

TEST(PackedMatrix, ARowHasTheSameBitsWhateverIsComputedWithIt) {
    struct Layer {
        std::int64_t in;
        std::int64_t out;
    };
    constexpr std::int64_t rows = 150;
    if (!rowsOfProductsAreIndependent())
        GTEST_SKIP() << matmulLibrary() << " promises nothing of the kind";
    WorkerPool pool({.workers = 1});
    WorkerPool three({.workers = 3});
    for (const auto [in, out] : {Layer{31, 40}, Layer{48, 96}, Layer{256, 64}, Layer{320, 200},
                                 Layer{700, 16}, Layer{1536, 64}, Layer{256, 1536}}) {
        const Tensor bias = testing::randomTensor({out}, 1);
        const PackedMatrix matrix = PackedMatrix::pack(testing::randomTensor({out, in}, 2), &bias);
        const Tensor x = testing::randomTensor({rows, in}, 3);
        Tensor whole = Tensor::empty({rows, out});
        matrix.apply(Execution{pool, {}}, x.data<float>(), rows, whole.data<float>());
        for (const std::int64_t count : {1, 2, 3, 5, 12, 16, 17, 75, 149})
            for (WorkerPool* workers : {&pool, &three}) {
                Tensor part = Tensor::empty({count, out});
                matrix.apply(Execution{*workers, {}}, x.slice(rows - count, rows).data<float>(), count,
                             part.data<float>());
                EXPECT_EQ(std::memcmp(part.raw(), whole.slice(rows - count, rows).raw(), part.bytes()), 0)
                    << count << " rows of " << in << " to " << out;
            }
    }
}

struct LinearCase {
    std::int64_t rows, in, out;
    std::int64_t strideX, strideY;
    DType x, y;
    Arithmetic arithmetic;
    bool bias;
    LinearActivation activation;
    bool gate, add;
};

LinearCase randomCase(std::mt19937& random) {
    const auto below = [&](int bound) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
    };
    const auto type = [&] { return below(2) == 0 ? DType::F32 : DType::BF16; };
    LinearCase result{.rows = 1 + below(below(8) == 0 ? 450 : 40),
                      .in = 1 + below(200),
                      .out = 1 + below(200),
                      .strideX = 0,
                      .strideY = 0,
                      .x = type(),
                      .y = type(),
                      .arithmetic = below(2) == 0 ? Arithmetic::F32 : Arithmetic::BF16,
                      .bias = below(2) == 0,
                      .activation = static_cast<LinearActivation>(below(4)),
                      .gate = below(2) == 0,
                      .add = below(2) == 0};
    result.strideX = result.in + below(3) * 8;
    result.strideY = result.out + below(3) * 8;
    return result;
}

std::string text(const LinearCase& given) {
    return fmt::format(
        "{} rows, {} to {}, strides {} and {}, {} to {} in {}, bias {}, activation {}, gate {}, add {}",
        given.rows, given.in, given.out, given.strideX, given.strideY, nameOf(given.x), nameOf(given.y),
        nameOf(given.arithmetic), given.bias, static_cast<int>(given.activation), given.gate, given.add);
}

Tensor toType(const Tensor& values, DType type) {
    if (type == DType::F32)
        return values;
    Tensor result = Tensor::empty(values.shape(), type);
    convert(values.data<float>(), result.data<BFloat16>());
    return result;
}

/// One linear layer with its inputs, and what its output must be.
struct LinearTrial {
    explicit LinearTrial(const LinearCase& given, std::uint32_t seed)
        : x(toType(testing::randomTensor({given.rows, given.strideX}, seed), given.x)),
          y(toType(testing::randomTensor({given.rows, given.strideY}, seed + 1), given.y)),
          weight(testing::randomTensor({given.out, given.in}, seed + 2)),
          bias(testing::randomTensor({given.out}, seed + 3)),
          gate(testing::randomTensor({given.out}, seed + 4)) {}

    Tensor x, y, weight, bias, gate;
};

TEST(PackedMatrix, AppliesAnyEpilogueToAnyTypesAndStrides) {
    std::mt19937 random(7);
    WorkerPool pool({.workers = 2});
    for (std::uint32_t round = 0; round < 80; ++round) {
        const LinearCase given = randomCase(random);
        SCOPED_TRACE(text(given));
        LinearTrial trial(given, round * 8);
        const Tensor before = trial.y.clone().toF32();
        const MatrixView x(trial.x.raw(), given.x,
                           {.rows = given.rows, .width = given.in, .stride = given.strideX});
        const MatrixSpan y(trial.y.raw(), given.y,
                           {.rows = given.rows, .width = given.out, .stride = given.strideY});
        const LinearEpilogue epilogue{.activation = given.activation,
                                      .gate = given.gate ? trial.gate.data<float>() : std::span<float>{},
                                      .addToOutput = given.add};
        PackedMatrix::pack(trial.weight, given.bias ? &trial.bias : nullptr, given.arithmetic)
            .apply(Execution{pool, {}}, x, y, epilogue);
        const Tensor after = trial.y.toF32();
        const Tensor inputs =
            toType(trial.x.toF32(), given.arithmetic == Arithmetic::BF16 ? DType::BF16 : given.x).toF32();
        const Tensor weight =
            toType(trial.weight, given.arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32).toF32();
        const auto at = [](const Tensor& tensor, std::int64_t row, std::int64_t stride, std::int64_t column) {
            return static_cast<double>(tensor.data<float>()[static_cast<std::size_t>(row * stride + column)]);
        };
        for (std::int64_t row = 0; row < given.rows; ++row)
            for (std::int64_t column = 0; column < given.strideY; ++column) {
                const double old = at(before, row, given.strideY, column);
                const double got = at(after, row, given.strideY, column);
                if (column >= given.out) {
                    ASSERT_EQ(got, old) << "a byte beside the output changed";
                    continue;
                }
                double expected = given.bias ? at(trial.bias, 0, 0, column) : 0.0;
                for (std::int64_t i = 0; i < given.in; ++i)
                    expected += at(inputs, row, given.strideX, i) * at(weight, column, given.in, i);
                expected = testing::activatedInDouble(given.activation, expected) *
                               (given.gate ? at(trial.gate, 0, 0, column) : 1.0) +
                           (given.add ? old : 0.0);
                const double rounding = given.y == DType::BF16 ? std::abs(expected) * 0.0040 : 0.0;
                ASSERT_NEAR(got, expected, 3e-5 * std::sqrt(static_cast<double>(given.in)) + rounding)
                    << "row " << row << ", column " << column;
            }
    }
}

TEST(PackedMatrix, AnEpilogueOnTheF32PathHasTheBitsOfTheSeparateSteps) {
    constexpr std::int64_t rows = 150;
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    const Tensor x = testing::randomTensor({rows, 96}, 1);
    const Tensor bias = testing::randomTensor({200}, 2);
    const Tensor gate = testing::randomTensor({200}, 3);
    const PackedMatrix matrix = PackedMatrix::pack(testing::randomTensor({200, 96}, 4), &bias);
    Tensor separate = Tensor::empty({rows, 200});
    matrix.apply(execution, x.data<float>(), rows, separate.data<float>());
    activate(execution, geluTanh, separate.data<float>());
    Tensor fused = Tensor::empty({rows, 200});
    matrix.apply(execution, MatrixView(x), MatrixSpan(fused), {.activation = LinearActivation::GeluTanh});
    EXPECT_EQ(std::memcmp(fused.raw(), separate.raw(), fused.bytes()), 0);

    if (!rowsOfProductsAreIndependent())
        return;  // added products are computed in other blocks of rows
    Tensor sum = testing::randomTensor({rows, 200}, 5);
    Tensor fusedSum = sum.clone();
    matrix.apply(execution, x.data<float>(), rows, separate.data<float>());
    addGated(execution, sum.data<float>(), separate.data<float>(), gate.data<float>());
    matrix.apply(execution, MatrixView(x), MatrixSpan(fusedSum),
                 {.gate = gate.data<float>(), .addToOutput = true});
    EXPECT_EQ(std::memcmp(fusedSum.raw(), sum.raw(), sum.bytes()), 0);
}

// The error that rounding both factors to int8 leaves, as a share of the product's root mean square: each
// rounding is off by up to half a step of amax/127, uniformly, so by amax/(127·√12) in the mean square; a row
// of normal values has an amax of 3 to 4.5 of its deviations. Both factors together: √2·4.5/(127·√12) = 1.45
// %.
TEST(PackedMatrix, Int8ProductsAreWithinOneAndAHalfPercentOfF32) {
    constexpr double bound = 0.015;
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    for (const auto& [rows, in, out] :
         {Size{1, 64, 96}, Size{300, 1536, 1100}, Size{257, 4096, 40}, Size{33, 100, 2050}}) {
        const Tensor x = testing::randomTensor({rows, in}, 1);
        const Tensor weight = testing::randomTensor({out, in}, 2);
        const Tensor bias = testing::randomTensor({out}, 3);
        Tensor exact = Tensor::empty({rows, out});
        Tensor rounded = Tensor::empty({rows, out});
        PackedMatrix::pack(weight, &bias).apply(execution, MatrixView(x), MatrixSpan(exact));
        PackedMatrix::pack(weight, &bias, Arithmetic::Int8)
            .apply(execution, MatrixView(x), MatrixSpan(rounded));
        double difference = 0.0;
        double squares = 0.0;
        for (std::size_t i = 0; i < exact.data<float>().size(); ++i) {
            difference += std::pow(static_cast<double>(exact.data<float>()[i] - rounded.data<float>()[i]), 2);
            squares += std::pow(static_cast<double>(exact.data<float>()[i]), 2);
        }
        EXPECT_LT(std::sqrt(difference / squares), bound) << rows << " rows, " << in << " to " << out;
        EXPECT_GT(difference, 0.0);
    }
}

TEST(PackedMatrix, Int8TakesAnyEpilogueTypesAndStrides) {
    std::mt19937 random(11);
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    for (std::uint32_t round = 0; round < 40; ++round) {
        LinearCase given = randomCase(random);
        SCOPED_TRACE(text(given));
        LinearTrial trial(given, round * 8);
        // Whole numbers that int8 holds exactly, and a largest of 127 in each row of both.
        const auto makeWhole = [&](Tensor& tensor, std::int64_t stride) {
            Tensor whole = Tensor::empty(tensor.shape());
            for (std::size_t i = 0; i < whole.data<float>().size(); ++i)
                whole.data<float>()[i] = i % static_cast<std::size_t>(stride) == 0
                                             ? 127.0F
                                             : static_cast<float>(static_cast<int>(random() % 9) - 4);
            tensor = toType(whole, tensor.dtype());
        };
        makeWhole(trial.x, given.strideX);
        makeWhole(trial.weight, given.in);
        Tensor expected = trial.y.clone();
        const LinearEpilogue epilogue{.activation = LinearActivation::None,
                                      .gate = given.gate ? trial.gate.data<float>() : std::span<float>{},
                                      .addToOutput = given.add};
        const MatrixView x(trial.x.raw(), given.x,
                           {.rows = given.rows, .width = given.in, .stride = given.strideX});
        const MatrixLayout layout{.rows = given.rows, .width = given.out, .stride = given.strideY};
        const Tensor* bias = given.bias ? &trial.bias : nullptr;
        PackedMatrix::pack(trial.weight, bias)
            .apply(execution, x, {expected.raw(), given.y, layout}, epilogue);
        PackedMatrix::pack(trial.weight, bias, Arithmetic::Int8)
            .apply(execution, x, {trial.y.raw(), given.y, layout}, epilogue);
        const Tensor got = trial.y.toF32();
        const Tensor wanted = expected.toF32();
        for (std::size_t i = 0; i < got.data<float>().size(); ++i)
            ASSERT_NEAR(got.data<float>()[i], wanted.data<float>()[i],
                        1e-5F * 127.0F * 127.0F + std::abs(wanted.data<float>()[i]) * 0.008F);
    }
}

TEST(PackedMatrix, IsRebuiltFromItsPackedForm) {
    WorkerPool pool({.workers = 2});
    const Execution execution{pool, {}};
    const Tensor x = testing::randomTensor({70, 256}, 1);
    const Tensor bias = testing::randomTensor({144}, 2);
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8})
        for (const Tensor* given : {&bias, static_cast<const Tensor*>(nullptr)}) {
            const PackedMatrix matrix =
                PackedMatrix::pack(testing::randomTensor({144, 256}, 3), given, arithmetic);
            PackedForm form = matrix.packed();
            EXPECT_EQ(form.format, PackedMatrix::packedFormat(144, 256, arithmetic));
            const PackedMatrix again = PackedMatrix::fromPacked(form);
            EXPECT_EQ(again.packed().parts.front().raw(), form.parts.front().raw()) << "a copy was made";
            EXPECT_EQ(again.bytes(), matrix.bytes());
            Tensor y = Tensor::empty({70, 144});
            Tensor yAgain = Tensor::empty({70, 144});
            matrix.apply(execution, MatrixView(x), MatrixSpan(y));
            again.apply(execution, MatrixView(x), MatrixSpan(yAgain));
            EXPECT_EQ(std::memcmp(y.raw(), yAgain.raw(), y.bytes()), 0);

            PackedForm other = form;
            other.format = "oneDNN 9.9.9 bf16";
            EXPECT_THROW(PackedMatrix::fromPacked(other), Error);
            other = form;
            other.parts.front() = Tensor::zeros({8}, DType::U8);
            EXPECT_THROW(PackedMatrix::fromPacked(other), Error);
            other = form;
            other.parts.pop_back();
            EXPECT_THROW(PackedMatrix::fromPacked(other), Error);
        }
}

TEST(PackedMatrix, PacksAnyFloatingType) {
    const Tensor weight = Tensor::from<BFloat16>(
        {2, 2}, {toBFloat16(1.0F), toBFloat16(2.0F), toBFloat16(-3.0F), toBFloat16(0.5F)});
    WorkerPool pool({.workers = 1});
    const std::vector<float> x{1.0F, 10.0F};
    std::vector<float> y(2);
    PackedMatrix::pack(weight).apply(Execution{pool, {}}, x, 1, y);
    EXPECT_THAT(y, ::testing::ElementsAre(21.0F, 2.0F));
}

TEST(PackedMatrix, RefusesShapesThatDoNotFit) {
    const Tensor bias = Tensor::zeros({3});
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({2, 2}), &bias), Error);
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({4})), Error);
    WorkerPool pool({.workers = 1});
    std::vector<float> y(2);
    EXPECT_THROW(PackedMatrix::pack(Tensor::zeros({2, 2})).apply(Execution{pool, {}}, y, 2, y), Error);
}

}  // namespace
}  // namespace meshreel
