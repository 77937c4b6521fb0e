// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_attention_benchmarks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/numbers.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

constexpr std::int64_t gpuHeads = 12;
constexpr std::int64_t gpuHeadDim = 128;

void measureAttentionOnGpu(GpuBenchmarkRun& run, std::int64_t count) {
    constexpr std::int64_t width = gpuHeads * gpuHeadDim;
    const double flops = 4.0 * real(count) * real(count) * real(width);
    if (run.isTooLong(flops, run.peak()))
        return;
    const auto random = [&](std::uint64_t seed) {
        return randomRows(run.execution(), {count, width}, DType::BF16, 1.0F, seed);
    };
    const Tensor q = random(1);
    const Tensor k = random(2);
    const Tensor v = random(3);
    const Tensor gpuQ = q.in(&run.gpu().memory());
    const Tensor gpuK = k.in(&run.gpu().memory());
    const Tensor gpuV = v.in(&run.gpu().memory());
    const Tensor y = Tensor::zeros({count, width}, DType::BF16).in(&run.gpu().memory());
    const double scale = 1.0 / std::sqrt(real(gpuHeadDim));
    const auto heads = [&](const Tensor& rows) {
        return HeadTensor{rows.reshaped({1, count, gpuHeads, gpuHeadDim})};
    };
    const LocalAttention attention{
        .query = heads(gpuQ), .key = heads(gpuK), .value = heads(gpuV), .scale = scale};
    const auto record = [&] {
        attend(run.execution(), {.kernel = AttentionKernel::Flash}, attention, heads(y));
    };
    const Tensor keys = k.toF32();
    const Tensor values = v.toF32();
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t first = column / gpuHeadDim * gpuHeadDim;
        const Tensor query = q.slice(row, row + 1).toF32();
        double sum = 0;
        double weighted = 0;
        for (std::int64_t key = 0; key < count; ++key) {
            double score = 0;
            for (std::int64_t i = first; i < first + gpuHeadDim; ++i)
                score += static_cast<double>(query.data<float>()[static_cast<std::size_t>(i)]) *
                         static_cast<double>(keys.data<float>()[static_cast<std::size_t>(key * width + i)]);
            const double weight = std::exp(score * scale);
            sum += weight;
            weighted += weight * static_cast<double>(
                                     values.data<float>()[static_cast<std::size_t>(key * width + column)]);
        }
        return weighted / sum;
    };
    const std::string name = fmt::format("gpu.attention.{}", count);
    double error = 0;
    const MeasuredTime time = run.measureCompared(record, [&] { error = run.errorOf(name, y, expected); });
    run.addRate(name, flops, time, run.peak(), {{"error", error}});
}

}  // namespace

void benchmarkGpuAttention(GpuBenchmarkRun& run) {
    if (!run.wantsAny("gpu.attention."))
        return;
    prepareKernels(&run.gpu().memory(), {.heads = {{.headDim = gpuHeadDim, .type = DType::BF16}}});
    for (const std::int64_t keys : run.tokens())
        measureAttentionOnGpu(run, keys);
}

}  // namespace meshreel
