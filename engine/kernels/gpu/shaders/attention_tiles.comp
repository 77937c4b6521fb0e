#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax attention of one head over all keys by a matrix unit: scores in base 2, sums and softmax in f32, the result not
// normalised, as AttentionPartial has it, or finished into rows. Each of SUBGROUPS subgroups has ROW_TILES tiles of queries; all of
// them share KEYS keys and values at a time, while the next ones are on their way in registers. A head has up to HEAD numbers.
// A subgroup writes its scores to shared memory, where each of its invocations turns a part of one row into weights.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = SUBGROUPS * SUBGROUP) in;
#define THREADS (SUBGROUPS * SUBGROUP)
#define VECTORS (HEAD / 8)           // words of a key
#define PITCH (VECTORS + 1)          // odd, so that rows share no banks
#define SCORE_PITCH (KEYS / 4 + 1)   // words of a row of scores
#define OWN_ROWS (ROW_TILES * TILE_M)
#define EACH (KEYS * VECTORS / THREADS)
#define LANES (SUBGROUP / TILE_M)    // invocations of a row
#define FOURS (KEYS / LANES / 4)     // of scores, of an invocation
#define STEPS (HEAD / TILE_K)
#define OUTPUTS (HEAD / TILE_N)
#define KEY_TILES (KEYS / TILE_N)
const float none = -3.0e38;  // below every score: no key so far
const float slack = 6.0;     // a maximum stays until a score is above it by more: weights are then 64 at most

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Marks { uint at[]; };

// Order and meaning as AttentionConstants in gpu_attention.cpp.
layout(push_constant) uniform Constants {
    uint64_t q, k, v, keep, output_, maximum, sum;
    uint firstQuery, queries, keys, headDim, firstHead, qStride, kStride, vStride;
    float scale;    // times log2(e)
    uint flags;     // 8 there are marks of keys to keep; 16 finish into rows, 32 of bf16
    uint yStride;   // of these rows, which output_ points to
    float lastKey;  // log2 of how many keys the last one stands for
} c;

shared uvec4 keyTile[KEYS * PITCH];
shared uvec4 valueTile[KEYS * PITCH];
shared uvec4 own[SUBGROUPS * OWN_ROWS * SCORE_PITCH];  // queries, scores, weights, outputs
#if QUERIES_SHARED
shared uvec4 queryTile[SUBGROUPS * OWN_ROWS * PITCH];
#endif

// Eight numbers of a head; rows behind the last one are the last one again, columns behind the head are zeros.
uvec4 fetch(uint64_t head, uint stride, uint row, uint lastRow, uint vector) {
    if (vector * 8 >= c.headDim)
        return uvec4(0);
    return Words(head).at[min(row, lastRow) * (stride / 8) + vector];
}

// Two weights as factors: they are positive and finite.
uint asWeights(float low, float high) {
#ifdef NARROW_FACTORS
    return ((floatBitsToUint(low) + 0x8000u) >> 16) | ((floatBitsToUint(high) + 0x8000u) & 0xffff0000u);
#else
    return packHalf2x16(vec2(low, high));
#endif
}

float acrossRowMax(float value) {
    [[unroll]] for (uint step_ = 1; step_ < LANES; step_ *= 2) value = max(value, subgroupShuffleXor(value, step_));
    return value;
}

float acrossRowSum(float value) {
    [[unroll]] for (uint step_ = 1; step_ < LANES; step_ *= 2) value += subgroupShuffleXor(value, step_);
    return value;
}

// A key that a mask or the end hides has no score; the last one may stand for several. A mark is read in any case, of q where
// there are none: some drivers read before they ask.
float heldScore(float score, uint key) {
    const bool hasMarks = (c.flags & 8u) != 0;
    const uint mark = Marks(hasMarks ? c.keep : c.q).at[hasMarks ? min(key, c.keys - 1) : 0];
    if (key >= c.keys || (hasMarks && mark == 0))
        return none;
    return key + 1 == c.keys ? score + c.lastKey : score;
}

