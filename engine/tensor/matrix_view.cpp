// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/matrix_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {

namespace {

MatrixLayout rowsOf(const Tensor& tensor) {
    const std::int64_t width = tensor.extent(tensor.shape().rank() - 1);
    return {.rows = width == 0 ? 0 : tensor.elements() / width, .width = width, .stride = width};
}

MatrixLayout rowsOf(std::size_t elements, std::int64_t width) {
    return {.rows = static_cast<std::int64_t>(elements) / width, .width = width, .stride = width};
}

template <typename Pointer>
Pointer moved(Pointer data, DType type, std::int64_t elements) {
    if (type == DType::F32)
        return static_cast<std::conditional_t<std::is_same_v<Pointer, void*>, float*, const float*>>(data) +
               elements;
    return static_cast<std::conditional_t<std::is_same_v<Pointer, void*>, BFloat16*, const BFloat16*>>(data) +
           elements;
}

}  // namespace

MatrixView::MatrixView(const void* data, DType type, const MatrixLayout& layout, Memory* memory)
    : m_data(data), m_memory(memory), m_layout(layout), m_type(type) {
    if (type != DType::F32 && type != DType::BF16)
        throw Error(ErrorKind::Internal, fmt::format("A matrix holds f32 or bf16, not {}", nameOf(type)));
}

MatrixView::MatrixView(const Tensor& tensor)
    : MatrixView(tensor.address(), tensor.dtype(), rowsOf(tensor), tensor.memory()) {}

MatrixView::MatrixView(std::span<const float> values, std::int64_t width)
    : MatrixView(values.data(), DType::F32, rowsOf(values.size(), width)) {}

MatrixView::MatrixView(std::span<const BFloat16> values, std::int64_t width)
    : MatrixView(values.data(), DType::BF16, rowsOf(values.size(), width)) {}

void MatrixView::requireType(DType type) const {
    if (m_type != type)
        throw Error(ErrorKind::Internal,
                    fmt::format("A matrix of {} was used as {}", nameOf(m_type), nameOf(type)));
    if (m_memory != nullptr)
        throw Error(ErrorKind::Internal, "A matrix in a device's memory was used as one of the host's");
}

MatrixView MatrixView::slice(std::int64_t first, std::int64_t count) const {
    MatrixLayout layout = m_layout;
    layout.rows = count;
    return {moved(m_data, m_type, m_layout.offset(first, 0)), m_type, layout, m_memory};
}

MatrixView MatrixView::columns(std::int64_t first, std::int64_t count) const {
    MatrixLayout layout = m_layout;
    layout.width = count;
    return {moved(m_data, m_type, first), m_type, layout, m_memory};
}

std::span<const float> MatrixView::numbers() const {
    requireType(DType::F32);
    if (m_layout.stride != m_layout.width)
        throw Error(ErrorKind::Internal, "Rows that lie apart were used as if they lay side by side");
    return {static_cast<const float*>(m_data), static_cast<std::size_t>(m_layout.rows * m_layout.width)};
}

void MatrixView::readRow(std::int64_t index, std::span<float> to) const {
    if (m_type == DType::F32)
        std::ranges::copy(row<float>(index), to.begin());
    else
        convert(row<BFloat16>(index), to);
}

MatrixSpan::MatrixSpan(void* data, DType type, const MatrixLayout& layout, Memory* memory)
    : m_data(data), m_view(data, type, layout, memory) {}

MatrixSpan::MatrixSpan(Tensor& tensor) : m_data(tensor.address()), m_view(tensor) {}

MatrixSpan::MatrixSpan(std::span<float> values, std::int64_t width)
    : m_data(values.data()), m_view(values, width) {}

MatrixSpan::MatrixSpan(std::span<BFloat16> values, std::int64_t width)
    : m_data(values.data()), m_view(values, width) {}

MatrixSpan MatrixSpan::slice(std::int64_t first, std::int64_t count) const {
    return {moved(m_data, dtype(), first * stride()), m_view.slice(first, count)};
}

MatrixSpan MatrixSpan::columns(std::int64_t first, std::int64_t count) const {
    return {moved(m_data, dtype(), first), m_view.columns(first, count)};
}

void MatrixSpan::writeRow(std::int64_t index, std::span<const float> values) const {
    if (dtype() == DType::F32)
        std::ranges::copy(values, row<float>(index).begin());
    else
        convert(values, row<BFloat16>(index));
}

}  // namespace meshreel
