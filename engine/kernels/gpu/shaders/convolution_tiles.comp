#version 450
// SPDX-License-Identifier: GPL-3.0-or-later
// One output frame of a convolution over channel-last frames by a matrix unit, with bf16 factors, as a matrix product that gathers
// its factors where they lie. A group computes BLOCK_PIXELS by BLOCK_OUTS sums, each of its PIXEL_PARTS * OUT_PARTS subgroups a part
// of them. Features of one tap after the other pass through shared memory BLOCK_FEATURES at a time, in STAGES buffers; while one
// step is multiplied, the next one's words are on their way in registers. At least one of the kernel's frames is there.
#extension GL_GOOGLE_include_directive : require
#include "numbers.glsl"
#include "matrices.glsl"
#include "convolution.glsl"

// GATHERED: features and weights are f32 or bf16, of any number and begin. Otherwise they are bf16 that begin at 16 bytes, and taps
// have whole steps.
layout(local_size_x = PIXEL_PARTS * OUT_PARTS * SUBGROUP) in;
#define THREADS (PIXEL_PARTS * OUT_PARTS * SUBGROUP)
#define VECTORS (BLOCK_FEATURES / 8)  // words of a pixel and step
#define PITCH (VECTORS + 1)           // of a pixel in shared memory; odd, so that pixels share no banks
#define OUT_VECTORS (BLOCK_OUTS / 8)  // words of a feature's weights
#define OUT_PITCH (OUT_VECTORS + 1)
#define WEIGHTS (BLOCK_PIXELS * PITCH)  // where they begin
#define STAGE_WORDS (WEIGHTS + BLOCK_FEATURES * OUT_PITCH)
#define X_EACH (BLOCK_PIXELS * VECTORS / THREADS)
#define WEIGHT_WORDS (BLOCK_FEATURES * OUT_VECTORS)
#define WEIGHT_EACH ((WEIGHT_WORDS + THREADS - 1) / THREADS)
#define PART_PIXELS (BLOCK_PIXELS / PIXEL_PARTS)
#define PART_OUTS (BLOCK_OUTS / OUT_PARTS)
#define SUMS_M (PART_PIXELS / TILE_M)
#define SUMS_N (PART_OUTS / TILE_N)
#define STAGED_FOURS (PART_OUTS / 4)  // words of a row of sums in shared memory
#define STAGED_PITCH (STAGED_FOURS + 1)

shared uvec4 tiles[STAGES * STAGE_WORDS];  // the pixels, then the weights; at the end sums

// What a step multiplies.
struct Step {
    uint frame, row, column;  // of the kernel
    uint feature;             // the first one
};

void advance(inout Step at) {
    at.feature += BLOCK_FEATURES;
    if (at.feature < c.ins) return;
    at.feature = 0;
    if (++at.column < byteOf(c.kernel, 2)) return;
    at.column = 0;
    if (++at.row < byteOf(c.kernel, 1)) return;
    at.row = 0;
    ++at.frame;
    while (at.frame < 2 && c.frames[at.frame] == 0) ++at.frame;
}

#if GATHERED
// Eight numbers of a row from `column` on, zeros from `end` on.
uvec4 gathered(uint64_t row, uint column, uint end, bool isNarrow) {
    uvec4 words = uvec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint at = column + 2 * i;
        words[i] = asNarrow(at < end ? readNumber(row, at, isNarrow) : 0.0, at + 1 < end ? readNumber(row, at + 1, isNarrow) : 0.0);
    }
    return words;
}
#endif

uvec4 fetchX(uint64_t frame, ivec2 source, uint feature) {
    if (!isInside(source)) return uvec4(0);
    const uint pixel = uint(source.x) * c.width + uint(source.y);
#if GATHERED
    const bool narrowX = (c.flags & 1u) != 0;
    return gathered(rowAddress(frame, pixel, c.xStride, narrowX), feature, c.ins, narrowX);
#else
    return Words(rowAddress(frame, pixel, c.xStride, true)).at[feature / 8];
#endif
}