void main() {
    const uint me = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID, myRow = lane / LANES, myPart = lane % LANES;
    const uint head = c.firstHead + gl_WorkGroupID.y;
    const uint firstRow = c.firstQuery + (gl_WorkGroupID.x * SUBGROUPS + gl_SubgroupID) * OWN_ROWS;  // of this subgroup
    const uint mine = gl_SubgroupID * OWN_ROWS * SCORE_PITCH;
    const uint64_t column = uint64_t(head * c.headDim * 2);
    const uint64_t keyHead = c.k + column, valueHead = c.v + column;

#if QUERIES_SHARED
    const uint myQueries = gl_SubgroupID * OWN_ROWS * PITCH;
    for (uint e = lane; e < OWN_ROWS * VECTORS; e += SUBGROUP)
        queryTile[myQueries + e / VECTORS * PITCH + e % VECTORS] =
            asFactors(fetch(c.q + column, c.qStride, firstRow + e / VECTORS, c.queries - 1, e % VECTORS));
#else
    // The room of scores holds KEYS / 4 words of each query at a time.
    LeftMatrix queries[ROW_TILES * STEPS];
    [[unroll]] for (uint first = 0; first < VECTORS; first += KEYS / 4) {
        subgroupBarrier();
        for (uint e = lane; e < OWN_ROWS * (KEYS / 4); e += SUBGROUP)
            if (first + e % (KEYS / 4) < VECTORS)
                own[mine + e / (KEYS / 4) * SCORE_PITCH + e % (KEYS / 4)] =
                    asFactors(fetch(c.q + column, c.qStride, firstRow + e / (KEYS / 4), c.queries - 1, first + e % (KEYS / 4)));
        subgroupBarrier();
        [[unroll]] for (uint s = first * 8 / TILE_K; s < min((first + KEYS / 4) * 8 / TILE_K, STEPS); ++s)
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                coopMatLoadNV(queries[r * STEPS + s], own, mine + r * TILE_M * SCORE_PITCH + s * TILE_K / 8 - first, SCORE_PITCH, false);
    }
    subgroupBarrier();
#endif

    SumMatrix outputs[ROW_TILES * OUTPUTS];
    [[unroll]] for (uint i = 0; i < ROW_TILES * OUTPUTS; ++i) outputs[i] = SumMatrix(0.0);
    float most[ROW_TILES], total[ROW_TILES];  // of my row in each tile; the total of my part of the keys
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) { most[r] = none; total[r] = 0.0; }
    uvec4 nextKeys[EACH], nextValues[EACH];
    [[unroll]] for (uint i = 0; i < EACH; ++i) {
        const uint e = i * THREADS + me;
        nextKeys[i] = fetch(keyHead, c.kStride, e / VECTORS, c.keys - 1, e % VECTORS);
        nextValues[i] = fetch(valueHead, c.vStride, e / VECTORS, c.keys - 1, e % VECTORS);
    }
    [[dont_unroll]] for (uint key0 = 0; key0 < c.keys; key0 += KEYS) {
        barrier();
        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            const uint e = i * THREADS + me, place = e / VECTORS * PITCH + e % VECTORS;
            keyTile[place] = asFactors(nextKeys[i]);
            valueTile[place] = asFactors(nextValues[i]);
        }
        barrier();
        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            const uint e = i * THREADS + me, key = key0 + KEYS + e / VECTORS;
            nextKeys[i] = fetch(keyHead, c.kStride, key, c.keys - 1, e % VECTORS);
            nextValues[i] = fetch(valueHead, c.vStride, key, c.keys - 1, e % VECTORS);
        }

        SumMatrix scores[ROW_TILES * KEY_TILES];
        [[unroll]] for (uint i = 0; i < ROW_TILES * KEY_TILES; ++i) scores[i] = SumMatrix(0.0);
        [[unroll]] for (uint s = 0; s < STEPS; ++s) {
#if QUERIES_SHARED
            LeftMatrix query[ROW_TILES];
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                coopMatLoadNV(query[r], queryTile, myQueries + r * TILE_M * PITCH + s * TILE_K / 8, PITCH, false);
#define QUERY(r) query[r]
#else
#define QUERY(r) queries[(r) * STEPS + s]
#endif
            [[unroll]] for (uint n = 0; n < KEY_TILES; ++n) {
                RightMatrix key;
                coopMatLoadNV(key, keyTile, n * TILE_N * PITCH + s * TILE_K / 8, PITCH, true);
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    scores[r * KEY_TILES + n] = coopMatMulAddNV(QUERY(r), key, scores[r * KEY_TILES + n]);
            }
        }
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
            [[unroll]] for (uint n = 0; n < KEY_TILES; ++n)
                coopMatStoreNV(scores[r * KEY_TILES + n], own, mine + r * TILE_M * SCORE_PITCH + n * TILE_N / 4, SCORE_PITCH, false);
        subgroupBarrier();

        const bool isHeld = (c.flags & 8u) != 0 || key0 + KEYS >= c.keys;
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
            const uint row = mine + (r * TILE_M + myRow) * SCORE_PITCH;
            vec4 part[FOURS];
            float highest = none;
            [[unroll]] for (uint i = 0; i < FOURS; ++i) {
                part[i] = uintBitsToFloat(own[row + myPart * FOURS + i]) * c.scale;
                if (isHeld)
                    [[unroll]] for (uint j = 0; j < 4; ++j) part[i][j] = heldScore(part[i][j], key0 + (myPart * FOURS + i) * 4 + j);
                highest = max(highest, max(max(part[i].x, part[i].y), max(part[i].z, part[i].w)));
            }
            highest = acrossRowMax(highest);
            const float before = most[r];
            const bool rises = highest > before + slack;
            subgroupBarrier();  // all scores of the tile are read
            if (subgroupAny(rises)) {
                if (rises) most[r] = highest;
                // A matrix of the rows' divisors, in the room of the scores; division is what both forms of matrices have.
                const float divisor = exp2(most[r] - before);
                for (uint i = myPart; i < TILE_N / 4; i += LANES) own[row + i] = floatBitsToUint(vec4(divisor));
                subgroupBarrier();
                SumMatrix divisors;
                coopMatLoadNV(divisors, own, mine + r * TILE_M * SCORE_PITCH, SCORE_PITCH, false);
                [[unroll]] for (uint t = 0; t < OUTPUTS; ++t) outputs[r * OUTPUTS + t] = outputs[r * OUTPUTS + t] / divisors;
                total[r] /= divisor;
                subgroupBarrier();
            }
            float sum = 0.0;
            [[unroll]] for (uint i = 0; i < FOURS; ++i) {
                [[unroll]] for (uint j = 0; j < 4; ++j) part[i][j] = isHeld && part[i][j] == none ? 0.0 : exp2(part[i][j] - most[r]);
                sum += part[i].x + part[i].y + part[i].z + part[i].w;
            }
            total[r] += sum;
            [[unroll]] for (uint i = 0; i < FOURS / 2; ++i)
                own[row + myPart * (FOURS / 2) + i] =
                    uvec4(asWeights(part[2 * i].x, part[2 * i].y), asWeights(part[2 * i].z, part[2 * i].w),
                          asWeights(part[2 * i + 1].x, part[2 * i + 1].y), asWeights(part[2 * i + 1].z, part[2 * i + 1].w));
        }
        subgroupBarrier();
        [[unroll]] for (uint k = 0; k < KEYS; k += TILE_K) {
            LeftMatrix weights[ROW_TILES];
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                coopMatLoadNV(weights[r], own, mine + r * TILE_M * SCORE_PITCH + k / 8, SCORE_PITCH, false);
            [[unroll]] for (uint t = 0; t < OUTPUTS; ++t) {
                RightMatrix value;
                coopMatLoadNV(value, valueTile, k * PITCH + t * TILE_N / 8, PITCH, false);
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    outputs[r * OUTPUTS + t] = coopMatMulAddNV(weights[r], value, outputs[r * OUTPUTS + t]);
            }
        }
    }

    // KEY_TILES tiles of the outputs at a time, in the room of the scores.
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
        const uint query = firstRow + r * TILE_M + myRow, row = head * c.queries + query;
        const float sum = acrossRowSum(total[r]);
        const bool finishes = (c.flags & 16u) != 0, isNarrow = (c.flags & 32u) != 0;  // a partial is f32
        const float factor = !finishes ? 1.0 : sum > 0.0 ? 1.0 / sum : 0.0;
        const uint64_t target = finishes ? rowAddress(c.output_, query, c.yStride, isNarrow) : rowAddress(c.output_, row, c.headDim, false);
        const uint offset = finishes ? head * c.headDim : 0;
        [[unroll]] for (uint t = 0; t < OUTPUTS; t += KEY_TILES) {
            subgroupBarrier();
            [[unroll]] for (uint n = t; n < min(t + KEY_TILES, OUTPUTS); ++n)
                coopMatStoreNV(outputs[r * OUTPUTS + n], own, mine + (n - t) * TILE_N / 4, SCORE_PITCH, false);
            subgroupBarrier();
            [[unroll]] for (uint i = 0; i < FOURS; ++i) {
                const vec4 four = uintBitsToFloat(own[mine + myRow * SCORE_PITCH + i * LANES + myPart]) * factor;
                const uint at = t * TILE_N + (i * LANES + myPart) * 4;
                if (query < c.queries && at < c.headDim)
                    [[unroll]] for (uint j = 0; j < 4; ++j) writeNumber(target, offset + at + j, isNarrow, four[j]);
            }
        }
        if ((c.flags & 16u) == 0 && query < c.queries && myPart == 0) {
            writeNumber(c.maximum, row, false, most[r] == none ? uintBitsToFloat(0xff800000u) : most[r]);
            writeNumber(c.sum, row, false, sum);
        }
    }
}
