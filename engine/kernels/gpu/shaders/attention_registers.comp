#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// As attention_tiles.comp, for devices that keep a matrix of 16 by 16 in registers as NVIDIA's do: scores become weights where they
// are, and nothing of them passes through shared memory. Vulkan does not say where a matrix lies; the check at first use refuses
// this shader where it is not so:
//   of sums and of left factors, element e of invocation i is in row i / 4 + e / 4 * 8, column i % 4 * 2 + e % 2 + e / 2 % 2 * 8.
// Matrices are named or indexed by constants in the text: where a loop indexes them, drivers that do not unroll it keep them in slow
// memory.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#include "attention.glsl"
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = SUBGROUPS * SUBGROUP) in;
#define THREADS (SUBGROUPS * SUBGROUP)
#define VECTORS (HEAD / 8)   // words of a key
#define PITCH (VECTORS + 1)  // odd, so that rows share no banks
#define OWN_ROWS (ROW_TILES * 16)
#define EACH (KEYS * VECTORS / THREADS)
#define STEPS (HEAD / 16)
#define STAGE (2 * KEYS * PITCH)  // words of keys and values
#define PART 32                   // columns of a head that pass through a subgroup's own memory at once: queries, then outputs
#define QUERY_PITCH (PART / 8 + 1)
#define SUM_PITCH (PART / 4 + 1)
#define OWN (16 * SUM_PITCH)

shared uvec4 tiles[max(STAGES * STAGE, SUBGROUPS * OWN)];

#if HEAD != 128
#error "The text below has the eight steps of heads of 128."
#endif
#define EACH_STEP(f, a, b) f(0, a, b) f(1, a, b) f(2, a, b) f(3, a, b) f(4, a, b) f(5, a, b) f(6, a, b) f(7, a, b)
#define EACH_PART(f, r) f(r, 0) f(r, 1) f(r, 2) f(r, 3)
#if ROW_TILES == 2
#define EACH_ROW(f) f(0) f(1)
#else
#define EACH_ROW(f) f(0)
#endif

// Of my two rows.
vec2 highestOf(SumMatrix s) {
    return vec2(max(max(s[0], s[1]), max(s[2], s[3])), max(max(s[4], s[5]), max(s[6], s[7])));
}

SumMatrix heldScores(SumMatrix s, uint key) {
    const float lastKey = c.lastKey / c.scale;  // scores are not scaled yet
    s[0] = heldScore(s[0], key, lastKey);
    s[1] = heldScore(s[1], key + 1, lastKey);
    s[2] = heldScore(s[2], key + 8, lastKey);
    s[3] = heldScore(s[3], key + 9, lastKey);
    s[4] = heldScore(s[4], key, lastKey);
    s[5] = heldScore(s[5], key + 1, lastKey);
    s[6] = heldScore(s[6], key + 8, lastKey);
    s[7] = heldScore(s[7], key + 9, lastKey);
    return s;
}

vec4 weighed(vec4 scores, float most, bool isHeld) {
    const vec4 weights = exp2(fma(scores, vec4(c.scale), vec4(-most)));
    return isHeld ? mix(weights, vec4(0.0), equal(scores, vec4(none))) : weights;
}

LeftMatrix weightsOf(SumMatrix s, vec2 most, bool isHeld, inout vec2 total) {
    const vec4 low = weighed(vec4(s[0], s[1], s[2], s[3]), most.x, isHeld);
    const vec4 high = weighed(vec4(s[4], s[5], s[6], s[7]), most.y, isHeld);
    total += vec2(low.x + low.y + low.z + low.w, high.x + high.y + high.z + high.w);
    LeftMatrix weights;
    weights[0] = float16_t(low.x);
    weights[1] = float16_t(low.y);
    weights[2] = float16_t(low.z);
    weights[3] = float16_t(low.w);
    weights[4] = float16_t(high.x);
    weights[5] = float16_t(high.y);
    weights[6] = float16_t(high.z);
    weights[7] = float16_t(high.w);
    return weights;
}

// A number for each of my two rows.
SumMatrix rowsOf(vec2 numbers) {
    SumMatrix rows;
    rows[0] = numbers.x;
    rows[1] = numbers.x;
    rows[2] = numbers.x;
    rows[3] = numbers.x;
    rows[4] = numbers.y;
    rows[5] = numbers.y;
    rows[6] = numbers.y;
    rows[7] = numbers.y;
    return rows;
}

// Four invocations share a row.
vec2 acrossRowsMax(vec2 value) {
    value = max(value, subgroupShuffleXor(value, 1));
    return max(value, subgroupShuffleXor(value, 2));
}

vec2 acrossRowsSum(vec2 value) {
    value += subgroupShuffleXor(value, 1);
    return value + subgroupShuffleXor(value, 2);
}

