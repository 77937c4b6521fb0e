// SPDX-License-Identifier: GPL-3.0-or-later
// The sum or the maximum of one value of each invocation of a group of rowThreads, in an order that no subgroup size changes.
const uint rowThreads = 128;
shared float rowParts[rowThreads];

float rowSum(float value) {
    barrier();  // the result before has been read
    rowParts[gl_LocalInvocationIndex] = value;
    barrier();
    for (uint half_ = rowThreads / 2; half_ > 0; half_ /= 2) {
        if (gl_LocalInvocationIndex < half_)
            rowParts[gl_LocalInvocationIndex] += rowParts[gl_LocalInvocationIndex + half_];
        barrier();
    }
    return rowParts[0];
}

float rowMaximum(float value) {
    barrier();
    rowParts[gl_LocalInvocationIndex] = value;
    barrier();
    for (uint half_ = rowThreads / 2; half_ > 0; half_ /= 2) {
        if (gl_LocalInvocationIndex < half_)
            rowParts[gl_LocalInvocationIndex] =
                max(rowParts[gl_LocalInvocationIndex], rowParts[gl_LocalInvocationIndex + half_]);
        barrier();
    }
    return rowParts[0];
}
