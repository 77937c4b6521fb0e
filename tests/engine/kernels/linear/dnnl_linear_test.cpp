// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/dnnl_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/rows/elementwise.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

Tensor asType(const Tensor& values, DType type) {
    if (type == DType::F32)
        return values;
    Tensor result = Tensor::empty(values.shape(), type);
    convert(std::span<const float>(values.data<float>()), result.data<BFloat16>());
    return result;
}

struct DnnlLayer {
    std::int64_t in;
    std::int64_t out;
};

// oneDNN's own reference of bf16 runs on every CPU, so that what is around it is tested on every CPU.
class DnnlLinearTest : public ::testing::TestWithParam<DType> {
  protected:
    static void apply(const HostLinear& kernel, const Tensor& x, Tensor& y, const LinearEpilogue& epilogue) {
        kernel.applyPart(MatrixView(x), MatrixSpan(y), epilogue, {.first = 0, .end = y.extent(1)});
    }
};

TEST_P(DnnlLinearTest, MatchesThePlainProductsWithEveryEpilogue) {
    if (GetParam() == DType::BF16 && !cpuFeatures().avx512f)
        GTEST_SKIP() << "oneDNN has no bf16 products for AVX2";
    constexpr std::int64_t rows = 19;
    for (const auto [in, out] : {DnnlLayer{64, 96}, DnnlLayer{2048, 20}, DnnlLayer{77, 130}}) {
        const Tensor weight = asType(testing::randomTensor({out, in}, 1), GetParam());
        const Tensor bias = testing::randomTensor({out}, 2);
        const Tensor gate = testing::randomTensor({out}, 3);
        const Tensor x = asType(testing::randomTensor({rows, in}, 4), GetParam());
        const auto kernel = makeDnnlLinear(weight, bias);
        const auto plain = makeF32Linear(weight.toF32(), bias);
        for (const LinearActivation activation : {LinearActivation::None, LinearActivation::GeluTanh,
                                                  LinearActivation::GeluErf, LinearActivation::Silu})
            for (const bool gated : {false, true})
                for (const bool add : {false, true})
                    for (const DType output : {DType::F32, DType::BF16}) {
                        if (in != 64 && (activation != LinearActivation::Silu || gated != add))
                            continue;  // making a primitive takes oneDNN a tenth of a second
                        const LinearEpilogue epilogue{
                            .activation = activation,
                            .gate = gated ? gate.data<float>() : std::span<const float>{},
                            .addToOutput = add};
                        Tensor got = asType(testing::randomTensor({rows, out}, 5), output).clone();
                        Tensor expected = got.toF32().clone();
                        apply(*kernel, x, got, epilogue);
                        apply(*plain, x, expected, epilogue);
                        const Tensor gotF32 = got.toF32();
                        for (std::int64_t i = 0; i < expected.elements(); ++i) {
                            const float wanted = expected.data<float>()[static_cast<std::size_t>(i)];
                            const float rounding = output == DType::BF16 ? std::abs(wanted) * 0.004F : 0.0F;
                            ASSERT_NEAR(gotF32.data<float>()[static_cast<std::size_t>(i)], wanted,
                                        2e-3F + rounding)
                                << in << " to " << out << ", activation " << static_cast<int>(activation)
                                << ", gate " << gated << ", add " << add << ", output " << nameOf(output)
                                << ", element " << i;
                        }
                    }
    }
}