void main() {
    const uint me = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    const uint head = c.firstHead + gl_WorkGroupID.y;
    const uint firstRow = c.firstQuery + (gl_WorkGroupID.x * SUBGROUPS + gl_SubgroupID) * OWN_ROWS;  // of this subgroup
    const uint mine = gl_SubgroupID * OWN;
    const uint64_t column = uint64_t(head * c.headDim * 2);
    const uint64_t keyHead = c.k + column, valueHead = c.v + column;

    LeftMatrix queries[ROW_TILES * STEPS];
#define LOAD_PART(r, p)                                                                                                         \
    subgroupBarrier();                                                                                                          \
    for (uint e = lane; e < 16 * PART / 8; e += SUBGROUP)                                                                       \
        tiles[mine + e / (PART / 8) * QUERY_PITCH + e % (PART / 8)] = asFactors(                                                \
            fetch(c.q + column, c.qStride, firstRow + (r) * 16 + e / (PART / 8), c.queries - 1, (p) * (PART / 8) + e % (PART / 8))); \
    subgroupBarrier();                                                                                                          \
    coopMatLoadNV(queries[(r) * STEPS + (p) * 2], tiles, mine, QUERY_PITCH, false);                                             \
    coopMatLoadNV(queries[(r) * STEPS + (p) * 2 + 1], tiles, mine + 2, QUERY_PITCH, false);
#define LOAD(r) EACH_PART(LOAD_PART, r)
    EACH_ROW(LOAD)

    SumMatrix outputs[ROW_TILES * STEPS];
    vec2 most[ROW_TILES], total[ROW_TILES];  // of my two rows in each tile; the totals of my part of the keys
#define NO_OUTPUT(t, r, unused) outputs[(r) * STEPS + (t)] = SumMatrix(0.0);
#define BEGIN(r)                    \
    most[r] = vec2(none);           \
    total[r] = vec2(0.0);           \
    EACH_STEP(NO_OUTPUT, r, unused)
    EACH_ROW(BEGIN)

    uvec4 nextKeys[EACH], nextValues[EACH];
#define FETCH(first)                                                                                                            \
    [[unroll]] for (uint i = 0; i < EACH; ++i) {                                                                                \
        const uint e = i * THREADS + me, key = (first) + e / VECTORS;                                                           \
        nextKeys[i] = fetch(keyHead, c.kStride, key, c.keys - 1, e % VECTORS);                                                  \
        nextValues[i] = fetch(valueHead, c.vStride, key, c.keys - 1, e % VECTORS);                                              \
    }
#define KEEP(start)                                                                                                             \
    [[unroll]] for (uint i = 0; i < EACH; ++i) {                                                                                \
        const uint e = i * THREADS + me, place = (start) + e / VECTORS * PITCH + e % VECTORS;                                   \
        tiles[place] = asFactors(nextKeys[i]);                                                                                  \
        tiles[place + KEYS * PITCH] = asFactors(nextValues[i]);                                                                 \
    }
// Scores of the 16 keys from n * 16 of the stage on, and what their values give.
#if ROW_TILES == 2
#define SCORE(s, scores, n)                                                                                                     \
    {                                                                                                                           \
        RightMatrix key;                                                                                                        \
        coopMatLoadNV(key, tiles, start + (n) * 16 * PITCH + (s) * 2, PITCH, true);                                             \
        scores[0] = coopMatMulAddNV(queries[s], key, scores[0]);                                                                \
        scores[1] = coopMatMulAddNV(queries[STEPS + (s)], key, scores[1]);                                                      \
    }
#define SCORES(scores, n) scores[0] = SumMatrix(0.0); scores[1] = SumMatrix(0.0); EACH_STEP(SCORE, scores, n)
#define OUTPUT(t, weights, n)                                                                                                   \
    {                                                                                                                           \
        RightMatrix value;                                                                                                      \
        coopMatLoadNV(value, tiles, start + (KEYS + (n) * 16) * PITCH + (t) * 2, PITCH, false);                                 \
        outputs[t] = coopMatMulAddNV(weights[0], value, outputs[t]);                                                            \
        outputs[STEPS + (t)] = coopMatMulAddNV(weights[1], value, outputs[STEPS + (t)]);                                        \
    }
#else
#define SCORE(s, scores, n)                                                                                                     \
    {                                                                                                                           \
        RightMatrix key;                                                                                                        \
        coopMatLoadNV(key, tiles, start + (n) * 16 * PITCH + (s) * 2, PITCH, true);                                             \
        scores[0] = coopMatMulAddNV(queries[s], key, scores[0]);                                                                \
    }
#define SCORES(scores, n) scores[0] = SumMatrix(0.0); EACH_STEP(SCORE, scores, n)
#define OUTPUT(t, weights, n)                                                                                                   \
    {                                                                                                                           \
        RightMatrix value;                                                                                                      \
        coopMatLoadNV(value, tiles, start + (KEYS + (n) * 16) * PITCH + (t) * 2, PITCH, false);                                 \
        outputs[t] = coopMatMulAddNV(weights[0], value, outputs[t]);                                                            \
    }
#endif
// A row's outputs are divided when its maximum rises: division is what all forms of matrices have.
#define DIVIDE(t, r, divisors) outputs[(r) * STEPS + (t)] = outputs[(r) * STEPS + (t)] / divisors;
#define RISE(r)                                                                                                                 \
    {                                                                                                                           \
        const vec2 high = acrossRowsMax(highest[r]), before = most[r];                                                          \
        most[r] = mix(before, high, greaterThan(high, max(before, hidden) + slack));                                            \
        const vec2 divisor = exp2(min(most[r] - before, vec2(100.0)));                                                          \
        total[r] /= divisor;                                                                                                    \
        const SumMatrix divisors = rowsOf(divisor);                                                                             \
        EACH_STEP(DIVIDE, r, divisors)                                                                                          \
    }
#define HOLD(r) scores[r] = heldScores(scores[r], key0 + n * 16 + lane % 4 * 2);
#define COMPARE(r)                                                                                                              \
    highest[r] = highestOf(scores[r]) * c.scale;                                                                                \
    rises = rises || any(greaterThan(highest[r], max(most[r], hidden) + slack));
#define WEIGH(r) weights[r] = weightsOf(scores[r], most[r], isHeld, total[r]);
#define GO_ON(r) scores[r] = later[r];
    const vec2 hidden = vec2(none * c.scale / 2.0);  // above the scaled score of a hidden key, below all others
    FETCH(0)
    barrier();
#if STAGES == 2
    uint start = 0;
    KEEP(0)
    barrier();
#else
    const uint start = 0;
#endif
    [[dont_unroll]] for (uint key0 = 0; key0 < c.keys; key0 += KEYS) {
#if STAGES == 1
        barrier();
        KEEP(0)
        barrier();
#endif
        FETCH(key0 + KEYS)
        const bool isHeld = (c.flags & 8u) != 0 || key0 + KEYS >= c.keys;
        SumMatrix scores[ROW_TILES];
        SCORES(scores, 0)
        [[unroll]] for (uint n = 0; n < KEYS / 16; ++n) {
            if (isHeld) { EACH_ROW(HOLD) }
            vec2 highest[ROW_TILES];
            bool rises = false;
            EACH_ROW(COMPARE)
            if (subgroupAny(rises)) { EACH_ROW(RISE) }
            // The next scores are multiplied while these become weights.
            SumMatrix later[ROW_TILES];
            if (n + 1 < KEYS / 16) { SCORES(later, n + 1) }
            LeftMatrix weights[ROW_TILES];
            EACH_ROW(WEIGH)
            EACH_STEP(OUTPUT, weights, n)
            if (n + 1 < KEYS / 16) { EACH_ROW(GO_ON) }
        }
#if STAGES == 2
        start = STAGE - start;
        KEEP(start)
        barrier();
#endif
    }
    barrier();

#define FINISH_PART(r, p)                                                                                                       \
    subgroupBarrier();                                                                                                          \
    coopMatStoreNV(outputs[(r) * STEPS + (p) * 2], tiles, mine, SUM_PITCH, false);                                              \
    coopMatStoreNV(outputs[(r) * STEPS + (p) * 2 + 1], tiles, mine + 4, SUM_PITCH, false);                                      \
    subgroupBarrier();                                                                                                          \
    [[dont_unroll]] for (uint e = lane; e < 16 * PART / 4; e += SUBGROUP)                                                       \
        writeFour(firstRow + (r) * 16 + e / (PART / 4), head, (p) * PART + e % (PART / 4) * 4,                                  \
                  uintBitsToFloat(tiles[mine + e / (PART / 4) * SUM_PITCH + e % (PART / 4)]));
#define FINISH(r)                                                                                                               \
    {                                                                                                                           \
        const vec2 sum = acrossRowsSum(total[r]);                                                                               \
        if (finishesRows()) {                                                                                                   \
            const SumMatrix divisors = rowsOf(mix(vec2(1.0), sum, greaterThan(sum, vec2(0.0))));                                \
            EACH_STEP(DIVIDE, r, divisors)                                                                                      \
        }                                                                                                                       \
        EACH_PART(FINISH_PART, r)                                                                                               \
        if (lane % 4 == 0) {                                                                                                    \
            writeStatistics(firstRow + (r) * 16 + lane / 4, head, most[r].x, sum.x);                                            \
            writeStatistics(firstRow + (r) * 16 + lane / 4 + 8, head, most[r].y, sum.y);                                        \
        }                                                                                                                       \
    }
    EACH_ROW(FINISH)
}
