// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/head_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {

namespace {

void requireRowType(DType type) {
    if (type != DType::F32 && type != DType::BF16)
        throw Error(ErrorKind::Internal, fmt::format("Attention rows are f32 or bf16, not {}", nameOf(type)));
}

}  // namespace

HeadRows::HeadRows(const void* data, DType type, std::int64_t stride)
    : m_data(data), m_stride(stride), m_type(type) {
    requireRowType(type);
}

HeadRows HeadRows::from(std::int64_t index) const {
    const auto offset = index * m_stride * static_cast<std::int64_t>(sizeOf(m_type));
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

}  // namespace meshreel
