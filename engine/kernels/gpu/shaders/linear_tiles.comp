#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = [y +] gate * activation(x * transposed(weight) + bias) of bf16 or int8 rows by a matrix unit. A group computes BLOCK_ROWS by
// BLOCK_OUTS sums, each of its ROW_PARTS * OUT_PARTS subgroups a part of them. Factors pass through shared memory BLOCK_INPUTS at
// a time, in STAGES buffers; while one step is multiplied, the next one's words are on their way in registers.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#include "linear_epilogue.glsl"

// GATHERED: rows begin anywhere and end within a step, and the weight may be f32. Otherwise rows begin at words of factors and
// have whole steps.
layout(local_size_x = ROW_PARTS * OUT_PARTS * SUBGROUP) in;
#define THREADS (ROW_PARTS * OUT_PARTS * SUBGROUP)
#define VECTORS (BLOCK_INPUTS / WORD_FACTORS)  // words of a row and step
#define PITCH (VECTORS + 1)                    // of a row in shared memory; odd, so that rows share no banks
#define STAGE_WORDS ((BLOCK_ROWS + BLOCK_OUTS) * PITCH)
#define X_EACH (BLOCK_ROWS * VECTORS / THREADS)
#define WEIGHT_EACH (BLOCK_OUTS * VECTORS / THREADS)
#define PART_ROWS (BLOCK_ROWS / ROW_PARTS)
#define PART_OUTS (BLOCK_OUTS / OUT_PARTS)
#define SUMS_M (PART_ROWS / TILE_M)
#define SUMS_N (PART_OUTS / TILE_N)
#define STAGED_FOURS (PART_OUTS / 4)            // of a row of sums in shared memory
#define FOUR_WORDS (16 / WORD_BYTES)            // of four sums
#define STAGED_PITCH ((STAGED_FOURS + 1) * FOUR_WORDS)
#define STAGED_WORDS (ROW_PARTS * OUT_PARTS * TILE_M * STAGED_PITCH)
#define ROWS_AT_ONCE (SUBGROUP / STAGED_FOURS)  // of sums that a subgroup writes: each invocation keeps to its four outputs
#define ROWS_EACH (TILE_M / ROWS_AT_ONCE)
const uint panel = 8;  // blocks of rows that are computed together, as they read the same weights

shared FactorWord tiles[max(STAGES * STAGE_WORDS, STAGED_WORDS)];  // x's rows, then the weight's; at the end sums

#if GATHERED
// Eight numbers of a row from `column` on, zeros beyond the last one.
uvec4 gathered(uint64_t row, uint column, bool isNarrow) {
    uvec4 words = uvec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint at = column + 2 * i;
        words[i] = asNarrow(at < c.ins ? readNumber(row, at, isNarrow) : 0.0, at + 1 < c.ins ? readNumber(row, at + 1, isNarrow) : 0.0);
    }
    return words;
}
#endif

// Of a row of factors.
uint64_t factorAddress(uint64_t start, uint row, uint stride) {
    return start + uint64_t(row) * uint64_t(stride) * uint64_t(FACTOR_BYTES);
}

// Rows behind the last one are the last one again: nobody looks at what becomes of them.
FactorWord fetchX(uint firstRow, uint row, uint column) {
    const uint within = min(row, c.rows - 1 - firstRow);
    const uint64_t start = factorAddress(c.x, firstRow, c.xStride);
#if GATHERED
    return gathered(factorAddress(start, within, c.xStride), column, true);
#else
    return FactorWords(start).at[within * (c.xStride / WORD_FACTORS) + min(column, c.ins - WORD_FACTORS) / WORD_FACTORS];
#endif
}

FactorWord fetchWeight(uint firstOut, uint row, uint column) {
    const uint within = min(row, c.outs - 1 - firstOut);
#if GATHERED
    const bool isNarrow = (c.flags & 2u) != 0;
    return gathered(rowAddress(c.weight, firstOut + within, c.weightStride, isNarrow), column, isNarrow);
#else
    const uint64_t start = factorAddress(c.weight, firstOut, c.weightStride);
    return FactorWords(start).at[within * (c.weightStride / WORD_FACTORS) + min(column, c.ins - WORD_FACTORS) / WORD_FACTORS];
#endif
}

// What four outputs have to themselves.
struct FourOutputs {
    vec4 bias, gate;
#ifdef INT8_FACTORS
    vec4 scales;
#endif
};

