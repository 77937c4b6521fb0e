// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "attention_merge.spv.h"
#include "attention_scalar.spv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/shader_check.h"

namespace meshreel {
namespace {

/// As attention_scalar.comp reads them.
struct AttentionConstants {
    GpuAddress q, k, v, keep, output, maximum, sum;
    std::uint32_t firstQuery, queries, keys, headDim, firstHead, qStride, kStride, vStride;
    float scale;
    std::uint32_t flags;
    std::uint32_t yStride;
    float lastKey;
};

/// As attention_merge.comp reads them.
struct MergeConstants {
    GpuAddress output, maximum, sum, partOutput, partMaximum, partSum, y;
    std::uint32_t queries, heads, headDim, yStride;
    std::uint32_t firstRow;
    std::uint32_t flags;
};
static_assert(sizeof(AttentionConstants) <= 128 && sizeof(MergeConstants) <= 128);

constexpr std::int64_t queryBlock = 16;     // queries of a group
constexpr std::uint32_t finishes = 2;       // a flag of MergeConstants
constexpr std::uint32_t finishesRows = 16;  // flags of AttentionConstants
constexpr std::uint32_t narrowRows = 32;

std::uint32_t count32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// Two heads over all keys, and over two halves merged: both shaders in one comparison.
double checkAttention(GpuPipelines& pipelines, GpuStream& stream) {
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t headDim = 8;
    constexpr std::int64_t queries = 18;
    constexpr std::int64_t keys = 37;
    constexpr std::int64_t half = 17;
    constexpr std::int64_t width = heads * headDim;
    const double scale = 1.0 / std::sqrt(real(headDim));
    const CheckedValues q(stream.gpu(), queries, width, 1);
    const CheckedValues k(stream.gpu(), keys, width, 2);
    const CheckedValues v(stream.gpu(), keys, width, 3);
    const CheckedValues y(stream.gpu(), queries, width, 4);
    const CheckedValues outputs(stream.gpu(), 2 * heads * queries, headDim, 5);
    const CheckedValues statistics(stream.gpu(), 4, heads * queries, 6);
    const auto partialAt = [&](std::int64_t index) {
        return GpuAttentionPartial{.heads = heads,
                                   .queries = queries,
                                   .headDim = headDim,
                                   .output = outputs.matrix().slice(index * heads * queries, 1).address,
                                   .maximum = statistics.matrix().slice(2 * index, 1).address,
                                   .sum = statistics.matrix().slice(2 * index + 1, 1).address};
    };
    const auto attendTo = [&](std::int64_t first, std::int64_t count, std::int64_t index) {
        attend(pipelines, stream,
               {.heads = heads,
                .headDim = headDim,
                .q = q.matrix(),
                .k = k.matrix().slice(first, count),
                .v = v.matrix().slice(first, count),
                .scale = scale},
               partialAt(index));
    };
    attendTo(0, half, 0);
    attendTo(half, keys - half, 1);
    mergePartials(pipelines, stream, partialAt(0), partialAt(1));
    finalizePartial(pipelines, stream, partialAt(0), y.matrix());
    stream.finish();
    const std::vector<float> query = q.read();
    const std::vector<float> key = k.read();
    const std::vector<float> value = v.read();
    const auto at = [](const std::vector<float>& values, std::int64_t row, std::int64_t column) {
        return static_cast<double>(values[static_cast<std::size_t>(row * width + column)]);
    };
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t first = column / headDim * headDim;
        double sum = 0.0;
        double weighted = 0.0;
        for (std::int64_t other = 0; other < keys; ++other) {
            double score = 0.0;
            for (std::int64_t i = first; i < first + headDim; ++i)
                score += at(query, row, i) * at(key, other, i);
            const double weight = std::exp(score * scale);
            sum += weight;
            weighted += weight * at(value, other, column);
        }
        return weighted / sum;
    };
    return y.difference(expected, 1e-5);
}

const GpuShader attentionShader{.name = "attention_scalar",
                                .words = attention_scalar_spirv,
                                .constants = sizeof(AttentionConstants),
                                .check = checkAttention};
const GpuShader mergeShader{.name = "attention_merge",
                            .words = attention_merge_spirv,
                            .constants = sizeof(MergeConstants),
                            .check = checkAttention};

void requireFit(bool fits) {
    if (!fits)
        throw Error(ErrorKind::Internal, "an attention on a GPU does not fit its rows");
}

void requireFit(const GpuAttentionProblem& problem) {
    for (const GpuMatrix* matrix : {&problem.q, &problem.k, &problem.v}) {
        requireGpuMatrix(*matrix);
        requireFit(matrix->layout.width == problem.heads * problem.headDim);
    }
    requireFit(problem.headDim > 0 && problem.headDim <= GpuAttentionProblem::widestHead &&
               problem.headDim % GpuAttentionProblem::headStep == 0);
    requireFit(problem.k.layout.rows == problem.v.layout.rows && problem.lastKeyCount >= 1);
}

/// Where an attention goes: into a partial, or finished into rows.
struct AttentionTarget {
    GpuAddress output = 0;
    GpuAddress maximum = 0;
    GpuAddress sum = 0;
    std::int64_t yStride = 0;
    std::uint32_t flags = 0;
};

void recordAttention(GpuPipelines& pipelines, GpuStream& stream, const GpuAttentionProblem& problem,
                     const AttentionTarget& target) {
    const GpuProgram& program = pipelines.program(attentionShader);
    const std::int64_t keys = problem.k.layout.rows;
    const std::int64_t queries = problem.q.layout.rows;
    const std::int64_t blocks = (queries + queryBlock - 1) / queryBlock;
    const double workOfBlock = 4.0 * real(queryBlock) * real(keys) * real(problem.headDim);
    // As many heads at once as a portion has room for, then as many blocks of queries.
    const std::int64_t heads = rowsOfDispatch(problem.heads, workOfBlock, stream.portion());
    const std::int64_t portion = rowsOfDispatch(blocks, workOfBlock * real(heads), stream.portion());
    for (std::int64_t head = 0; head < problem.heads; head += heads)
        for (std::int64_t block = 0; block < blocks; block += portion) {
            const std::int64_t headCount = std::min(heads, problem.heads - head);
            const std::int64_t blockCount = std::min(portion, blocks - block);
            const AttentionConstants constants{
                .q = problem.q.address,
                .k = problem.k.address,
                .v = problem.v.address,
                .keep = problem.keep,
                .output = target.output,
                .maximum = target.maximum,
                .sum = target.sum,
                .firstQuery = count32(block * queryBlock),
                .queries = count32(queries),
                .keys = count32(keys),
                .headDim = count32(problem.headDim),
                .firstHead = count32(head),
                .qStride = count32(problem.q.layout.stride),
                .kStride = count32(problem.k.layout.stride),
                .vStride = count32(problem.v.layout.stride),
                .scale = static_cast<float>(problem.scale * std::numbers::log2e),
                .flags = (problem.q.isNarrow() ? 1U : 0U) | (problem.k.isNarrow() ? 2U : 0U) |
                         (problem.v.isNarrow() ? 4U : 0U) | (problem.keep != 0 ? 8U : 0U) | target.flags,
                .yStride = count32(target.yStride),
                .lastKey = static_cast<float>(std::log2(real(problem.lastKeyCount)))};
            stream.dispatch(program, constantBytes(constants),
                            {.x = count32(blockCount), .y = count32(headCount)},
                            workOfBlock * real(blockCount) * real(headCount));
        }
}

/// Every row of all heads, a row of groups each.
void recordMerge(GpuPipelines& pipelines, GpuStream& stream, MergeConstants constants,
                 const GpuAttentionPartial& into) {
    const GpuProgram& program = pipelines.program(mergeShader);
    const std::int64_t rows = into.heads * into.queries;
    const double workOfRow = 4.0 * real(into.headDim);
    const std::int64_t portion = rowsOfDispatch(rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < rows; first += portion) {
        const std::int64_t count = std::min(portion, rows - first);
        constants.firstRow = count32(first);
        stream.dispatch(program, constantBytes(constants), {.x = 1, .y = count32(count)},
                        workOfRow * real(count));
    }
}

MergeConstants mergeConstants(const GpuAttentionPartial& into, const GpuAttentionPartial& part) {
    return {.output = into.output,
            .maximum = into.maximum,
            .sum = into.sum,
            .partOutput = part.output,
            .partMaximum = part.maximum,
            .partSum = part.sum,
            .y = 0,
            .queries = count32(into.queries),
            .heads = count32(into.heads),
            .headDim = count32(into.headDim),
            .yStride = 0,
            .firstRow = 0,
            .flags = 0};
}

}  // namespace

