// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Contiguous row-major array. Copying a Tensor shares its memory; clone() copies it.
class Tensor {
  public:
    /// No elements: shape [0].
    Tensor();

    /// Uninitialised, aligned to 64 bytes.
    static Tensor empty(Shape shape, DType type = DType::F32);
    static Tensor zeros(Shape shape, DType type = DType::F32);
    static Tensor filled(const Shape& shape, float value);

    template <typename T>
    static Tensor from(const Shape& shape, const std::vector<T>& values);

    /// Looks at foreign memory, kept alive by `owner` (a memory map, another tensor).
    static Tensor view(const void* data, Shape shape, DType type, const std::shared_ptr<const void>& owner);

    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return m_shape[axis]; }
    [[nodiscard]] DType dtype() const { return m_type; }
    [[nodiscard]] std::int64_t elements() const { return m_shape.elements(); }
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(elements()) * sizeOf(m_type); }

    /// The elements; T must be the tensor's type (Error{Internal} otherwise).
    template <typename T>
    [[nodiscard]] std::span<T> data();
    template <typename T>
    [[nodiscard]] std::span<const T> data() const;

    [[nodiscard]] std::byte* raw() { return m_data.get(); }
    [[nodiscard]] const std::byte* raw() const { return m_data.get(); }

    /// The same memory under another shape of as many elements.
    [[nodiscard]] Tensor reshaped(Shape shape) const;

    /// Rows [begin, end) of the outermost axis, sharing memory.
    [[nodiscard]] Tensor slice(std::int64_t begin, std::int64_t end) const;

    [[nodiscard]] Tensor clone() const;

    /// Converted to f32 from f64, f16, bf16 or an integer type; shares memory when already f32.
    [[nodiscard]] Tensor toF32() const;

    /// Converted to `type`, f32 or bf16 (rounded to nearest, ties to even); shares memory when it is already.
    /// Throws Error{Internal} for another type.
    [[nodiscard]] Tensor to(DType type) const;

  private:
    Tensor(std::shared_ptr<std::byte> data, Shape shape, DType type);
    void requireType(DType type) const;

    std::shared_ptr<std::byte> m_data;
    Shape m_shape;
    DType m_type = DType::F32;
};

template <typename T>
std::span<T> Tensor::data() {
    requireType(DTypeOf<T>::value);
    return {reinterpret_cast<T*>(m_data.get()), static_cast<std::size_t>(elements())};
}

template <typename T>
std::span<const T> Tensor::data() const {
    requireType(DTypeOf<T>::value);
    return {reinterpret_cast<const T*>(m_data.get()), static_cast<std::size_t>(elements())};
}

template <typename T>
Tensor Tensor::from(const Shape& shape, const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    return view(bytes, shape, DTypeOf<T>::value, nullptr).clone();
}

}  // namespace meshreel
