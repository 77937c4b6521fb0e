// SPDX-License-Identifier: GPL-3.0-or-later
// What the host allocates for operations that were computed before: nothing. A GPU's layers, filters and
// attention have their cases in gpu/gpu_allocations_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/base/function_ref.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "tested_device.h"
#include "tests/support/allocation_count.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

class AllocationsOnDevices : public testing::DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (const char* why = testing::whyAllocationsAreNotCounted(); why != nullptr && !IsSkipped())
            GTEST_SKIP() << why;
    }

    /// One worker: allocations are those of a thread.
    [[nodiscard]] Execution alone() { return {m_one, {}, nullptr, work.get()}; }

    [[nodiscard]] Tensor values(const Shape& shape, DType type, std::uint64_t seed) const {
        return there(testing::randomTensor(shape, seed).to(type));
    }

    /// Those of a call behind two: the first compiles shaders, and where its last pieces of scratch memory
    /// exceed the thread's block, the block grows behind it.
    [[nodiscard]] std::int64_t allocationsOf(FunctionRef<void()> operation) {
        for (int call = 0; call < 2; ++call) {
            operation();
            if (work)
                work->stream().finish();
        }
        const std::int64_t before = testing::allocationsOfThisThread();
        operation();
        const std::int64_t count = testing::allocationsOfThisThread() - before;
        if (work)
            work->stream().finish();
        return count;
    }

    WorkerPool m_one{{.workers = 1}};
};

std::vector<testing::DeviceAndArithmetic> onEveryHost(std::initializer_list<Arithmetic> arithmetics) {
    std::vector<testing::DeviceAndArithmetic> all = testing::onEveryDevice(arithmetics);
    std::erase_if(all, [](const auto& of) { return std::get<testing::TestedDevice>(of).gpu; });
    return all;
}

class LinearAllocations : public AllocationsOnDevices {
  protected:
    /// oneDNN makes lists of its own for each product; their number depends on no size.
    [[nodiscard]] std::int64_t ofLibrary() const {
        constexpr std::int64_t ofAProduct = 40;
        const bool isLibrarys = device().level && linearCandidate(arithmetic()).library == "oneDNN";
        return isLibrarys ? ofAProduct : 0;
    }
};