void attend(GpuPipelines& pipelines, GpuStream& stream, const GpuAttentionProblem& problem,
            const GpuAttentionPartial& partial) {
    requireFit(problem);
    requireFit(partial.heads == problem.heads && partial.headDim == problem.headDim &&
               partial.queries == problem.q.layout.rows);
    recordAttention(pipelines, stream, problem,
                    {.output = partial.output, .maximum = partial.maximum, .sum = partial.sum});
}

void attend(GpuPipelines& pipelines, GpuStream& stream, const GpuAttentionProblem& problem,
            const GpuMatrix& y) {
    requireFit(problem);
    requireGpuMatrix(y);
    requireFit(y.layout.rows == problem.q.layout.rows && y.layout.width == problem.heads * problem.headDim);
    recordAttention(pipelines, stream, problem,
                    {.output = y.address,
                     .yStride = y.layout.stride,
                     .flags = finishesRows | (y.isNarrow() ? narrowRows : 0U)});
}

void mergePartials(GpuPipelines& pipelines, GpuStream& stream, const GpuAttentionPartial& into,
                   const GpuAttentionPartial& part) {
    requireFit(into.heads == part.heads && into.queries == part.queries && into.headDim == part.headDim &&
               into.headDim <= GpuAttentionProblem::widestHead);
    recordMerge(pipelines, stream, mergeConstants(into, part), into);
}

void finalizePartial(GpuPipelines& pipelines, GpuStream& stream, const GpuAttentionPartial& partial,
                     const GpuMatrix& y) {
    requireGpuMatrix(y);
    requireFit(y.layout.rows == partial.queries && y.layout.width == partial.heads * partial.headDim &&
               partial.headDim <= GpuAttentionProblem::widestHead);
    MergeConstants constants = mergeConstants(partial, partial);
    constants.y = y.address;
    constants.yStride = count32(y.layout.stride);
    constants.flags = finishes | (y.isNarrow() ? 1U : 0U);
    recordMerge(pipelines, stream, constants, partial);
}

}  // namespace meshreel