// Outputs behind the last one are others again: nobody looks at what becomes of them.
uvec4 fetchWeight(uint tap, uint feature, uint firstOut) {
#if GATHERED
    const bool isNarrow = (c.flags & 2u) != 0;
    if (feature >= c.ins) return uvec4(0);
    return gathered(rowAddress(c.weights, tap * c.ins + feature, c.weightStride, isNarrow), firstOut, c.outs, isNarrow);
#else
    return Words(rowAddress(c.weights, tap * c.ins + feature, c.weightStride, true)).at[min(firstOut, c.weightStride - 8) / 8];
#endif
}

void writeFour(uint64_t row, uint channel, vec4 sums) {
    const bool narrowY = (c.flags & 4u) != 0, adds = (c.flags & 16u) != 0;
    const bool together = (c.flags & 64u) != 0 && channel + 4 <= c.outs;
    if (!together) {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (channel + i < c.outs) {
                float value = sums[i];
                if (c.bias != 0) value += readNumber(c.bias, channel + i, false);
                if (adds) value += readNumber(row, channel + i, narrowY);
                writeNumber(row, channel + i, narrowY, value);
            }
        return;
    }
    if (c.bias != 0)
        [[unroll]] for (uint i = 0; i < 4; ++i) sums[i] += readNumber(c.bias, channel + i, false);
    const uint64_t place = row + uint64_t(channel * (narrowY ? 2 : 4));
    if (narrowY) {
        if (adds) {
            const uvec2 before = Pairs(place).at;
            sums += uintBitsToFloat(uvec4(before.x << 16, before.x & 0xffff0000u, before.y << 16, before.y & 0xffff0000u));
        }
        Pairs(place).at = uvec2(asNarrow(sums.x, sums.y), asNarrow(sums.z, sums.w));
        return;
    }
    if (adds) sums += uintBitsToFloat(Words(place).at[0]);
    Words(place).at[0] = floatBitsToUint(sums);
}

// The sums of TILE_M squares and PART_OUTS outputs, from shared memory.
void writeStaged(uint own, uint firstSquare, uint firstOut) {
    [[dont_unroll]] for (uint e = gl_SubgroupInvocationID; e < TILE_M * STAGED_FOURS; e += SUBGROUP) {
        const uint square = firstSquare + e / STAGED_FOURS, channel = firstOut + e % STAGED_FOURS * 4;
        const uvec2 pixel = outputOf(square);
        if (hasOutput(square, pixel) && channel < c.outs)
            writeFour(rowAddress(c.y, pixel.x * c.outWidth + pixel.y, c.yStride, (c.flags & 4u) != 0), channel,
                      uintBitsToFloat(tiles[own + e / STAGED_FOURS * STAGED_PITCH + e % STAGED_FOURS]));
    }
}

#define FETCH(at)                                                                                          \
    {                                                                                                      \
        const uint64_t frame = c.frames[(at).frame];                                                       \
        const uint tap = ((at).frame * byteOf(c.kernel, 1) + (at).row) * byteOf(c.kernel, 2) + (at).column; \
        [[unroll]] for (uint i = 0; i < X_EACH; ++i) {                                                     \
            const uint e = i * THREADS + me;                                                               \
            nextX[i] = fetchX(frame, sources[i] + ivec2((at).row, (at).column), (at).feature + e % VECTORS * 8); \
        }                                                                                                  \
        [[unroll]] for (uint i = 0; i < WEIGHT_EACH; ++i) {                                                \
            const uint e = i * THREADS + me;                                                               \
            if (WEIGHT_WORDS % THREADS == 0 || e < WEIGHT_WORDS)                                           \
                nextWeight[i] = fetchWeight(tap, (at).feature + e / OUT_VECTORS, firstOut + e % OUT_VECTORS * 8); \
        }                                                                                                  \
    }