// Of an f32 vector of all outputs, from a multiple of four on. Outputs behind the last one are not written.
vec4 readFour(uint64_t vector, uint column) {
    if ((c.flags & 64u) != 0 && column + 4 <= c.outs)
        return uintBitsToFloat(Words(vector).at[column / 4]);
    vec4 four;
    [[unroll]] for (uint i = 0; i < 4; ++i) four[i] = Floats(vector).at[min(column + i, c.outs - 1)];
    return four;
}

FourOutputs outputsFrom(uint column) {
    FourOutputs outputs;
    outputs.bias = vec4(0.0);
    outputs.gate = vec4(1.0);
    if ((c.flags & 8u) != 0) outputs.bias = readFour(c.bias, column);
    if ((c.flags & 16u) != 0) outputs.gate = readFour(c.gate, column);
#ifdef INT8_FACTORS
    outputs.scales = readFour(c.outScales, column);
#endif
    return outputs;
}

// Four sums of a row, from shared memory.
vec4 stagedSums(uint place, uint row, FourOutputs outputs) {
#ifdef INT8_FACTORS
#if WORD_BYTES == 16
    const ivec4 sums = ivec4(tiles[place]);
#else
    const ivec4 sums = ivec4(uvec4(tiles[place], tiles[place + 1]));
#endif
    return vec4(sums) * (outputs.scales * Floats(c.rowScales).at[min(row, c.rows - 1)]);
#else
    return uintBitsToFloat(tiles[place]);
#endif
}

vec4 fourBefore(uint64_t place, bool isNarrow) {
    if (!isNarrow)
        return uintBitsToFloat(Words(place).at[0]);
    const uvec2 pairs = Pairs(place).at;
    return uintBitsToFloat(uvec4(pairs.x << 16, pairs.x & 0xffff0000u, pairs.y << 16, pairs.y & 0xffff0000u));
}

// My rows of TILE_M rows of sums, from shared memory; what they are added to is read at once, before the first one is written.
void writeStaged(uint own, uint firstRow, uint column, FourOutputs outputs) {
    const uint lane = gl_SubgroupInvocationID, myRow = lane / STAGED_FOURS;
    const bool isNarrow = (c.flags & 4u) != 0;
    own += myRow * STAGED_PITCH + lane % STAGED_FOURS * FOUR_WORDS;
    firstRow += myRow;
    if ((c.flags & 64u) == 0 || column + 4 > c.outs) {
        [[dont_unroll]] for (uint row = 0; row < TILE_M; row += ROWS_AT_ONCE) {
            const vec4 sums = stagedSums(own + row * STAGED_PITCH, firstRow + row, outputs) + outputs.bias;
            const vec4 finished = activated(sums) * outputs.gate;
            [[unroll]] for (uint i = 0; i < 4; ++i)
                if (firstRow + row < c.rows && column + i < c.outs) writeFinished(firstRow + row, column + i, finished[i]);
        }
        return;
    }
    vec4 values[ROWS_EACH];
    [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i) {
        const uint row = i * ROWS_AT_ONCE;
        values[i] = stagedSums(own + row * STAGED_PITCH, firstRow + row, outputs) + outputs.bias;
    }
    if (c.activation != 0)
        [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i) values[i] = activated(values[i]);
    [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i) values[i] *= outputs.gate;
    uint64_t places[ROWS_EACH];
    [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i)
        places[i] = rowAddress(c.y, min(firstRow + i * ROWS_AT_ONCE, c.rows - 1), c.yStride, isNarrow) +
                    uint64_t(column * (isNarrow ? 2 : 4));
    if ((c.flags & 32u) != 0)
        [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i) values[i] += fourBefore(places[i], isNarrow);
    [[unroll]] for (uint i = 0; i < ROWS_EACH; ++i) {
        if (firstRow + i * ROWS_AT_ONCE >= c.rows)
            continue;
        if (isNarrow)
            Pairs(places[i]).at = uvec2(asNarrow(values[i].x, values[i].y), asNarrow(values[i].z, values[i].w));
        else
            Words(places[i]).at[0] = floatBitsToUint(values[i]);
    }
}

#define FETCH(first)                                                                                       \
    [[unroll]] for (uint i = 0; i < X_EACH; ++i) {                                                         \
        const uint e = i * THREADS + me;                                                                   \
        nextX[i] = fetchX(firstRow, e / VECTORS, (first) + e % VECTORS * WORD_FACTORS);                     \
    }                                                                                                      \
    [[unroll]] for (uint i = 0; i < WEIGHT_EACH; ++i) {                                                    \
        const uint e = i * THREADS + me;                                                                   \
        nextWeight[i] = fetchWeight(firstOut, e / VECTORS, (first) + e % VECTORS * WORD_FACTORS);           \
    }
