// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/wide_attention.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_wide_attention.h"

namespace meshreel {
namespace {

// Query rows that one worker takes at a time, and keys of one pass.
constexpr std::int64_t wideQueryBlock = 128;
constexpr FlashBlockSizes wideBlocks{.blockKv = 512, .blockKvCompute = 512, .blockKvComputeIn = 256};

HeadRows headRows(const MatrixView& rows, std::int64_t first) {
    return {rows.slice(first, rows.rows() - first).data(), rows.dtype(), rows.stride()};
}

void attendWidely(const OnHost& on, const WideAttention& attention, const MatrixSpan& y) {
    const std::int64_t width = attention.q.width();
    const std::int64_t queries = attention.q.rows() / attention.frames;
    const std::int64_t keys = attention.k.rows() / attention.frames;
    const std::int64_t blocks = (queries + wideQueryBlock - 1) / wideQueryBlock;
    on.execution.workers.parallelFor(attention.frames * blocks, [&](std::int64_t begin, std::int64_t end) {
        AttentionScratch scratch;
        AttentionPartial partial;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            throwIfStopped(on.execution.stop);
            const std::int64_t frame = unit / blocks;
            const std::int64_t first = unit % blocks * wideQueryBlock;
            const std::int64_t count = std::min(wideQueryBlock, queries - first);
            HeadInputs problem;
            problem.queries = count;
            problem.keys = keys;
            problem.headDim = width;
            problem.q = headRows(attention.q, frame * queries + first);
            problem.k = headRows(attention.k, frame * keys);
            problem.v = headRows(attention.v, frame * keys);
            problem.scale = 1.0F / std::sqrt(static_cast<float>(width));
            flashAttention(problem, wideBlocks, scratch, partial);
            const MatrixSpan result = y.slice(frame * queries + first, count);
            finalizePartial(partial, OutputRows(result.data(), result.dtype(), result.stride()));
        }
    });
}

}  // namespace

void attendWidely(const Execution& execution, const WideAttention& attention, const MatrixSpan& y) {
    const auto fits = [&](const MatrixView& rows, std::int64_t count) {
        return rows.rows() == count && rows.width() == attention.q.width();
    };
    if (attention.frames < 1 || attention.q.rows() % attention.frames != 0 ||
        attention.k.rows() % attention.frames != 0 || !fits(attention.v, attention.k.rows()) ||
        !fits(attention.k, attention.v.rows()) || !fits(y, attention.q.rows()))
        throw Error(ErrorKind::Internal, "an attention within frames does not fit its rows");
    dispatch(execution, {attention.q, attention.k, attention.v, y},
             [&](const auto& on) { attendWidely(on, attention, y); });
}

std::int64_t wideAttentionScores(std::int64_t queries, std::int64_t keys) {
    return GpuWideAttention{.q = {.layout = {.rows = queries}}, .k = {.layout = {.rows = keys}}}.scratch();
}

}  // namespace meshreel