TEST_P(DnnlLinearTest, ARowHasTheSameBitsWhateverIsComputedWithIt) {
    if (GetParam() == DType::BF16 && !cpuFeatures().avx512Bf16)
        GTEST_SKIP() << "oneDNN's emulation of bf16 promises nothing of the kind";
    if (GetParam() == DType::F32 && !cpuFeatures().avx512f)
        GTEST_SKIP() << "oneDNN has no blocked f32 products for AVX2";
    constexpr std::int64_t rows = 1200;
    const LinearEpilogue epilogue{.activation = LinearActivation::GeluTanh};
    for (const auto [in, out] : {DnnlLayer{256, 64}, DnnlLayer{320, 200}, DnnlLayer{1536, 96}}) {
        const Tensor bias = testing::randomTensor({out}, 1);
        const auto kernel = makeDnnlLinear(asType(testing::randomTensor({out, in}, 2), GetParam()), bias);
        const Tensor x = asType(testing::randomTensor({rows, in}, 3), GetParam());
        Tensor whole = Tensor::empty({rows, out});
        apply(*kernel, x, whole, epilogue);
        for (const std::int64_t count : {1, 3, 16, 17, 75, 600, 1199}) {
            Tensor part = Tensor::empty({count, out});
            apply(*kernel, x.slice(rows - count, rows), part, epilogue);
            EXPECT_EQ(std::memcmp(part.raw(), whole.slice(rows - count, rows).raw(), part.bytes()), 0)
                << count << " rows of " << in << " to " << out;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, DnnlLinearTest, ::testing::Values(DType::F32, DType::BF16),
                         [](const auto& type) { return std::string(nameOf(type.param)); });

TEST(DnnlStreamedLinear, MatchesThePlainProductsOfAnyRowsAndOutputs) {
    if (!cpuFeatures().avx512f)
        GTEST_SKIP() << "oneDNN has no bf16 products for AVX2";
    constexpr std::int64_t rows = 530;  // more than one block
    for (const auto [in, out] : {DnnlLayer{64, 300}, DnnlLayer{2048, 20}, DnnlLayer{77, 130}}) {
        const Tensor weight = asType(testing::randomTensor({out, in}, 1), DType::BF16);
        const Tensor bias = testing::randomTensor({out}, 2);
        const Tensor gate = testing::randomTensor({out}, 3);
        const Tensor x = asType(testing::randomTensor({rows, in}, 4), DType::BF16).toF32();
        const LinearEpilogue epilogue{
            .activation = LinearActivation::GeluTanh, .gate = gate.data<float>(), .addToOutput = true};
        const Tensor before = testing::randomTensor({rows, out}, 5);
        Tensor expected = before.clone();
        makeF32Linear(weight.toF32(), bias)
            ->applyPart(MatrixView(x), MatrixSpan(expected), epilogue, {.first = 0, .end = out});
        const auto kernel = makeDnnlStreamedLinear(weight, bias);
        Tensor got = before.clone();
        for (const auto& [first, end] : {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, out}})
            kernel->applyPart(MatrixView(x), MatrixSpan(got).columns(first, end - first),
                              epilogue.columns(first, end), {.first = first, .end = end});
        for (std::int64_t i = 0; i < expected.elements(); ++i)
            ASSERT_NEAR(got.data<float>()[static_cast<std::size_t>(i)],
                        expected.data<float>()[static_cast<std::size_t>(i)], 2e-3F)
                << in << " to " << out << ", element " << i;
    }
}

TEST(DnnlStreamedLinear, ARowHasTheSameBitsWhateverIsComputedWithIt) {
    if (!cpuFeatures().avx512Bf16)
        GTEST_SKIP() << "oneDNN's emulation of bf16 promises nothing of the kind";
    if (cpuFeatures().amxBf16)
        GTEST_SKIP() << "oneDNN sums by the shape on AMX tiles, where layers take our own instead";
    constexpr std::int64_t rows = 600;
    for (const auto [in, out] : {DnnlLayer{256, 64}, DnnlLayer{320, 200}, DnnlLayer{4096, 144}}) {
        const auto kernel = makeDnnlStreamedLinear(asType(testing::randomTensor({out, in}, 1), DType::BF16),
                                                   testing::randomTensor({out}, 2));
        const Tensor x = testing::randomTensor({rows, in}, 3);
        Tensor whole = Tensor::empty({rows, out});
        kernel->applyPart(MatrixView(x), MatrixSpan(whole), {}, {.first = 0, .end = out});
        for (const std::int64_t count : {1, 17, 75, 599}) {
            Tensor part = Tensor::empty({count, out});
            const MatrixView last(x.slice(rows - count, rows));
            for (const auto& [first, end] : {std::pair<std::int64_t, std::int64_t>{0, 48}, {48, out}})
                kernel->applyPart(last, MatrixSpan(part).columns(first, end - first), {},
                                  {.first = first, .end = end});
            EXPECT_EQ(std::memcmp(part.raw(), whole.slice(rows - count, rows).raw(), part.bytes()), 0)
                << count << " rows of " << in << " to " << out;
        }
    }
}

std::size_t threadsOfThisProcess() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(DnnlLinear, StartsNoThreadsOfItsOwn) {
    const auto kernel = makeDnnlLinear(testing::randomTensor({512, 512}, 1), Tensor());
    const Tensor x = testing::randomTensor({512, 512}, 2);
    const auto multiply = [&] {
        Tensor y = Tensor::empty({512, 512});
        kernel->applyPart(MatrixView(x), MatrixSpan(y), {}, {.first = 0, .end = 512});
    };
    multiply();
    const std::size_t before = threadsOfThisProcess();
    std::thread(multiply).join();
    multiply();
    EXPECT_EQ(threadsOfThisProcess(), before);
}

TEST(DnnlLinear, IsUsedByManyThreadsAtOnce) {
    const auto kernel = makeDnnlLinear(testing::randomTensor({64, 128}, 1), Tensor());
    const Tensor x = testing::randomTensor({512, 128}, 2);
    Tensor expected = Tensor::empty({512, 64});
    kernel->applyPart(MatrixView(x), MatrixSpan(expected), {}, {.first = 0, .end = 64});
    std::vector<std::thread> threads;
    std::vector<int> equal(4, 0);
    for (std::size_t index = 0; index < equal.size(); ++index)
        threads.emplace_back([&, index] {
            for (std::int64_t rows = 16; rows <= 512; rows += 16) {  // more programs than are kept
                Tensor y = Tensor::empty({rows, 64});
                kernel->applyPart(MatrixView(x.slice(0, rows)), MatrixSpan(y), {}, {.first = 0, .end = 64});
                for (std::int64_t i = 0; i < y.elements(); ++i)
                    if (std::abs(y.data<float>()[static_cast<std::size_t>(i)] -
                                 expected.data<float>()[static_cast<std::size_t>(i)]) > 1e-3F)
                        return;
            }
            equal[index] = 1;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(std::ranges::count(equal, 1), 4);
}

}  // namespace
}  // namespace meshreel