#define KEEP(start)                                                                                        \
    [[unroll]] for (uint i = 0; i < X_EACH; ++i) {                                                         \
        const uint e = i * THREADS + me;                                                                   \
        tiles[(start) + e / VECTORS * PITCH + e % VECTORS] = asFactors(nextX[i]);                          \
    }                                                                                                      \
    [[unroll]] for (uint i = 0; i < WEIGHT_EACH; ++i) {                                                    \
        const uint e = i * THREADS + me;                                                                   \
        tiles[(start) + (BLOCK_ROWS + e / VECTORS) * PITCH + e % VECTORS] = asFactors(nextWeight[i]);      \
    }

void main() {
    // Groups go through a panel of rows together, output by output.
    const uint order = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, ofPanel = panel * gl_NumWorkGroups.x;
    const uint firstPanelRow = order / ofPanel * panel, panelRows = min(panel, gl_NumWorkGroups.y - firstPanelRow);
    const uint firstRow = (firstPanelRow + order % ofPanel % panelRows) * BLOCK_ROWS;
    const uint firstOut = order % ofPanel / panelRows * BLOCK_OUTS;
    const uint me = gl_LocalInvocationIndex, part = gl_SubgroupID;
    const uint myRow = part / OUT_PARTS * PART_ROWS, myOut = part % OUT_PARTS * PART_OUTS;
    SumMatrix sums[SUMS_M * SUMS_N];
    [[unroll]] for (uint i = 0; i < SUMS_M * SUMS_N; ++i) sums[i] = noSums;
    FactorWord nextX[X_EACH], nextWeight[WEIGHT_EACH];
    FETCH(0)
#if STAGES == 2
    uint start = 0;
    KEEP(0)
    barrier();
#else
    const uint start = 0;
#endif
    [[dont_unroll]] for (uint first = 0; first < c.ins; first += BLOCK_INPUTS) {
#if STAGES == 1
        barrier();
        KEEP(0)
        barrier();
#endif
        FETCH(first + BLOCK_INPUTS)
        [[unroll]] for (uint k = 0; k < BLOCK_INPUTS; k += TILE_K) {
            LeftMatrix left[SUMS_M];
            [[unroll]] for (uint m = 0; m < SUMS_M; ++m)
                coopMatLoadNV(left[m], tiles, start + (myRow + m * TILE_M) * PITCH + k / WORD_FACTORS, PITCH, false);
            [[unroll]] for (uint n = 0; n < SUMS_N; ++n) {
                RightMatrix right;
                coopMatLoadNV(right, tiles, start + (BLOCK_ROWS + myOut + n * TILE_N) * PITCH + k / WORD_FACTORS, PITCH, true);
                [[unroll]] for (uint m = 0; m < SUMS_M; ++m)
                    sums[m * SUMS_N + n] = coopMatMulAddNV(left[m], right, sums[m * SUMS_N + n]);
            }
        }
#if STAGES == 2
        start = STAGE_WORDS - start;
        KEEP(start)
        barrier();
#endif
    }
    barrier();
    // A row of tiles at a time. Sums are never indexed beside other work than of matrices: a loop that the driver does not unroll
    // would keep them all in slow memory, through the loop over the inputs too.
    const uint own = part * TILE_M * STAGED_PITCH, myColumn = firstOut + myOut + gl_SubgroupInvocationID % STAGED_FOURS * 4;
    const FourOutputs outputs = outputsFrom(myColumn);
#define STAGE(m)                                                                                                           \
    [[unroll]] for (uint n = 0; n < SUMS_N; ++n)                                                                           \
        coopMatStoreNV(sums[(m) * SUMS_N + n], tiles, own + n * (TILE_N / 4) * FOUR_WORDS, STAGED_PITCH, false);
    [[dont_unroll]] for (uint m = 0; m < SUMS_M; ++m) {
        subgroupBarrier();
        if (m == 0) { STAGE(0) }
#if SUMS_M > 1
        else if (m == 1) { STAGE(1) }
#endif
#if SUMS_M > 2
        else if (m == 2) { STAGE(2) }
        else { STAGE(3) }
#endif
        subgroupBarrier();
        writeStaged(own, firstRow + myRow + m * TILE_M, myColumn, outputs);
    }
}
