#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// y = [y +] gate * activation(x * transposed(weight) + bias) of bf16 or int8 rows by a matrix unit. A group computes BLOCK_ROWS by
// BLOCK_OUTS sums, each of its ROW_PARTS * OUT_PARTS subgroups a part of them. Factors pass through shared memory BLOCK_INPUTS at
// a time, in STAGES buffers; while one step is multiplied, the next one's words are on their way in registers.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#include "linear_epilogue.glsl"

// GATHERED: rows begin anywhere and end within a step, and the weight may be f32. Otherwise rows begin at words of eight factors and
// have whole steps.
layout(local_size_x = ROW_PARTS * OUT_PARTS * SUBGROUP) in;
#define THREADS (ROW_PARTS * OUT_PARTS * SUBGROUP)
#define VECTORS (BLOCK_INPUTS / 8)  // words of a row and step
#define PITCH (VECTORS + 1)         // of a row in shared memory; odd, so that rows share no banks
#define STAGE_WORDS ((BLOCK_ROWS + BLOCK_OUTS) * PITCH)
#define X_EACH (BLOCK_ROWS * VECTORS / THREADS)
#define WEIGHT_EACH (BLOCK_OUTS * VECTORS / THREADS)
#define PART_ROWS (BLOCK_ROWS / ROW_PARTS)
#define PART_OUTS (BLOCK_OUTS / OUT_PARTS)
#define SUMS_M (PART_ROWS / TILE_M)
#define SUMS_N (PART_OUTS / TILE_N)
#define STAGED_FOURS (PART_OUTS / 4)  // of a row of sums in shared memory
#define FOUR_WORDS (2 / FACTOR_BYTES)  // of four sums, 16 bytes
#define STAGED_PITCH ((STAGED_FOURS + 1) * FOUR_WORDS)
const uint panel = 8;  // blocks of rows that are computed together, as they read the same weights

shared Eight tiles[STAGES * STAGE_WORDS];  // x's rows, then the weight's; at the end sums

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
Eight fetchX(uint firstRow, uint row, uint column) {
    const uint within = min(row, c.rows - 1 - firstRow);
    const uint64_t start = factorAddress(c.x, firstRow, c.xStride);
#if GATHERED
    return gathered(factorAddress(start, within, c.xStride), column, true);
#else
    return Eights(start).at[within * (c.xStride / 8) + min(column, c.ins - 8) / 8];
#endif
}

Eight fetchWeight(uint firstOut, uint row, uint column) {
    const uint within = min(row, c.outs - 1 - firstOut);
#if GATHERED
    const bool isNarrow = (c.flags & 2u) != 0;
    return gathered(rowAddress(c.weight, firstOut + within, c.weightStride, isNarrow), column, isNarrow);
#else
    const uint64_t start = factorAddress(c.weight, firstOut, c.weightStride);
    return Eights(start).at[within * (c.weightStride / 8) + min(column, c.ins - 8) / 8];
#endif
}

void writeFour(uint row, uint column, vec4 sums) {
    if ((c.flags & 64u) == 0 || column + 4 > c.outs) {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (column + i < c.outs) writeOutput(row, column + i, sums[i]);
        return;
    }
    vec4 values;
    [[unroll]] for (uint i = 0; i < 4; ++i) values[i] = finished(sums[i], column + i);
    const bool narrowY = (c.flags & 4u) != 0;
    const uint64_t place = rowAddress(c.y, row, c.yStride, narrowY) + uint64_t(column * (narrowY ? 2 : 4));
    if (narrowY) {
        if ((c.flags & 32u) != 0) {
            const uvec2 before = Pairs(place).at;
            values += vec4(uintBitsToFloat(before.x << 16), uintBitsToFloat(before.x & 0xffff0000u), uintBitsToFloat(before.y << 16),
                           uintBitsToFloat(before.y & 0xffff0000u));
        }
        Pairs(place).at = uvec2(asNarrow(values.x, values.y), asNarrow(values.z, values.w));
        return;
    }
    if ((c.flags & 32u) != 0) values += uintBitsToFloat(Words(place).at[0]);
    Words(place).at[0] = floatBitsToUint(values);
}

// Four sums of a row, from shared memory.
vec4 stagedSums(uint place, uint row, uint column) {
#ifdef INT8_FACTORS
    const ivec4 sums = ivec4(uvec4(tiles[place], tiles[place + 1]));
    vec4 products;
    [[unroll]] for (uint i = 0; i < 4; ++i) products[i] = scaled(sums[i], row, min(column + i, c.outs - 1));
    return products;
#else
    return uintBitsToFloat(tiles[place]);
#endif
}

// The sums of TILE_M rows and PART_OUTS outputs, from shared memory.
void writeStaged(uint own, uint firstRow, uint firstOut) {
    [[dont_unroll]] for (uint e = gl_SubgroupInvocationID; e < TILE_M * STAGED_FOURS; e += SUBGROUP) {
        const uint row = firstRow + e / STAGED_FOURS, column = firstOut + e % STAGED_FOURS * 4;
        if (row < c.rows && column < c.outs)
            writeFour(row, column, stagedSums(own + e / STAGED_FOURS * STAGED_PITCH + e % STAGED_FOURS * FOUR_WORDS, row, column));
    }
}

#define FETCH(first)                                                                                       \
    [[unroll]] for (uint i = 0; i < X_EACH; ++i) {                                                         \
        const uint e = i * THREADS + me;                                                                   \
        nextX[i] = fetchX(firstRow, e / VECTORS, (first) + e % VECTORS * 8);                               \
    }                                                                                                      \
    [[unroll]] for (uint i = 0; i < WEIGHT_EACH; ++i) {                                                    \
        const uint e = i * THREADS + me;                                                                   \
        nextWeight[i] = fetchWeight(firstOut, e / VECTORS, (first) + e % VECTORS * 8);                     \
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
    Eight nextX[X_EACH], nextWeight[WEIGHT_EACH];
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
                coopMatLoadNV(left[m], tiles, start + (myRow + m * TILE_M) * PITCH + k / 8, PITCH, false);
            [[unroll]] for (uint n = 0; n < SUMS_N; ++n) {
                RightMatrix right;
                coopMatLoadNV(right, tiles, start + (BLOCK_ROWS + myOut + n * TILE_N) * PITCH + k / 8, PITCH, true);
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
    const uint own = part * TILE_M * STAGED_PITCH;
#define FINISH(m)                                                                                                          \
    subgroupBarrier();                                                                                                     \
    [[unroll]] for (uint n = 0; n < SUMS_N; ++n)                                                                           \
        coopMatStoreNV(sums[(m) * SUMS_N + n], tiles, own + n * (TILE_N / 4) * FOUR_WORDS, STAGED_PITCH, false);           \
    subgroupBarrier();                                                                                                     \
    writeStaged(own, firstRow + myRow + (m) * TILE_M, firstOut + myOut);
    FINISH(0)
#if SUMS_M > 1
    FINISH(1)
#endif
#if SUMS_M > 2
    FINISH(2)
    FINISH(3)
#endif
}
