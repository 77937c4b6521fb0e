// SPDX-License-Identifier: GPL-3.0-or-later
// y = [y +] gate * activation(x * transposed(weight) + bias) of int8 rows without a matrix unit. The shader that includes this says
// in how many `parts` it takes a word of four signed bytes, what partOf() it multiplies at a time, and productOf() two parts. A group
// computes 64 rows by 64 outputs, an invocation 8 by 8 of them; factors pass through shared memory 64 inputs at a time, which rows have
// a multiple of.

layout(local_size_x = 64) in;
const uint tile = 64, inputs = 64, words = inputs / 4, each = 8;

// Sixteen factors.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sixteens { uvec4 at[]; };

shared uint xTile[words * tile];       // [four inputs][row]
shared uint weightTile[words * tile];  // [four inputs][output]

void main() {
    const uint firstOut = gl_WorkGroupID.x * tile, firstRow = gl_WorkGroupID.y * tile;
    const uint me = gl_LocalInvocationIndex, myRow = me / 8, myOut = me % 8;
    // Each invocation fetches one row of x and one of the weight. Those behind the last one are the last one again.
    const uint64_t xRow = c.x + uint64_t(min(firstRow + me, c.rows - 1)) * uint64_t(c.xStride);
    const uint64_t weightRow = c.weight + uint64_t(min(firstOut + me, c.outs - 1)) * uint64_t(c.weightStride);
    // All rows of an invocation may lie behind the last one: it fetches for the others and multiplies nothing.
    const bool multiplies = firstRow + myRow * each < c.rows;
    int sums[each * each];
    for (uint i = 0; i < each * each; ++i) sums[i] = 0;
    for (uint first = 0; first < c.ins; first += inputs) {
        barrier();
        [[unroll]] for (uint k = 0; k < words / 4; ++k) {
            const uvec4 x = Sixteens(xRow).at[first / 16 + k], weight = Sixteens(weightRow).at[first / 16 + k];
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                xTile[(4 * k + i) * tile + me] = x[i];
                weightTile[(4 * k + i) * tile + me] = weight[i];
            }
        }
        barrier();
        if (multiplies) for (uint k = 0; k < words * parts; ++k) {
            const uint word = k / parts * tile, part = k % parts;
            int a[each], b[each];
            [[unroll]] for (uint i = 0; i < each; ++i) a[i] = partOf(xTile[word + myRow * each + i], part);
            [[unroll]] for (uint i = 0; i < each; ++i) b[i] = partOf(weightTile[word + i * 8 + myOut], part);
            [[unroll]] for (uint i = 0; i < each; ++i)
                [[unroll]] for (uint j = 0; j < each; ++j) sums[i * each + j] += productOf(a[i], b[j]);
        }
    }
    // Sums pass through shared memory, each invocation's own, so that a loop finishes them: drivers would compile 64 copies.
    barrier();
    [[unroll]] for (uint i = 0; i < each; ++i) {
        [[unroll]] for (uint j = 0; j < each; ++j) xTile[j * tile + me] = uint(sums[i * each + j]);
        const uint row = firstRow + myRow * each + i;
        for (uint j = 0; j < each; ++j) {
            const uint column = firstOut + j * 8 + myOut;
            if (row < c.rows && column < c.outs) writeOutput(row, column, scaled(int(xTile[j * tile + me]), row, column));
        }
    }
}
