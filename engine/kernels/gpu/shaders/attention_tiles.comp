#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax attention of one head over all keys by a matrix unit: scores in base 2, sums and softmax in f32, the result not
// normalised, as AttentionPartial has it, or finished into rows. Each of SUBGROUPS subgroups has ROW_TILES tiles of queries; all of
// them share KEYS keys and values at a time, while the next ones are on their way in registers. A head has up to HEAD numbers.
// A subgroup writes its scores to shared memory, where each of its invocations turns a part of one row into weights.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#include "attention.glsl"
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

shared uvec4 keyTile[KEYS * PITCH];
shared uvec4 valueTile[KEYS * PITCH];
shared uvec4 own[SUBGROUPS * OWN_ROWS * SCORE_PITCH];  // queries, scores, weights, outputs
#if QUERIES_SHARED
shared uvec4 queryTile[SUBGROUPS * OWN_ROWS * PITCH];
#endif

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

// Loops over matrices hold nothing else, and each tile of queries is a copy of the text: a loop that the driver does not unroll
// would keep the matrices in slow memory. What invocations do with a row stands in functions.
vec4 part[FOURS];  // of the scores of my row: those of myPart

// Reads my part of the scores; the highest of the row.
float readScores(uint row, uint key, bool isHeld) {
    vec4 highest = vec4(none);
    [[unroll]] for (uint i = 0; i < FOURS; ++i) {
        vec4 four = uintBitsToFloat(own[row + i]) * c.scale;
        if (isHeld)
            four = vec4(heldScore(four.x, key + 4 * i, c.lastKey), heldScore(four.y, key + 4 * i + 1, c.lastKey),
                        heldScore(four.z, key + 4 * i + 2, c.lastKey), heldScore(four.w, key + 4 * i + 3, c.lastKey));
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
    const float factor = !finishesRows() ? 1.0 : sum > 0.0 ? 1.0 / sum : 0.0;
    [[dont_unroll]] for (uint i = gl_SubgroupInvocationID % LANES; i < KEYS / 4; i += LANES)
        writeFour(query, head, first + i * 4, uintBitsToFloat(own[row + i]) * factor);
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
        if (myPart == 0) writeStatistics(firstRow + (r) * TILE_M + myRow, head, most[r], sum);                                  \
    }
    FINISH(0)
#if ROW_TILES > 1
    FINISH(1)
#endif
}
