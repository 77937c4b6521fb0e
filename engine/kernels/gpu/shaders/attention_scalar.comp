#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax attention of 16 queries of one head over all keys without a matrix unit: scores in base 2 with a running maximum, the
// result not normalised, as AttentionPartial has it. Keys pass through shared memory 32 at a time, then their values.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"

layout(local_size_x = 64) in;
const uint queryBlock = 16, keyBlock = 32, widest = 128, lanes = 4;  // lanes: invocations of one query
const float none = -3.0e38;  // below every score: no key so far
const float log2e = 1.4426950408889634;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Marks { uint at[]; };

// Order and meaning as AttentionConstants in gpu_attention.cpp.
layout(push_constant) uniform Constants {
    uint64_t q, k, v, keep, output_, maximum, sum;
    uint firstQuery, queries, keys, headDim, firstHead, qStride, kStride, vStride;
    float scale;    // times log2(e)
    uint flags;     // 1 q, 2 k, 4 v are bf16; 8 there are marks of keys to keep; 16 finish into rows, 32 of bf16;
                    // 64 there is a bias
    uint yStride;   // of these rows, which output_ points to
    float lastKey;  // log2 of how many keys the last one stands for
    uint64_t bias;  // 64: f32, of each head a row of biasStride; what is added for a key depends on its distance to the query
    uint biasStride;
} c;

shared float queryTile[queryBlock * widest];
shared float rowTile[keyBlock * widest];  // keys, then values
shared float scores[queryBlock * keyBlock];

void fetch(uint64_t start, uint stride, bool isNarrow, uint first, uint head) {
    const uint rows = min(keyBlock, c.keys - first);
    for (uint i = gl_LocalInvocationIndex; i < keyBlock * c.headDim; i += 64) {
        const uint row = i / c.headDim, column = i % c.headDim;
        rowTile[i] = row < rows ? readNumber(rowAddress(start, first + row, stride, isNarrow), head * c.headDim + column, isNarrow) : 0.0;
    }
}

void main() {
    const uint me = gl_LocalInvocationIndex, myQuery = me / lanes, lane = me % lanes;
    const uint first = c.firstQuery + gl_WorkGroupID.x * queryBlock, head = c.firstHead + gl_WorkGroupID.y;
    const bool isThere = first + myQuery < c.queries;  // else it fetches for the others and computes nothing
    for (uint i = me; i < queryBlock * c.headDim; i += 64) {
        const uint row = first + i / c.headDim, column = i % c.headDim;
        const bool isNarrow = (c.flags & 1u) != 0;
        queryTile[i] = row < c.queries ? readNumber(rowAddress(c.q, row, c.qStride, isNarrow), head * c.headDim + column, isNarrow) : 0.0;
    }
    float sums[widest / lanes];
    for (uint i = 0; i < widest / lanes; ++i) sums[i] = 0.0;
    float most = none, total = 0.0;
    for (uint key0 = 0; key0 < c.keys; key0 += keyBlock) {
        barrier();
        fetch(c.k, c.kStride, (c.flags & 2u) != 0, key0, head);
        barrier();
        for (uint key = lane; key < keyBlock; key += lanes) {
            float score = none;
            if (isThere && key0 + key < c.keys && ((c.flags & 8u) == 0 || Marks(c.keep).at[key0 + key] != 0)) {
                score = 0.0;
                for (uint i = 0; i < c.headDim; ++i)
                    score = fma(queryTile[myQuery * c.headDim + i], rowTile[key * c.headDim + i], score);
                score *= c.scale;
                if ((c.flags & 64u) != 0)
                    score += log2e * readNumber(rowAddress(c.bias, head, c.biasStride, false),
                                                key0 + key + c.queries - 1 - (first + myQuery), false);
                if (key0 + key + 1 == c.keys) score += c.lastKey;
            }
            scores[myQuery * keyBlock + key] = score;
        }
        barrier();
        fetch(c.v, c.vStride, (c.flags & 4u) != 0, key0, head);
        float highest = most;
        for (uint key = 0; key < keyBlock; ++key) highest = max(highest, scores[myQuery * keyBlock + key]);
        const float factor = most == none ? 0.0 : exp2(most - highest);
        barrier();  // all have read the scores that weights replace
        for (uint key = lane; key < keyBlock; key += lanes) {
            const float score = scores[myQuery * keyBlock + key];
            scores[myQuery * keyBlock + key] = score == none ? 0.0 : exp2(score - highest);
        }
        barrier();
        most = highest;
        total *= factor;
        for (uint key = 0; key < keyBlock; ++key) total += scores[myQuery * keyBlock + key];
        for (uint i = lane; isThere && i < c.headDim; i += lanes) {
            float value = sums[i / lanes] * factor;
            for (uint key = 0; key < keyBlock; ++key)
                value = fma(scores[myQuery * keyBlock + key], rowTile[key * c.headDim + i], value);
            sums[i / lanes] = value;
        }
    }
    if (!isThere)
        return;
    if ((c.flags & 16u) != 0) {
        const bool isNarrow = (c.flags & 32u) != 0;
        const uint64_t y = rowAddress(c.output_, first + myQuery, c.yStride, isNarrow);
        for (uint i = lane; i < c.headDim; i += lanes)
            writeNumber(y, head * c.headDim + i, isNarrow, total > 0.0 ? sums[i / lanes] / total : 0.0);
        return;
    }
    const uint row = head * c.queries + first + myQuery;
    const uint64_t output_ = rowAddress(c.output_, row, c.headDim, false);
    for (uint i = lane; i < c.headDim; i += lanes) writeNumber(output_, i, false, sums[i / lanes]);
    if (lane == 0) {
        writeNumber(c.maximum, row, false, most == none ? uintBitsToFloat(0xff800000u) : most);
        writeNumber(c.sum, row, false, total);
    }
}
