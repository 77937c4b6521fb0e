// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/custom_attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/base/error.h"
#include "engine/kernels/attention/attention_candidates.h"
#include "engine/kernels/attention/panel_kernels.h"
#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

namespace {

// Weights below 2^-126 are lost. With a sum of at least this many times the number of keys, what is lost is
// below an f32's last bit.
constexpr double smallestFixedShare = 0x1p-102;

void requireHeads(std::span<const HeadInputs> heads, std::span<AttentionPartial> partials,
                  const FlashBlockSizes& blocks) {
    if (heads.size() != partials.size())
        throw Error(ErrorKind::Internal, "The custom attention kernel got partials for other heads");
    if (blocks.blockKv < 1 || blocks.blockKvCompute < 1 || blocks.blockKvComputeIn < 1)
        throw Error(ErrorKind::Internal, "The custom attention kernel got empty blocks");
    for (const HeadInputs& head : heads) {
        if (head.bias.present())
            throw Error(ErrorKind::Internal, "The custom attention kernel has no bias; use flash");
        if (head.queries != heads[0].queries || head.keys != heads[0].keys ||
            head.headDim != heads[0].headDim)
            throw Error(ErrorKind::Internal, "Heads of different sizes cannot share a tile");
    }
}

// bf16 tiles round weights to bf16, which only rows that are bf16 themselves allow.
bool tilesServe(const HeadInputs& problem) {
    return customRunsInTiles(problem.q.type()) && customRunsInTiles(problem.k.type()) &&
           customRunsInTiles(problem.v.type()) && problem.scale > 0.0;
}

void attendHeads(std::span<const HeadInputs> problems, const FixedMaximum* fixed,
                 const FlashBlockSizes& blocks, AttentionScratch& scratch,
                 std::span<AttentionPartial> partials) {
    ScratchVector<PanelHead> inTiles;
    ScratchVector<PanelHead> inPanels;
    for (std::size_t i = 0; i < problems.size(); ++i)
        (tilesServe(problems[i]) ? inTiles : inPanels)
            .push_back(
                {.problem = problems[i],
                 .partial = partials[i],
                 .fixedMaximum = fixed != nullptr,
                 .headroom = fixed != nullptr ? static_cast<float>(fixedHeadroom(problems[i].keys)) : 0.0F,
                 .keyMean = fixed != nullptr ? fixed->keyMean : std::span<const float>()});
    if (!inTiles.empty())
        tileAttention()(blocks, inTiles, scratch);
    if (!inPanels.empty())
        panelAttention(panelKernels(cpuFeatures()), blocks, inPanels, scratch);
}

// Tiles multiply keys as they are stored: they do not take the mean off the keys, which would round them
// again, but its score off the bound.
enum class MeanTaken : std::uint8_t { OffKeys, OffBound };

// Returns by how much subtracting the mean of the keys lowered the scores of one query.
double meanScore(const HeadInputs& head, const FixedMaximum& fixed, std::int64_t query,
                 std::span<float> buffer, ExponentBase base) {
    if (fixed.keyMean.empty())
        return 0.0;
    head.q.read(query, buffer);
    return exponentScale(head, base) *
           std::inner_product(buffer.begin(), buffer.end(), fixed.keyMean.begin(), 0.0);
}

// m_i of the fixed-m kernel: the bound of query i's scores, rounded up.
void putFixedMaxima(const HeadInputs& head, const FixedMaximum& fixed, MeanTaken taken,
                    AttentionPartial& partial) {
    const double factor = std::abs(exponentScale(head, partial.base)) * fixed.keyNorm;
    ScratchVector<float> buffer(static_cast<std::size_t>(head.headDim));
    for (std::int64_t query = 0; query < head.queries; ++query) {
        const double norm = largestNorm(head.q.from(query), 1, head.headDim, nullptr);
        const double mean =
            taken == MeanTaken::OffBound ? meanScore(head, fixed, query, buffer, partial.base) : 0.0;
        partial.maximum[static_cast<std::size_t>(query)] =
            static_cast<float>(std::ceil(norm * factor + mean));
    }
}

bool anyKept(const HeadInputs& problem) {
    return problem.keyMask == nullptr ? problem.keys > 0
                                      : std::any_of(problem.keyMask, problem.keyMask + problem.keys,
                                                    [](std::uint8_t keyMask) { return keyMask != 0; });
}

bool finite(std::span<const float> row) {
    return std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
}

// Lowers the sums to about 1, as they are when a maximum is the largest score, and maxima to what they are
// for keys with their mean, so that partials of other keys can be merged without overflow or loss. False when
// a sum or an output left f32's range.
bool normaliseFixed(const HeadInputs& head, const FixedMaximum& fixed, MeanTaken taken,
                    AttentionPartial& partial) {
    const double smallest = smallestFixedShare * static_cast<double>(head.keys);
    const bool two = partial.base == ExponentBase::Two;
    const double headroom = fixedHeadroom(head.keys) * (two ? 1.0 : std::numbers::ln2);
    ScratchVector<float> buffer(static_cast<std::size_t>(head.headDim));
    for (std::int64_t query = 0; query < partial.queries; ++query) {
        const auto index = static_cast<std::size_t>(query);
        const std::span<float> row(partial.output.data() + query * partial.headDim, buffer.size());
        const double sum = partial.sum[index];
        if (!(sum >= smallest) || !finite(row))
            return false;
        const double mean =
            taken == MeanTaken::OffKeys ? meanScore(head, fixed, query, buffer, partial.base) : 0.0;
        const double lowered = static_cast<double>(partial.maximum[index]) - headroom + mean;
        const double maximum = std::ceil(lowered + (two ? std::log2(sum) : std::log(sum)));
        const double factor = two ? std::exp2(lowered - maximum) : std::exp(lowered - maximum);
        partial.maximum[index] = static_cast<float>(maximum);
        partial.sum[index] = static_cast<float>(sum * factor);
        std::transform(row.begin(), row.end(), row.begin(),
                       [factor](float value) { return static_cast<float>(value * factor); });
    }
    return true;
}

}  // namespace

