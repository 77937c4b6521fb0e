// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/number_types.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The layout of rows of numbers in memory: `rows` of `width` elements, each row `stride` elements after the
/// one before.
struct MatrixLayout {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t stride = 0;

    [[nodiscard]] std::int64_t offset(std::int64_t row, std::int64_t column) const {
        return row * stride + column;
    }
};

/// Memory of any owner read as a matrix of f32 or bf16: the host's, or that of a device.
class MatrixView {
  public:
    MatrixView() = default;

    /// Throws Error{Internal} when `type` is neither f32 nor bf16. `memory` is that of the data; null: the
    /// host's.
    MatrixView(const void* data, DType type, const MatrixLayout& layout, Memory* memory = nullptr);

    /// The rows of a tensor [..., width], side by side. Throws as above() does.
    explicit MatrixView(const Tensor& tensor);

    /// Rows of `width` elements, side by side.
    MatrixView(std::span<const float> values, std::int64_t width);
    MatrixView(std::span<const BFloat16> values, std::int64_t width);

    [[nodiscard]] DType dtype() const { return m_type; }
    [[nodiscard]] std::int64_t rows() const { return m_layout.rows; }
    [[nodiscard]] std::int64_t width() const { return m_layout.width; }
    [[nodiscard]] std::int64_t stride() const { return m_layout.stride; }
    /// Returns the first element, in whatever memory it is.
    [[nodiscard]] const void* data() const { return m_data; }
    /// Returns the matrix's memory; null: the host's.
    [[nodiscard]] Memory* memory() const { return m_memory; }
    [[nodiscard]] bool isOnHost() const { return m_memory == nullptr; }

    /// Returns rows [first, first + count).
    [[nodiscard]] MatrixView slice(std::int64_t first, std::int64_t count) const;

    /// Columns [first, first + count) of every row.
    [[nodiscard]] MatrixView columns(std::int64_t first, std::int64_t count) const;

    /// Returns row `index` of a matrix of T. Throws Error{Internal} when it holds another type or is in a
    /// device's memory.
    template <typename T>
    [[nodiscard]] std::span<const T> row(std::int64_t index) const {
        requireType(DTypeOf<T>::value);
        return {static_cast<const T*>(m_data) + m_layout.offset(index, 0),
                static_cast<std::size_t>(m_layout.width)};
    }

    /// Returns all numbers of an f32 matrix with contiguous rows. Throws Error{Internal} for another one, as
    /// row() does.
    [[nodiscard]] std::span<const float> numbers() const;

    /// Row `index` as f32, whatever the type; `to` has `width` elements.
    void readRow(std::int64_t index, std::span<float> to) const;

  private:
    void requireType(DType type) const;

    const void* m_data = nullptr;
    Memory* m_memory = nullptr;
    MatrixLayout m_layout;
    DType m_type = DType::F32;
};

/// Memory of any owner written as a matrix of f32 or bf16.
class MatrixSpan {
  public:
    MatrixSpan() = default;
    MatrixSpan(void* data, DType type, const MatrixLayout& layout, Memory* memory = nullptr);
    explicit MatrixSpan(Tensor& tensor);
    MatrixSpan(std::span<float> values, std::int64_t width);
    MatrixSpan(std::span<BFloat16> values, std::int64_t width);

    /// Returns a read-only view of the same memory.
    operator MatrixView() const { return m_view; }  // NOLINT(google-explicit-constructor): as span

    [[nodiscard]] DType dtype() const { return m_view.dtype(); }
    [[nodiscard]] std::int64_t rows() const { return m_view.rows(); }
    [[nodiscard]] std::int64_t width() const { return m_view.width(); }
    [[nodiscard]] std::int64_t stride() const { return m_view.stride(); }
    [[nodiscard]] void* data() const { return m_data; }
    [[nodiscard]] Memory* memory() const { return m_view.memory(); }
    [[nodiscard]] bool isOnHost() const { return m_view.isOnHost(); }

    [[nodiscard]] MatrixSpan slice(std::int64_t first, std::int64_t count) const;
    [[nodiscard]] MatrixSpan columns(std::int64_t first, std::int64_t count) const;

    template <typename T>
    [[nodiscard]] std::span<T> row(std::int64_t index) const {
        const std::span<const T> read = m_view.row<T>(index);
        return {static_cast<T*>(m_data) + (read.data() - static_cast<const T*>(m_view.data())), read.size()};
    }

    /// Returns the numbers, as MatrixView::numbers() does.
    [[nodiscard]] std::span<float> numbers() const {
        return {static_cast<float*>(m_data), m_view.numbers().size()};
    }

    /// Rounds `values` to the matrix's type into row `index`.
    void writeRow(std::int64_t index, std::span<const float> values) const;

  private:
    MatrixSpan(void* data, const MatrixView& view) : m_data(data), m_view(view) {}

    void* m_data = nullptr;
    MatrixView m_view;
};

}  // namespace meshreel
