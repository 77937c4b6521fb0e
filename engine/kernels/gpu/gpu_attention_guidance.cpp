// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_attention_guidance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "attention_guidance.spv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/shader_check.h"

namespace meshreel {
namespace {

/// Read by attention_guidance.comp.
struct AttentionGuidanceConstants {
    GpuAddress prompt, negative;
    std::uint32_t width, promptStride, negativeStride;
    std::uint32_t flags;
    float scale, tau, alpha;
    std::uint32_t unused = 0;
};

void recordGuidance(GpuStream& stream, const GpuProgram& program, const GpuMatrix& prompt,
                    const GpuMatrix& negative, const AttentionGuidance& guidance) {
    constexpr double workOfNumber = 16;
    const double workOfRow = workOfNumber * real(prompt.layout.width);
    const std::int64_t portion = rowsOfDispatch(prompt.layout.rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < prompt.layout.rows; first += portion) {
        const std::int64_t count = std::min(portion, prompt.layout.rows - first);
        const AttentionGuidanceConstants constants{
            .prompt = prompt.slice(first, count).address,
            .negative = negative.slice(first, count).address,
            .width = static_cast<std::uint32_t>(prompt.layout.width),
            .promptStride = static_cast<std::uint32_t>(prompt.layout.stride),
            .negativeStride = static_cast<std::uint32_t>(negative.layout.stride),
            .flags = (prompt.isNarrow() ? 1U : 0U) | (negative.isNarrow() ? 2U : 0U),
            .scale = guidance.scale,
            .tau = guidance.tau,
            .alpha = guidance.alpha};
        stream.dispatch(program, constantBytes(constants), {.x = static_cast<std::uint32_t>(count)},
                        workOfRow * real(count));
    }
}

/// Rows that the bound cuts, and others that it leaves.
double checkAttentionGuidance(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    constexpr std::int64_t rows = 4;
    constexpr std::int64_t width = 200;
    constexpr AttentionGuidance guidance{.scale = 3, .tau = 2.6F, .alpha = 0.25F};
    const CheckedValues prompt(stream.gpu(), rows, width, 1);
    const CheckedValues negative(stream.gpu(), rows, width, 2);
    const std::vector<float> p = prompt.read();
    std::vector<float> n = negative.read();
    for (std::size_t i = 0; i < n.size() / 2; ++i)
        n[i] = p[i];  // g is p: within the bound
    negative.write(n);
    recordGuidance(stream, pipelines.program(shader), prompt.matrix(), negative.matrix(), guidance);
    stream.finish();
    const auto guidedAt = [&](std::int64_t row, std::int64_t column) {
        const auto at = static_cast<std::size_t>(row * width + column);
        return double{guidance.scale} * double{p[at]} - (double{guidance.scale} - 1) * double{n[at]};
    };
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        double ofPrompt = 0;
        double ofGuided = 0;
        for (std::int64_t i = 0; i < width; ++i) {
            ofPrompt += std::abs(double{p[static_cast<std::size_t>(row * width + i)]});
            ofGuided += std::abs(guidedAt(row, i));
        }
        const double limit =
            ofGuided > double{guidance.tau} * ofPrompt ? double{guidance.tau} * ofPrompt / ofGuided : 1;
        return double{guidance.alpha} * limit * guidedAt(row, column) +
               (1 - double{guidance.alpha}) * double{p[static_cast<std::size_t>(row * width + column)]};
    };
    return prompt.difference(expected, 1e-5);
}

const GpuShader attentionGuidanceShader{.name = "attention_guidance",
                                        .words = attention_guidance_spirv,
                                        .constants = sizeof(AttentionGuidanceConstants),
                                        .check = checkAttentionGuidance};

}  // namespace

const GpuProgram& prepareAttentionGuidance(GpuPipelines& pipelines) {
    return pipelines.program(attentionGuidanceShader);
}

void guideAttention(const OnVulkan& on, const MatrixSpan& prompt, const MatrixView& negative,
                    const AttentionGuidance& guidance, std::span<const float> norms) {
    if (!norms.empty())
        throw Error(ErrorKind::Internal, "guidance of attention on a GPU takes whole rows");
    recordGuidance(on.stream(), attentionGuidanceOf(on.pipelines()), gpuMatrix(prompt), gpuMatrix(negative),
                   guidance);
}

}  // namespace meshreel