#define KEEP(start)                                                                                        \
    [[unroll]] for (uint i = 0; i < X_EACH; ++i) {                                                         \
        const uint e = i * THREADS + me;                                                                   \
        tiles[(start) + e / VECTORS * PITCH + e % VECTORS] = asFactors(nextX[i]);                          \
    }                                                                                                      \
    [[unroll]] for (uint i = 0; i < WEIGHT_EACH; ++i) {                                                    \
        const uint e = i * THREADS + me;                                                                   \
        if (WEIGHT_WORDS % THREADS == 0 || e < WEIGHT_WORDS)                                               \
            tiles[(start) + WEIGHTS + e / OUT_VECTORS * OUT_PITCH + e % OUT_VECTORS] = asFactors(nextWeight[i]); \
    }

void main() {
    const uint firstOut = gl_WorkGroupID.x * BLOCK_OUTS, firstPixel = c.firstPixel + gl_WorkGroupID.y * BLOCK_PIXELS;
    const uint me = gl_LocalInvocationIndex, part = gl_SubgroupID;
    const uint myPixel = part / OUT_PARTS * PART_PIXELS, myOut = part % OUT_PARTS * PART_OUTS;
    ivec2 sources[X_EACH];
    [[unroll]] for (uint i = 0; i < X_EACH; ++i) sources[i] = firstSource(firstPixel + (i * THREADS + me) / VECTORS);
    Step at = Step(0, 0, 0, 0);
    uint frames = 0;
    for (uint frame = byteOf(c.kernel, 0); frame-- > 0;)
        if (c.frames[frame] != 0) {
            at.frame = frame;
            ++frames;
        }
    const uint steps = frames * byteOf(c.kernel, 1) * byteOf(c.kernel, 2) * ((c.ins + BLOCK_FEATURES - 1) / BLOCK_FEATURES);
    SumMatrix sums[SUMS_M * SUMS_N];
    [[unroll]] for (uint i = 0; i < SUMS_M * SUMS_N; ++i) sums[i] = SumMatrix(0.0);
    uvec4 nextX[X_EACH], nextWeight[WEIGHT_EACH];
    FETCH(at)
#if STAGES == 2
    uint start = 0;
    KEEP(0)
    barrier();
#else
    const uint start = 0;
#endif
    [[dont_unroll]] for (uint step_ = 1; step_ <= steps; ++step_) {
#if STAGES == 1
        barrier();
        KEEP(0)
        barrier();
#endif
        if (step_ < steps) advance(at);  // behind the last step it is fetched once more, for nobody
        FETCH(at)
        [[unroll]] for (uint k = 0; k < BLOCK_FEATURES; k += TILE_K) {
            LeftMatrix left[SUMS_M];
            [[unroll]] for (uint m = 0; m < SUMS_M; ++m)
                coopMatLoadNV(left[m], tiles, start + (myPixel + m * TILE_M) * PITCH + k / 8, PITCH, false);
            [[unroll]] for (uint n = 0; n < SUMS_N; ++n) {
                RightMatrix right;
                coopMatLoadNV(right, tiles, start + WEIGHTS + k * OUT_PITCH + (myOut + n * TILE_N) / 8, OUT_PITCH, false);
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
    // See linear_tiles.comp: sums are indexed beside nothing else.
    const uint own = part * TILE_M * STAGED_PITCH;
#define FINISH(m)                                                                                                          \
    subgroupBarrier();                                                                                                     \
    [[unroll]] for (uint n = 0; n < SUMS_N; ++n)                                                                           \
        coopMatStoreNV(sums[(m) * SUMS_N + n], tiles, own + n * (TILE_N / 4), STAGED_PITCH, false);                        \
    subgroupBarrier();                                                                                                     \
    writeStaged(own, firstPixel + myPixel + (m) * TILE_M, firstOut + myOut);
    FINISH(0)
#if SUMS_M > 1
    FINISH(1)
#endif
#if SUMS_M > 2
    FINISH(2)
    FINISH(3)
#endif
}
