// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/gpu/gpu_kernel_search.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/kernel_sizes.h"

namespace meshreel {

/// Heads beside each other in rows of a GPU's memory: q, k and v are [tokens, heads · headDim], f32 or bf16.
/// Scores are f32, in base 2, whatever their size: the CPU's exactness of very large scores is not promised.
struct GpuAttentionInputs {
    /// The most that `headDim` may be: as many numbers fit shared memory. It is a multiple of headStep.
    static constexpr std::int64_t widestHead = 128;
    static constexpr std::int64_t headStep = 4;

    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    GpuMatrix q;
    GpuMatrix k;
    GpuMatrix v;
    double scale = 1.0;             ///< scores = scale · q·k
    GpuAddress keyMask = 0;         ///< 32-bit words [keys], 0 = masked; 0: all kept
    std::int64_t lastKeyCount = 1;  ///< equal keys that the last one stands for
    /// Added to the scores: f32 [heads, biasStride], of key k and query q at k - q + queries - 1; 0: none.
    GpuAddress bias = 0;
    std::int64_t biasStride = 0;  ///< queries + keys - 1 at least
    // Only these queries attend, into their places of the partial. A shader works on blocks of queries: what
    // the partial has of some queries behind them is overwritten.
    std::int64_t firstQuery = 0;
    std::optional<std::int64_t> queries = {};  ///< all from firstQuery on if not given

    [[nodiscard]] std::int64_t queryCount() const { return queries.value_or(q.layout.rows - firstQuery); }
};

/// AttentionPartial of all heads in a GPU's memory, base 2.
struct GpuAttentionPartial {
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    GpuAddress output = 0;   ///< f32 [heads, queries, headDim]
    GpuAddress maximum = 0;  ///< f32 [heads, queries]; -infinity when no key is valid
    GpuAddress sum = 0;      ///< f32 [heads, queries]
};

/// FrameBias in a GPU's memory.
struct GpuFrameBias {
    GpuAddress ofFrames = 0;  ///< f32, in base 2; 0: none
    std::int64_t firstToken = 0;
    std::int64_t tokensPerFrame = 1;
};

/// Returns the kernel for bf16 heads of this width.
GpuKernel attentionKernel(std::int64_t headDim);

/// Returns what compares the ways to compute it, NarrowAttention or WideAttention.
KernelTrial attentionTrial(GpuPipelines& pipelines, GpuKernel kernel);

/// Returns every way in which matrix units may cut an attention: values of VariantFilter::block.
std::vector<std::string> attentionBlocks();

/// Returns the candidates for an attention of this size, on rows of any numbers. Throws Error{Internal} for
/// heads that no kernel takes, Error{Device} or Error{Resources} when the rows do not fit the GPU's memory.
GpuKernelSearch searchAttention(GpuWork& gpu, const AttentionSize& size);

/// A shader of attention with what it takes to record it.
struct AttentionProgram {
    const GpuProgram* program = nullptr;
    std::int64_t queries = 0;  ///< queries of a group
    double workScale = 1.0;    ///< see BoundVariant
};

/// A kernel of PTX, for heads of one width.
struct PtxAttentionProgram {
    std::int64_t headDim = 0;
    AttentionProgram program = {};
};

/// The shaders of an attention: chosen once, then read.
struct PreparedAttention {
    AttentionProgram scalar = {};  ///< for heads of f32, for scores with a bias, and where rows lie otherwise
    /// For heads of bf16, of a multiple of 8 numbers, whose rows begin at multiples of 16 bytes.
    AttentionProgram ofWords = {};
    /// For those of them that it has a kernel for: scores are scaled by a positive number, and two numbers of
    /// what is written lie at a multiple of their size.
    std::vector<PtxAttentionProgram> ofPtx = {};
    const GpuProgram* merging = nullptr;  ///< of partials
};

/// Chooses the shaders of a kernel, NarrowAttention or WideAttention. Heads of bf16 are multiplied as
/// `narrow` says, by matrix units if they are faster; without `narrow` heads are f32. Throws Error{Device}
/// when the GPU refuses the shaders.
PreparedAttention prepareAttention(GpuPipelines& pipelines, const std::optional<BoundKernel>& narrow,
                                   GpuKernel kernel);

// Where matrix units multiply, weights are rounded to bf16 or f16, and a partial's maximum is within 6 of the
// largest score. Recorded, not awaited. Throw Error{Internal} when the shapes do not fit, or the attention
// was not prepared for heads of this type.

/// The attention over all keys of the problem, which replaces what the partial held.
void attend(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionInputs& problem,
            const GpuAttentionPartial& partial);

/// Computes the attention when these are all the keys, finished into rows y [queries, heads · headDim], f32
/// or bf16: no partial is kept.
void attend(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionInputs& problem,
            const GpuMatrix& y);

/// Adds the keys of `part`, with a bias for its queries, to `into`: what mergePartials() computes.
void mergePartials(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionPartial& into,
                   const GpuAttentionPartial& part, const GpuFrameBias& bias = {});

/// Adds the bias to the scores of the partial's keys.
void addFrameBias(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionPartial& partial,
                  const GpuFrameBias& bias);

/// Writes output/sum into rows y [queries, heads · headDim], f32 or bf16; zeros where no key is valid.
void finalizePartial(GpuStream& stream, const PreparedAttention& attention,
                     const GpuAttentionPartial& partial, const GpuMatrix& y);

}  // namespace meshreel
