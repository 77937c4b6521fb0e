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

// Loops over matrices hold nothing else, and each tile of queries is a copy of the text: a loop that the driver does not unroll
// would keep the matrices in slow memory. What invocations do with a row stands in functions.
vec4 part[FOURS];  // of the scores of my row: those of myPart

// Reads my part of the scores; the highest of the row.
float readScores(uint row, uint key, bool isHeld) {
    vec4 highest = vec4(none);
    [[unroll]] for (uint i = 0; i < FOURS; ++i) {
        vec4 four = uintBitsToFloat(own[row + i]) * c.scale;
        if (isHeld)
            four = vec4(heldScore(four.x, key + 4 * i), heldScore(four.y, key + 4 * i + 1), heldScore(four.z, key + 4 * i + 2),
                        heldScore(four.w, key + 4 * i + 3));
        part[i] = four;
        highest = max(highest, four);
    }
    return acrossRowMax(max(max(highest.x, highest.y), max(highest.z, highest.w)));
}

// Writes my part of the weights; their sum. Below `most` by so much, a score's weight is 0.
float writeWeights(uint row, float most, bool isHeld) {
    vec4 sum = vec4(0.0);
    [[unroll]] for (uint i = 0; i < FOURS; ++i) {
        const vec4 four = part[i];
        part[i] = exp2(four - most);
        if (isHeld) part[i] = mix(part[i], vec4(0.0), equal(four, vec4(none)));
        sum += part[i];
    }
    [[unroll]] for (uint i = 0; i < FOURS / 2; ++i) {
        const vec4 low = part[2 * i], high = part[2 * i + 1];
        own[row + i] = uvec4(asWeights(low.x, low.y), asWeights(low.z, low.w), asWeights(high.x, high.y), asWeights(high.z, high.w));
    }
    return sum.x + sum.y + sum.z + sum.w;
}

// KEYS outputs of my query from shared memory, from column `first` of the head on.
void writeOutputs(uint row, uint query, uint head, uint first, float sum) {
    const bool finishes = (c.flags & 16u) != 0, isNarrow = (c.flags & 32u) != 0;  // a partial is f32
    const float factor = !finishes ? 1.0 : sum > 0.0 ? 1.0 / sum : 0.0;
    const uint64_t target = finishes ? rowAddress(c.output_, query, c.yStride, isNarrow)
                                     : rowAddress(c.output_, head * c.queries + query, c.headDim, false);
    const uint offset = finishes ? head * c.headDim : 0;
    [[dont_unroll]] for (uint i = gl_SubgroupInvocationID % LANES; i < KEYS / 4; i += LANES) {
        const vec4 four = uintBitsToFloat(own[row + i]) * factor;
        const uint at = first + i * 4;
        if (query < c.queries && at < c.headDim) {
            writeNumber(target, offset + at, isNarrow, four.x);
            writeNumber(target, offset + at + 1, isNarrow, four.y);
            writeNumber(target, offset + at + 2, isNarrow, four.z);
            writeNumber(target, offset + at + 3, isNarrow, four.w);
        }
    }
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
    LeftMatrix queries[ROW_TILES * STEPS];
    // The room of scores holds KEYS / 4 words of each query at a time.
#define LOAD_QUERIES(pass)                                                                                                      \
    subgroupBarrier();                                                                                                          \
    [[dont_unroll]] for (uint e = lane; e < OWN_ROWS * (KEYS / 4); e += SUBGROUP)                                               \
        own[mine + e / (KEYS / 4) * SCORE_PITCH + e % (KEYS / 4)] = asFactors(                                                  \
            fetch(c.q + column, c.qStride, firstRow + e / (KEYS / 4), c.queries - 1, (pass) * (KEYS / 4) + e % (KEYS / 4)));    \
    subgroupBarrier();                                                                                                          \
    [[unroll]] for (uint s = 0; s < 2 * KEYS / TILE_K; ++s)                                                                     \
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)                                                                         \
            coopMatLoadNV(queries[r * STEPS + (pass) * (2 * KEYS / TILE_K) + s], own,                                           \
                          mine + r * TILE_M * SCORE_PITCH + s * TILE_K / 8, SCORE_PITCH, false);
    LOAD_QUERIES(0)
#if HEAD > 2 * KEYS
    LOAD_QUERIES(1)
#endif
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
        // A row's outputs are divided when its maximum rises: division is what both forms of matrices have. The divisors pass
        // through the room of the scores.
#define WEIGH(r)                                                                                                                \
    {                                                                                                                           \
        const uint row = mine + ((r) * TILE_M + myRow) * SCORE_PITCH;                                                           \
        const float highest = readScores(row + myPart * FOURS, key0 + myPart * FOURS * 4, isHeld), before = most[r];            \
        const bool rises = highest > before + slack;                                                                            \
        subgroupBarrier();                                                                                                      \
        if (subgroupAny(rises)) {                                                                                               \
            if (rises) most[r] = highest;                                                                                       \
            const float divisor = exp2(most[r] - before);                                                                       \
            for (uint i = myPart; i < TILE_N / 4; i += LANES) own[row + i] = floatBitsToUint(vec4(divisor));                    \
            subgroupBarrier();                                                                                                  \
            SumMatrix divisors;                                                                                                 \
            coopMatLoadNV(divisors, own, mine + (r) * TILE_M * SCORE_PITCH, SCORE_PITCH, false);                                \
            [[unroll]] for (uint t = 0; t < OUTPUTS; ++t)                                                                       \
                outputs[(r) * OUTPUTS + t] = outputs[(r) * OUTPUTS + t] / divisors;                                             \
            total[r] /= divisor;                                                                                                \
            subgroupBarrier();                                                                                                  \
        }                                                                                                                       \
        total[r] += writeWeights(row + myPart * (FOURS / 2), most[r], isHeld);                                                  \
    }
        WEIGH(0)
#if ROW_TILES > 1
        WEIGH(1)
#endif
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

    // KEYS outputs at a time, in the room of the scores.
    const uint myOwn = mine + myRow * SCORE_PITCH;
#define FINISH_PART(r, part_)                                                                                                   \
    subgroupBarrier();                                                                                                          \
    [[unroll]] for (uint n = 0; n < KEY_TILES; ++n)                                                                             \
        coopMatStoreNV(outputs[(r) * OUTPUTS + (part_) * KEY_TILES + n], own, mine + n * (TILE_N / 4), SCORE_PITCH, false);     \
    subgroupBarrier();                                                                                                          \
    writeOutputs(myOwn, firstRow + (r) * TILE_M + myRow, head, (part_) * KEYS, sum);
#if HEAD / KEYS == 4
#define FINISH_PARTS(r) FINISH_PART(r, 0) FINISH_PART(r, 1) FINISH_PART(r, 2) FINISH_PART(r, 3)
#else
#define FINISH_PARTS(r) FINISH_PART(r, 0) FINISH_PART(r, 1)
#endif
#define FINISH(r)                                                                                                               \
    {                                                                                                                           \
        const float sum = acrossRowSum(total[r]);                                                                               \
        FINISH_PARTS(r)                                                                                                         \
        const uint query = firstRow + (r) * TILE_M + myRow;                                                                     \
        if ((c.flags & 16u) == 0 && query < c.queries && myPart == 0) {                                                         \
            writeNumber(c.maximum, head * c.queries + query, false, most[r] == none ? uintBitsToFloat(0xff800000u) : most[r]);  \
            writeNumber(c.sum, head * c.queries + query, false, sum);                                                           \
        }                                                                                                                       \
    }
    FINISH(0)
#if ROW_TILES > 1
    FINISH(1)
#endif
}
