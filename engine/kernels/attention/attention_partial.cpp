// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/attention_partial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/base/error.h"

namespace meshreel {

namespace {

constexpr float noKey = -std::numeric_limits<float>::infinity();

// What values lowered by `from` are multiplied with to be lowered by `to`. With no key on either side it is 1
// and what it scales is zero (or NaN, which must stay seen).
float rescaling(ExponentBase base, float from, float to) {
    if (from == to)
        return 1.0F;
    return base == ExponentBase::Two ? std::exp2(from - to) : std::exp(from - to);
}

}  // namespace

void AttentionPartial::reset(std::int64_t queryCount, std::int64_t width, ExponentBase exponentBase) {
    queries = queryCount;
    headDim = width;
    base = exponentBase;
    output.assign(static_cast<std::size_t>(queries * headDim), 0.0F);
    maximum.assign(static_cast<std::size_t>(queries), noKey);
    sum.assign(static_cast<std::size_t>(queries), 0.0F);
}

void mergePartials(AttentionPartial& into, const AttentionPartial& part) {
    if (into.base != part.base)
        throw Error(ErrorKind::Internal, "Attention partials of different exponent bases were merged");
    for (std::int64_t row = 0; row < into.queries; ++row) {
        const auto index = static_cast<std::size_t>(row);
        const float maximum = std::max(into.maximum[index], part.maximum[index]);
        const float keepFactor = rescaling(into.base, into.maximum[index], maximum);
        const float partFactor = rescaling(into.base, part.maximum[index], maximum);
        into.maximum[index] = maximum;
        into.sum[index] = keepFactor * into.sum[index] + partFactor * part.sum[index];
        float* output = into.output.data() + row * into.headDim;
        const float* added = part.output.data() + row * part.headDim;
        for (std::int64_t i = 0; i < into.headDim; ++i)
            output[i] = keepFactor * output[i] + partFactor * added[i];
    }
}

void finalizePartial(const AttentionPartial& partial, const OutputRows& out) {
    const auto width = static_cast<std::size_t>(partial.headDim);
    for (std::int64_t row = 0; row < partial.queries; ++row) {
        const float sum = partial.sum[static_cast<std::size_t>(row)];
        const float factor = sum == 0.0F ? 0.0F : 1.0F / sum;
        out.write(row, {partial.output.data() + row * partial.headDim, width}, factor);
    }
}

void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride) {
    finalizePartial(partial, OutputRows(out, stride));
}

}  // namespace meshreel
