// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_wide_attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "softmax.spv.h"

namespace meshreel {
namespace {

/// Read by softmax.comp.
struct SoftmaxConstants {
    GpuAddress x;
    std::uint32_t width, stride;
    float scale;
    std::uint32_t unused = 0;
};

// 16 MiB of scores keep every group of a large GPU busy.
constexpr std::int64_t mostScores = std::int64_t{4} << 20U;
constexpr std::int64_t leastQueries = 64;  // a tile of the product

void softmaxRows(GpuStream& stream, const GpuProgram& program, const GpuMatrix& x, double scale);

double checkSoftmax(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t width = 200;
    constexpr double scale = 7.0;
    const CheckedValues x(stream.gpu(), rows, width, 1);
    const std::vector<float> before = x.read();
    softmaxRows(stream, pipelines.program(shader), x.matrix(), scale);
    stream.finish();
    const auto weightAt = [&](std::int64_t row, std::int64_t column) {
        return std::exp(scale * static_cast<double>(before[static_cast<std::size_t>(row * width + column)]));
    };
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        double sum = 0.0;
        for (std::int64_t other = 0; other < width; ++other)
            sum += weightAt(row, other);
        return weightAt(row, column) / sum;
    };
    return x.difference(expected, 1e-5);
}

const GpuShader softmaxShader{
    .name = "softmax", .words = softmax_spirv, .constants = sizeof(SoftmaxConstants), .check = checkSoftmax};

/// softmax(scale · row) of each f32 row, in place.
void softmaxRows(GpuStream& stream, const GpuProgram& program, const GpuMatrix& x, double scale) {
    const double workOfRow = 8.0 * real(x.layout.width);
    const std::int64_t portion = rowsOfDispatch(x.layout.rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < x.layout.rows; first += portion) {
        const std::int64_t count = std::min(portion, x.layout.rows - first);
        const SoftmaxConstants constants{.x = x.slice(first, count).address,
                                         .width = static_cast<std::uint32_t>(x.layout.width),
                                         .stride = static_cast<std::uint32_t>(x.layout.stride),
                                         .scale = static_cast<float>(scale * std::numbers::log2e)};
        stream.dispatch(program, constantBytes(constants), {.x = static_cast<std::uint32_t>(count)},
                        workOfRow * real(count));
    }
}

}  // namespace

std::int64_t GpuWideAttention::queriesAtOnce() const {
    const std::int64_t keys = std::max<std::int64_t>(k.layout.rows, 1);
    return std::min(q.layout.rows, std::max(leastQueries, mostScores / keys / leastQueries * leastQueries));
}

PreparedFrameAttention prepareFrameAttention(GpuPipelines& pipelines) {
    return {.scores = prepareLinear(pipelines, {}, {}).ofF32,
            .softmax = &pipelines.program(softmaxShader),
            .values = prepareConvolution(pipelines, {}, 0, {})};
}

void attend(GpuStream& stream, const PreparedFrameAttention& by, const GpuWideAttention& attention,
            GpuAddress scores, const GpuMatrix& y) {
    const std::int64_t keys = attention.k.layout.rows;
    const std::int64_t queries = attention.q.layout.rows;
    if (attention.v.layout.rows != keys || y.layout.rows != queries || keys == 0)
        throw Error(ErrorKind::Internal, "an attention on a GPU does not fit its rows");
    const std::int64_t atOnce = attention.queriesAtOnce();
    for (std::int64_t first = 0; first < queries; first += atOnce) {
        const std::int64_t count = std::min(atOnce, queries - first);
        const GpuMatrix weights{
            .address = scores, .type = DType::F32, .layout = {.rows = count, .width = keys, .stride = keys}};
        applyLinear(stream, {.layer = {.weight = attention.k}, .ofF32 = by.scores},
                    attention.q.slice(first, count), weights);
        softmaxRows(stream, *by.softmax, weights, attention.scale);
        // A product with values in their present layout: a convolution of one tap.
        convolve(stream, by.values,
                 {.frames = {weights.address},
                  .like = weights,
                  .height = count,
                  .width = 1,
                  .outHeight = count,
                  .outWidth = 1,
                  .weights = attention.v},
                 y.slice(first, count));
    }
}

void attendWidely(const OnVulkan& on, const WideAttention& attention, const MatrixSpan& y) {
    const std::optional<PreparedFrameAttention>& prepared = operationsOf(on.pipelines()).frameAttention;
    if (!prepared)
        throw Error(ErrorKind::Internal, "an attention within frames was not prepared on its GPU");
    const std::int64_t queries = attention.q.rows() / attention.frames;
    const std::int64_t keys = attention.k.rows() / attention.frames;
    for (std::int64_t frame = 0; frame < attention.frames; ++frame) {
        const GpuWideAttention ofFrame{.q = gpuMatrix(attention.q.slice(frame * queries, queries)),
                                       .k = gpuMatrix(attention.k.slice(frame * keys, keys)),
                                       .v = gpuMatrix(attention.v.slice(frame * keys, keys)),
                                       .scale = 1.0 / std::sqrt(real(attention.q.width()))};
        const Tensor scores = Tensor::empty({ofFrame.scratch()}, DType::F32, &on.gpu.memory());
        attend(on.stream(), *prepared, ofFrame, gpuMatrix(MatrixView(scores)).address,
               gpuMatrix(y.slice(frame * queries, queries)));
    }
}

}  // namespace meshreel
