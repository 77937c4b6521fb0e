// SPDX-License-Identifier: GPL-3.0-or-later
// Who computes an operation: operands in one memory, and the kernels of both devices on the same numbers.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "engine/kernels/attention/group_attention.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/attention/wide_attention.h"
#include "engine/kernels/pixels/level_shortcut.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/finite_check.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuDispatch : public testing::GpuWorkTest {
  protected:
    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        execution.gpu = work.get();
    }

    [[nodiscard]] Tensor there(const Tensor& tensor) const { return tensor.in(execution.memory()); }

    /// The largest difference of what `compute` writes on the host and on the GPU.
    [[nodiscard]] double differenceOfKernels(
        const Tensor& into, const Tensor& values,
        const std::function<void(Tensor& into, const Tensor& values)>& compute) const {
        Tensor onHost = into.clone();
        Tensor onGpu = there(into);
        compute(onHost, values);
        compute(onGpu, there(values));
        const Tensor found = onGpu.host().toF32();
        const Tensor expected = onHost.toF32();
        double most = 0;
        for (std::size_t i = 0; i < found.data<float>().size(); ++i) {
            const double apart = std::abs(static_cast<double>(found.data<float>()[i]) -
                                          static_cast<double>(expected.data<float>()[i]));
            if (!(apart <= most))  // also when it is not a number
                most = apart;
        }
        return most;
    }

    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

TEST_F(GpuDispatch, OperandsInTwoMemoriesAreRefused) {
    Tensor here = testing::randomTensor({3, 8}, 1);
    Tensor moved = there(here);
    const std::shared_ptr<GpuWork> another = openWork();
    Tensor elsewhere = here.in(&another->memory());
    EXPECT_THROW(addRows(execution, MatrixSpan(moved), MatrixView(here)), Error);
    EXPECT_THROW(addRows(execution, MatrixSpan(here), MatrixView(moved)), Error);
    EXPECT_THROW(addRows(execution, MatrixSpan(moved), MatrixView(elsewhere)), Error);
    EXPECT_THROW(rectify(execution, MatrixSpan(elsewhere)), Error) << "another device's";
    EXPECT_THROW(rectify(Execution{pool, {}}, MatrixSpan(moved)), Error) << "nobody computes there";
}

TEST_F(GpuDispatch, AnAttentionKernelIsRefusedWhereItsRowSaysThatItDoesNotRun) {
    const Tensor rows = there(testing::randomTensor({1, 5, 2, 8}, 1));
    prepareKernels(execution.memory(), {.heads = {{.headDim = 8}}});
    const LocalAttention attention{.query = {rows}, .key = {rows}, .value = {rows}, .scale = 0.3};
    for (const AttentionKernelRow& row : attentionKernels) {
        const auto attendThere = [&] {
            attend(execution, {.kernel = row.kernel}, attention,
                   {there(testing::randomTensor({1, 5, 2, 8}, 2))});
        };
        if (row.runsOn.gpu) {
            EXPECT_NO_THROW(attendThere()) << row.name;
        } else {
            EXPECT_THROW(attendThere(), Error) << row.name;
        }
    }
}

TEST_F(GpuDispatch, BothKernelsOfWideAttentionAgree) {
    constexpr std::int64_t frames = 2;
    constexpr std::int64_t width = 20;
    prepareKernels(execution.memory(), {.frameAttention = true});
    const Tensor queries = testing::randomTensor({frames * 7, width}, 1);
    const Tensor keys = testing::randomTensor({frames * 9, 2 * width}, 2);
    EXPECT_LT(differenceOfKernels(queries, keys,
                                  [&](Tensor& x, const Tensor& memory) {
                                      const Tensor q = x.clone();
                                      attendWidely(execution,
                                                   {.frames = frames,
                                                    .q = MatrixView(q),
                                                    .k = MatrixView(memory).columns(0, width),
                                                    .v = MatrixView(memory).columns(width, width)},
                                                   MatrixSpan(x));
                                  }),
              1e-5);
}

TEST_F(GpuDispatch, BothKernelsOfGroupAttentionAgree) {
    prepareKernels(execution.memory(), {.heads = {{.headDim = 8}}});
    // Of two sequences, each with three groups of four queries, the queries 2 to 9.
    const Tensor queries = testing::randomTensor({2 * 8, 16}, 1);
    const Tensor keys = testing::randomTensor({2 * 3 * 5, 16}, 2);
    EXPECT_LT(differenceOfKernels(queries, keys,
                                  [&](Tensor& x, const Tensor& memory) {
                                      const Tensor q = x.clone();
                                      attendInGroups(execution,
                                                     {.heads = 2,
                                                      .headDim = 8,
                                                      .sequences = 2,
                                                      .q = MatrixView(q),
                                                      .k = MatrixView(memory),
                                                      .v = MatrixView(memory),
                                                      .groupQueries = 4,
                                                      .groupKeys = 5,
                                                      .firstQuery = 2},
                                                     MatrixSpan(x));
                                  }),
              1e-5);
}

TEST_F(GpuDispatch, BothKernelsOfShortcutsAgree) {
    const LevelChange change{.inChannels = 4, .outChannels = 8, .time = 2, .space = 2};
    const AveragingShortcut averaging(change);
    EXPECT_LT(differenceOfKernels(
                  testing::randomTensor({2, 3, 3, 8}, 1), testing::randomTensor({3, 6, 6, 4}, 2),
                  [&](Tensor& sum, const Tensor& source) { averaging.addTo(execution, source, sum); }),
              1e-5);
    const RepeatingShortcut repeating({.inChannels = 8, .outChannels = 4, .time = 2, .space = 2});
    EXPECT_LT(differenceOfKernels(
                  testing::randomTensor({3, 6, 6, 4}, 1), testing::randomTensor({2, 3, 3, 8}, 2),
                  [&](Tensor& sum, const Tensor& source) { repeating.addTo(execution, source, sum); }),
              1e-6);
}

TEST_F(GpuDispatch, TheHostAnswersAtOnceAndAGpuLater) {
    const Tensor good = testing::randomTensor({4, 16}, 1);
    Tensor bad = good.clone();
    bad.data<float>()[37] = std::nanf("");
    for (const Tensor& values : {good, bad}) {
        const FiniteCheck onHost(execution, MatrixView(values));
        const FiniteCheck onGpu(execution, MatrixView(there(values)));
        EXPECT_TRUE(onHost.isAnswered());
        EXPECT_FALSE(onGpu.isAnswered());
        EXPECT_EQ(onHost.isFinite(), !std::isnan(values.data<float>()[37]));
        EXPECT_EQ(onGpu.isFinite(), onHost.isFinite());
    }
}

TEST_F(GpuDispatch, ARunAsksADeviceForWhatItNeeds) {
    ComputeDevice& device = *work;
    EXPECT_EQ(device.api(), DeviceApi::Vulkan);
    EXPECT_EQ(device.id(), id);
    EXPECT_FALSE(device.name().empty());
    device.beginStage();
    const std::size_t before = device.peakBytes();
    const double worked = device.seconds().value_or(0);
    {
        Tensor rows = Tensor::zeros({256, 1024}).in(&device.memory());
        rectify(execution, MatrixSpan(rows));
    }
    device.finish({});
    EXPECT_GE(device.peakBytes(), before + 256 * 1024 * sizeof(float));
    if (device.seconds()) {
        EXPECT_GT(*device.seconds(), worked);
    }
    device.beginStage();
    EXPECT_LT(device.peakBytes(), 256 * 1024 * sizeof(float));
}

}  // namespace
}  // namespace meshreel
