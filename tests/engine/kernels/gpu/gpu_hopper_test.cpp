// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels for compute capability 9.0 among a GPU's shaders: the software driver with a layer that stands in
// for the extension that launches them, and for a card with two processors
// (tests/support/stand_ins/ptx_launch_layer.cpp).
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/worker_pool.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "tests/support/locations.h"
#include "tests/support/most_apart.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

constexpr double hopperRounding = 1.0 / 128.0;  // of bf16, relative to values of about unit size

class GpuHopper : public testing::GpuWorkTest {
  protected:
    /// Before any of this program's tests opens Vulkan.
    static void SetUpTestSuite() {
        const std::filesystem::path layers =
            testing::programFolder().parent_path() / "tests" / "stand_ins" / "vulkan";
        ::setenv("VK_LAYER_PATH", layers.c_str(), 1);
        ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MESHREEL_ptx_launch", 1);
        ::setenv("MESHREEL_LAUNCH_CAPABILITY", "90", 1);
    }

    /// The candidates of wgmma among these variants.
    [[nodiscard]] std::vector<BoundVariant> hopperAmong(std::span<const MatrixVariant> variants) const {
        std::vector<BoundVariant> found;
        for (const GpuCandidate& each : candidatesOn(gpu->matrices(), {}, variants))
            if (isOfPtx(each.form) && each.block().starts_with("64x8x"))
                found.push_back(each.bound());
        return found;
    }

    static GpuMatrix matrixIn(const GpuBuffer& buffer, const Tensor& tensor) {
        const std::int64_t width = tensor.extent(tensor.shape().rank() - 1);
        return {.address = buffer.address(),
                .type = tensor.dtype(),
                .layout = {.rows = tensor.elements() / width, .width = width, .stride = width}};
    }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

TEST_F(GpuHopper, ACardOfItsCapabilityHasItsKernelsBesideTheOthers) {
    EXPECT_EQ(gpu->matrices().processors, 2U);
    EXPECT_EQ(hopperAmong(linearVariants()).size(), 1U);
    EXPECT_EQ(hopperAmong(int8LinearVariants()).size(), 1U);
    for (const std::int64_t headDim : {64, 128})
        EXPECT_EQ(hopperAmong(attentionTrial(work->pipelines(), attentionKernel(headDim)).variants).size(),
                  2U);
}

/// Four tiles for two processors, with the second ones ragged.
TEST_F(GpuHopper, ALinearLayerIsTheCpus) {
    const Tensor x = testing::randomTensor({140, 128}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({260, 128}, 2).to(DType::BF16);
    const Tensor bias = testing::randomTensor({260}, 3);
    const Tensor gate = testing::randomTensor({260}, 4);
    Tensor y = testing::randomTensor({140, 260}, 5).clone();
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuBias = upload(bias);
    const auto gpuGate = upload(gate);
    const auto gpuY = upload(y);
    const PreparedLinear layer =
        prepareLinear(work->pipelines(), {.weight = matrixIn(*gpuWeight, weight), .bias = gpuBias->address()},
                      boundTo(hopperAmong(linearVariants()).front()));
    EXPECT_EQ(layer.ofFours.mostGroups, 2);
    applyLinear(*stream, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y),
                {.activation = LinearActivation::GeluTanh, .gate = gpuGate->address(), .addToOutput = true});
    PackedMatrix::pack(weight.toF32(), &bias)
        .apply(execution, MatrixView(x), MatrixSpan(y),
               {.activation = LinearActivation::GeluTanh, .gate = gate.data<float>(), .addToOutput = true});
    EXPECT_LE(testing::mostApart(download(*gpuY, y), y), 1e-4);
}

TEST_F(GpuHopper, AnInt8LayerIsTheScalarShaders) {
    constexpr std::int64_t ins = 200;
    constexpr std::int64_t outs = 68;
    constexpr std::int64_t rows = 31;
    const Tensor x = testing::randomTensor({rows, ins}, 1);
    const Int8Weight rounded = roundToInt8(testing::randomTensor({outs, ins}, 3));
    Tensor padded = Tensor::zeros({outs, int8RowWidth(ins)}, DType::U8);
    for (std::int64_t out = 0; out < outs; ++out)
        std::memcpy(padded.raw() + out * int8RowWidth(ins), rounded.row(out).data(), ins);
    const auto gpuX = upload(x);
    const auto values = upload(padded);
    const auto scales = upload(rounded.scales);
    const auto room = upload(Tensor::zeros({rows * int8RowWidth(ins)}, DType::U8));
    const auto rowScales = upload(Tensor::zeros({rows}));
    const auto computedBy = [&](const BoundVariant& by) {
        const Tensor y = Tensor::zeros({rows, outs});
        const auto gpuY = upload(y);
        applyInt8Linear(
            *stream,
            prepareInt8Linear(work->pipelines(), {.values = values->address(), .scales = scales->address()},
                              boundTo(by)),
            matrixIn(*gpuX, x), matrixIn(*gpuY, y),
            {.values = room->address(), .scales = rowScales->address()});
        return download(*gpuY, y);
    };
    EXPECT_LE(testing::mostApart(computedBy(hopperAmong(int8LinearVariants()).front()), computedBy({})),
              1e-6);
}

/// A head that the variant is made for, and a narrower one that is bound with it.
TEST_F(GpuHopper, AttentionIsTheScalarShaders) {
    for (const std::int64_t headDim : {64, 32}) {
        constexpr std::int64_t heads = 2;
        constexpr std::int64_t queries = 70;
        constexpr std::int64_t keys = 170;
        const GpuKernel kernel = attentionKernel(headDim);
        const auto rows = [&](std::int64_t count, std::uint32_t seed) {
            return testing::randomTensor({count, heads * headDim}, seed).to(DType::BF16);
        };
        const Tensor q = rows(queries, 1);
        const Tensor k = rows(keys, 2);
        const Tensor v = rows(keys, 3);
        const auto gpuQ = upload(q);
        const auto gpuK = upload(k);
        const auto gpuV = upload(v);
        const auto attended = [&](const BoundVariant& by) {
            const Tensor y = Tensor::zeros({queries, heads * headDim});
            const auto gpuY = upload(y);
            attend(*stream, prepareAttention(work->pipelines(), boundTo(by), kernel),
                   {.heads = heads,
                    .headDim = headDim,
                    .q = matrixIn(*gpuQ, q),
                    .k = matrixIn(*gpuK, k),
                    .v = matrixIn(*gpuV, v),
                    .scale = 1.0 / std::sqrt(static_cast<double>(headDim)),
                    .lastKeyCount = 3},
                   matrixIn(*gpuY, y));
            return download(*gpuY, y);
        };
        const auto variants = hopperAmong(attentionTrial(work->pipelines(), kernel).variants);
        ASSERT_FALSE(variants.empty());
        EXPECT_LE(testing::mostApart(attended(variants.front()), attended({})), hopperRounding) << headDim;
    }
}

}  // namespace
}  // namespace meshreel
