// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of attention on matrix units share: their constants, what they read, and where the result goes.

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

// Eight numbers of a head; rows behind the last one are the last one again, columns behind the head are zeros.
uvec4 fetch(uint64_t head, uint stride, uint row, uint lastRow, uint vector) {
    if (vector * 8 >= c.headDim)
        return uvec4(0);
    return Words(head).at[min(row, lastRow) * (stride / 8) + vector];
}

// A key that a mask or the end hides has no score; `lastKey` more has the last one, which may stand for several. A mark is read in
// any case, of q where there are none: some drivers read before they ask.
float heldScore(float score, uint key, float lastKey) {
    const bool hasMarks = (c.flags & 8u) != 0;
    const uint mark = Marks(hasMarks ? c.keep : c.q).at[hasMarks ? min(key, c.keys - 1) : 0];
    if (key >= c.keys || (hasMarks && mark == 0))
        return none;
    return key + 1 == c.keys ? score + lastKey : score;
}

bool finishesRows() {
    return (c.flags & 16u) != 0;
}

// Four outputs of a query from column `at` of the head on: of a row, or of a partial, which is f32.
void writeFour(uint query, uint head, uint at, vec4 four) {
    if (query >= c.queries || at >= c.headDim)
        return;
    const bool isNarrow = (c.flags & 32u) != 0;
    const uint64_t target = finishesRows() ? rowAddress(c.output_, query, c.yStride, isNarrow)
                                           : rowAddress(c.output_, head * c.queries + query, c.headDim, false);
    const uint offset = finishesRows() ? head * c.headDim + at : at;
    [[unroll]] for (uint i = 0; i < 4; ++i) writeNumber(target, offset + i, isNarrow, four[i]);
}

// Of a query in a partial.
void writeStatistics(uint query, uint head, float most, float sum) {
    if (finishesRows() || query >= c.queries)
        return;
    writeNumber(c.maximum, head * c.queries + query, false, most == none ? uintBitsToFloat(0xff800000u) : most);
    writeNumber(c.sum, head * c.queries + query, false, sum);
}