bool customRunsInTiles(DType rows) {
    return rows == DType::BF16 && tileAttention() != nullptr;
}

void customAttention(std::span<const HeadInputs> heads, const FlashBlockSizes& blocks, ExponentBase base,
                     AttentionScratch& scratch, std::span<AttentionPartial> partials) {
    requireHeads(heads, partials, blocks);
    if (heads.empty())
        return;
    for (AttentionPartial& partial : partials)
        partial.reset(heads[0].queries, heads[0].headDim, base);
    attendHeads(heads, nullptr, blocks, scratch, partials);
}

bool fixedMaximumAttention(const HeadInputs& head, const FixedMaximum& fixed, const FlashBlockSizes& blocks,
                           ExponentBase base, AttentionScratch& scratch, AttentionPartial& partial) {
    const std::span<const HeadInputs> heads(&head, 1);
    const std::span<AttentionPartial> partials(&partial, 1);
    requireHeads(heads, partials, blocks);
    partial.reset(head.queries, head.headDim, base);
    if (!anyKept(head))
        return true;
    const MeanTaken taken = tilesServe(head) ? MeanTaken::OffBound : MeanTaken::OffKeys;
    putFixedMaxima(head, fixed, taken, partial);
    attendHeads(heads, &fixed, blocks, scratch, partials);
    if (normaliseFixed(head, fixed, taken, partial))
        return true;
    customAttention(heads, blocks, base, scratch, partials);
    return false;
}

std::size_t customScratchBytes(const FlashBlockSizes& blocks, std::int64_t heads, std::int64_t queries,
                               std::int64_t keys, std::int64_t headDim) {
    const std::size_t tiles =
        tileAttention() != nullptr ? tileScratchBytes(blocks, queries, keys, headDim) : 0;
    return std::max(panelScratchBytes(blocks, heads, queries, keys, headDim), tiles) +
           static_cast<std::size_t>(heads * queries * (headDim + 2)) * sizeof(float);
}

}  // namespace meshreel