TEST_P(LinearAllocations, AreNoneOfALayerThatIsPrepared) {
    EXPECT_GT(testing::allocationsOfThisThread(), 0) << "they are counted";
    const Tensor gate = testing::randomTensor({96}, 4);
    const Tensor bias = testing::randomTensor({96}, 3);
    for (const DType type : {DType::F32, DType::BF16}) {
        const PackedMatrix layer = pack(testing::randomTensor({96, 64}, 1).to(type), &bias);
        for (const std::int64_t rows : {1, 40}) {
            const Tensor x = values({rows, 64}, type, 2);
            Tensor y = values({rows, 96}, type, 5);
            for (const LinearEpilogue& epilogue :
                 {LinearEpilogue{}, LinearEpilogue{.activation = LinearActivation::GeluTanh},
                  LinearEpilogue{.gate = gate.data<float>(), .addToOutput = true}})
                EXPECT_LE(
                    allocationsOf([&] { layer.apply(alone(), MatrixView(x), MatrixSpan(y), epilogue); }),
                    ofLibrary())
                    << nameOf(type) << ", " << rows << " rows";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, LinearAllocations,
                         ::testing::ValuesIn(onEveryHost({Arithmetic::F32, Arithmetic::BF16,
                                                          Arithmetic::Int8})),
                         [](const auto& of) { return testing::nameOf(of.param); });

class ConvolutionAllocations : public AllocationsOnDevices {};

TEST_P(ConvolutionAllocations, AreNoneOfAFilterThatIsPrepared) {
    for (const std::int64_t upsample : {1, 2}) {
        const PackedConvolution packed =
            pack(testing::randomTensor({24, 16, 3, 3, 3}, 1), Tensor::zeros({24}),
                 {.padBefore = 1, .padAfter = 1, .upsample = upsample});
        const Tensor input = values({4, 6, 8, 16}, DType::BF16, 2);
        std::vector<ConvolutionFrame> read;
        for (std::int64_t frame = 0; frame < input.extent(0); ++frame)
            read.push_back({.pixels = MatrixView(input.slice(frame, frame + 1))});
        Tensor out = values({2, 6 * upsample, 8 * upsample, 24}, DType::F32, 3);
        EXPECT_EQ(allocationsOf([&] { packed.apply(alone(), read, 6, 8, MatrixSpan(out)); }), 0) << upsample;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ConvolutionAllocations,
                         ::testing::ValuesIn(onEveryHost({Arithmetic::F32, Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });

class AttentionAllocations : public AllocationsOnDevices {
  protected:
    void attendInTiles(std::int64_t headDim, const std::vector<std::uint8_t>& kept) const {
        const HeadRows rows(MatrixView(m_rows).data(), m_rows.dtype(), headDim);
        const HeadInputs problem{.queries = 20,
                                 .keys = std::ssize(kept),
                                 .headDim = headDim,
                                 .q = rows,
                                 .k = rows,
                                 .v = rows,
                                 .scale = 0.25,
                                 .keyMask = kept.data()};
        AttentionScratch scratch;
        AttentionPartial partial;
        partial.reset(problem.queries, headDim, ExponentBase::Two);
        PanelHead head{.problem = problem, .partial = partial};
        device().tiles->attention({.blockQ = 32, .blockKv = 32, .blockKvCompute = 32, .blockKvComputeIn = 32},
                                  {&head, 1}, scratch);
    }

  private:
    Tensor m_rows = testing::randomTensor({50, 16}, 1).to(DType::BF16);
};

TEST_P(AttentionAllocations, AreNoneWithOrWithoutAMask) {
    constexpr std::int64_t headDim = 16;
    std::vector<std::uint8_t> kept(50, 1);
    kept[7] = 0;
    if (device().tiles != nullptr) {
        EXPECT_EQ(allocationsOf([&] { attendInTiles(headDim, kept); }), 0);
        return;
    }
    const HeadTensor out{values({1, 20, 2, headDim}, rowType(), 4)};
    LocalAttention attention{.query = {values({1, 20, 2, headDim}, rowType(), 1)},
                             .key = {values({1, 50, 2, headDim}, rowType(), 2)},
                             .value = {values({1, 50, 2, headDim}, rowType(), 3)},
                             .scale = 0.25};
    for (const AttentionKernel kernel :
         {AttentionKernel::DotProduct, AttentionKernel::Flash, AttentionKernel::Custom}) {
        const AttentionKernelPlan plan{
            .kernel = kernel,
            .blocks = {.blockQ = 16, .blockKv = 32, .blockKvCompute = 32, .blockKvComputeIn = 16}};
        const auto ofAttention = [&] {
            return allocationsOf([&] { attend(alone(), plan, attention, out); });
        };
        attention.keyMask = nullptr;
        EXPECT_EQ(ofAttention(), 0) << rowOf(kernel).name;
        attention.keyMask = kept.data();
        attention.keyMaskStride = std::ssize(kept);
        EXPECT_EQ(ofAttention(), 0) << rowOf(kernel).name << " with a mask";
    }
}

INSTANTIATE_TEST_SUITE_P(Every, AttentionAllocations,
                         ::testing::ValuesIn(onEveryHost({Arithmetic::F32, Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });

class RowAllocations : public AllocationsOnDevices {};

TEST_P(RowAllocations, AreNoneOfNormsRotationsAndSums) {
    const Tensor x = values({6, 32}, DType::F32, 1);
    const Tensor gamma = values({1, 32}, DType::F32, 2);
    Tensor y = values({6, 32}, rowType(), 3);
    RotaryTable table = rotaryTable({.frames = 1, .rows = 2, .columns = 3}, 16);
    table = {there(table.cos), there(table.sin)};
    const ChannelNorm channelNorm(there(testing::randomTensor({32}, 4)), ChannelNorm::After::Silu);
    const HeadNorm heads{
        .headDim = 16, .gamma = MatrixView(gamma), .fullWidth = 32, .epsilon = 1e-6, .rotary = &table};
    EXPECT_EQ(allocationsOf([&] {
                  layerNorm(alone(), MatrixView(x), 1e-6,
                            {.gamma = MatrixView(gamma), .beta = MatrixView(gamma)}, MatrixSpan(y));
              }),
              0);
    EXPECT_EQ(allocationsOf([&] { normaliseHeads(alone(), MatrixSpan(y), heads); }), 0);
    EXPECT_EQ(allocationsOf([&] { channelNorm.apply(alone(), MatrixView(x), MatrixSpan(y)); }), 0);
    EXPECT_EQ(allocationsOf([&] { addRows(alone(), MatrixSpan(y), MatrixView(y)); }), 0);
    EXPECT_EQ(allocationsOf([&] { rectify(alone(), MatrixSpan(y)); }), 0);
}

INSTANTIATE_TEST_SUITE_P(Every, RowAllocations,
                         ::testing::ValuesIn(testing::onEveryChosenDevice({Arithmetic::F32,
                                                                           Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
