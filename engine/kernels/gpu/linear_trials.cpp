// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/linear_trials.h"

#include <algorithm>
#include <array>
#include <memory>

#include "engine/base/numbers.h"
#include "engine/base/record.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

std::shared_ptr<const GpuBuffer> roomFor(const Gpu& gpu, std::int64_t elements, DType type) {
    return std::make_shared<GpuBuffer>(gpu, static_cast<std::size_t>(elements) * byteSize(type),
                                       GpuPlace::Device);
}

GpuMatrix matrixAt(const GpuBuffer& buffer, std::int64_t rows, std::int64_t width) {
    return {.address = buffer.address(),
            .type = DType::BF16,
            .layout = {.rows = rows, .width = width, .stride = width}};
}

/// What the largest of some layers needs.
struct LayerRoom {
    std::int64_t x = 0;
    std::int64_t weight = 0;
    std::int64_t y = 0;
    double flops = 0;  // total

    explicit LayerRoom(const std::vector<LayerSize>& layers) {
        for (const LayerSize& layer : layers) {
            x = std::max(x, layer.rows * layer.ins);
            weight = std::max(weight, layer.outs * layer.ins);
            y = std::max(y, layer.rows * layer.outs);
            flops += 2.0 * real(layer.rows) * real(layer.outs) * real(layer.ins) * real(layer.count);
        }
    }
};

/// Whatever the memory holds is multiplied.
TrialProblem linearProblem(GpuPipelines& pipelines, const std::vector<LayerSize>& layers) {
    const LayerRoom room(layers);
    const auto x = roomFor(pipelines.gpu(), room.x, DType::BF16);
    const auto weight = roomFor(pipelines.gpu(), room.weight, DType::BF16);
    const auto y = roomFor(pipelines.gpu(), room.y, DType::BF16);
    return {.flops = room.flops,
            .record = [&pipelines, layers, x, weight, y](const BoundVariant& by, GpuStream& stream) {
                for (const LayerSize& size : layers) {
                    const GpuLinear layer{.weight = matrixAt(*weight, size.outs, size.ins)};
                    const GpuMatrix rows = matrixAt(*x, size.rows, size.ins);
                    const PreparedLinear prepared = prepareLinear(pipelines, layer, boundTo(by));
                    for (std::int64_t each = 0; each < size.count; ++each)
                        applyLinear(stream, prepared, rows, matrixAt(*y, size.rows, size.outs));
                }
            }};
}

/// Whatever the memory holds is multiplied.
TrialProblem int8LinearProblem(GpuPipelines& pipelines, const std::vector<LayerSize>& layers) {
    LayerRoom room(layers);
    std::int64_t scales = 0;  // for rows or outputs
    for (const LayerSize& layer : layers) {
        room.x = std::max(room.x, layer.rows * int8RowWidth(layer.ins));
        room.weight = std::max(room.weight, layer.outs * int8RowWidth(layer.ins));
        scales = std::max({scales, layer.rows, layer.outs});
    }
    const auto x = roomFor(pipelines.gpu(), room.x, DType::U8);
    const auto weight = roomFor(pipelines.gpu(), room.weight, DType::U8);
    const auto y = roomFor(pipelines.gpu(), room.y, DType::BF16);
    const auto factors = roomFor(pipelines.gpu(), scales, DType::F32);
    return {.flops = room.flops,
            .record = [&pipelines, layers, x, weight, y, factors](const BoundVariant& by, GpuStream& stream) {
                const LinearProgram program = int8LinearProgram(pipelines, by);
                for (const LayerSize& size : layers)
                    for (std::int64_t each = 0; each < size.count; ++each)
                        recordLinear(stream, program,
                                     {.weight = roundedRows(weight->address(), size.outs, size.ins)},
                                     roundedRows(x->address(), size.rows, size.ins),
                                     matrixAt(*y, size.rows, size.outs), {},
                                     {.rows = factors->address(), .outs = factors->address()});
            }};
}

/// Layers of rising size.
constexpr std::array linearTrials{LayerSize{.rows = 256, .outs = 256, .ins = 256},
                                  LayerSize{.rows = 1024, .outs = 1024, .ins = 1024},
                                  LayerSize{.rows = 4096, .outs = 3072, .ins = 3072}};

}  // namespace

KernelTrial linearTrial(GpuPipelines& pipelines) {
    return {
        .kernel = GpuKernel::Linear,
        .variants = linearVariants(),
        .revision = linearRevision(),
        .build = [&pipelines](const BoundVariant& by) { static_cast<void>(linearProgram(pipelines, by)); },
        .sizes = linearTrials.size(),
        .prepare =
            [&pipelines](std::size_t index) { return linearProblem(pipelines, {linearTrials.at(index)}); }};
}

KernelTrial int8LinearTrial(GpuPipelines& pipelines) {
    return {
        .kernel = GpuKernel::Int8Linear,
        .variants = int8LinearVariants(),
        .revision = int8LinearRevision(),
        .build =
            [&pipelines](const BoundVariant& by) { static_cast<void>(int8LinearProgram(pipelines, by)); },
        .sizes = linearTrials.size(),
        .prepare = [&pipelines](
                       std::size_t index) { return int8LinearProblem(pipelines, {linearTrials.at(index)}); }};
}

std::optional<MatrixForm> linearFormOn(GpuPipelines& pipelines, Arithmetic arithmetic) {
    return linearFormIn(pipelines.tuning(), arithmetic);
}

std::optional<MatrixForm> linearFormIn(const GpuTuning& tuning, Arithmetic arithmetic) {
    return arithmetic == Arithmetic::Int8 ? fastestForm(tuning, GpuKernel::Int8Linear, int8LinearRevision())
                                          : fastestForm(tuning, GpuKernel::Linear, linearRevision());
}

GpuKernelSearch searchLinear(GpuWork& gpu, const std::vector<LayerSize>& layers, Arithmetic arithmetic) {
    GpuPipelines& pipelines = gpu.pipelines();
    if (arithmetic == Arithmetic::Int8)
        return {gpu, int8LinearTrial(pipelines), int8LinearProblem(pipelines, layers)};
    return {gpu, linearTrial(pipelines), linearProblem(pipelines, layers)};
}

std::vector<MatrixForm> int8FormsOn(GpuPipelines& pipelines) {
    std::vector<MatrixForm> forms;
    for (const GpuCandidate& candidate : admittedCandidates(pipelines, int8LinearVariants()))
        if (std::ranges::find(forms, candidate.form) == forms.end())
            forms.push_back(candidate.form);
    return forms;
}

std::vector<std::string> linearBlocks() {
    std::vector<std::string> blocks;
    for (const auto* variants : {&linearVariants(), &int8LinearVariants()})
        for (const MatrixVariant& variant : *variants)
            if (std::ranges::find(blocks, variant.block) == blocks.end())
                blocks.push_back(variant.block);
    return blocks;
}

}  // namespace meshreel
