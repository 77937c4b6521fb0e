// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/head_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/error.h"

namespace meshreel {
namespace {

void requireRowType(DType type) {
    if (type != DType::F32 && type != DType::BF16)
        throw Error(ErrorKind::Internal, fmt::format("Attention rows are f32 or bf16, not {}", nameOf(type)));
}

// What values lowered by `from` are multiplied with to be lowered by `to`. With no key on either side it is 1
// and what it scales is zero (or NaN, which must stay seen).
float rescaling(ExponentBase base, float from, float to) {
    if (from == to)
        return 1.0F;
    return base == ExponentBase::Two ? std::exp2(from - to) : std::exp(from - to);
}

}  // namespace

HeadRows::HeadRows(const void* data, DType type, std::int64_t stride)
    : m_data(data), m_stride(stride), m_type(type) {
    requireRowType(type);
}

HeadRows HeadRows::from(std::int64_t index) const {
    const auto offset = index * m_stride * static_cast<std::int64_t>(byteSize(m_type));
    return {static_cast<const std::byte*>(m_data) + offset, m_type, m_stride};
}

FloatRows HeadRows::floats() const {
    if (m_type != DType::F32)
        throw Error(ErrorKind::Internal, "bf16 attention rows were used as f32 without a conversion");
    return {static_cast<const float*>(m_data), m_stride};
}

Rows<BFloat16> HeadRows::narrow() const {
    if (m_type != DType::BF16)
        throw Error(ErrorKind::Internal, "f32 attention rows were used as bf16 without a conversion");
    return {static_cast<const BFloat16*>(m_data), m_stride};
}

void HeadRows::read(std::int64_t index, std::span<float> to) const {
    if (m_type == DType::F32)
        std::copy_n(static_cast<const float*>(m_data) + index * m_stride, to.size(), to.data());
    else
        convert({static_cast<const BFloat16*>(m_data) + index * m_stride, to.size()}, to);
}

OutputRows::OutputRows(void* data, DType type, std::int64_t stride)
    : m_data(data), m_stride(stride), m_type(type) {
    requireRowType(type);
}

void OutputRows::write(std::int64_t index, std::span<const float> values, float factor) const {
    if (m_type == DType::F32)
        std::transform(values.begin(), values.end(), static_cast<float*>(m_data) + index * m_stride,
                       [factor](float value) { return value * factor; });
    else
        std::transform(values.begin(), values.end(), static_cast<BFloat16*>(m_data) + index * m_stride,
                       [factor](float value) { return toBFloat16(value * factor); });
}

void AttentionPartial::reset(std::int64_t queryCount, std::int64_t width, ExponentBase exponentBase) {
    queries = queryCount;
    headDim = width;
    base = exponentBase;
    output.assign(static_cast<std::size_t>(queries * headDim), 0.0F);
    maximum.assign(static_cast<std::size_t>(queries), noKey);
    sum.assign(static_cast<std::size_t>(queries), 0.0F);
}

void mergePartials(AttentionPartial& into, const AttentionPartial& part, std::int64_t first) {
    if (into.base != part.base)
        throw Error(ErrorKind::Internal, "Attention partials of different exponent bases were merged");
    for (std::int64_t row = 0; row < part.queries; ++row) {
        const auto index = static_cast<std::size_t>(first + row);
        const auto ofPart = static_cast<std::size_t>(row);
        const float maximum = std::max(into.maximum[index], part.maximum[ofPart]);
        const float keepFactor = rescaling(into.base, into.maximum[index], maximum);
        const float partFactor = rescaling(into.base, part.maximum[ofPart], maximum);
        into.maximum[index] = maximum;
        into.sum[index] = keepFactor * into.sum[index] + partFactor * part.sum[ofPart];
        float* output = into.output.data() + (first + row) * into.headDim;
        const float* added = part.output.data() + row * part.headDim;
        for (std::int64_t i = 0; i < into.headDim; ++i)
            output[i] = keepFactor * output[i] + partFactor * added[i];
    }
}

void finalizePartial(const AttentionPartial& partial, const OutputRows& out, const std::int32_t* places) {
    const auto width = static_cast<std::size_t>(partial.headDim);
    for (std::int64_t row = 0; row < partial.queries; ++row) {
        const float sum = partial.sum[static_cast<std::size_t>(row)];
        const float factor = sum == 0.0F ? 0.0F : 1.0F / sum;
        out.write(places == nullptr ? row : places[row],
                  {partial.output.data() + row * partial.headDim, width}, factor);
    }
}

void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride) {
    finalizePartial(partial, OutputRows(out, stride));
}

}  // namespace meshreel
