// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Contiguous row-major array in the host's memory or in a device's. Copying a Tensor shares its memory;
/// clone() copies it. The elements of a tensor in a device's memory are out of the host's reach until host()
/// brings a copy.
class Tensor {
  public:
    /// Makes a tensor without elements: shape [0].
    Tensor();

    /// Uninitialised, aligned to 64 bytes.
    static Tensor empty(Shape shape, DType type = DType::F32);
    /// Allocates a tensor in the memory of a device; null: the host's. `memory` must outlive the work on the
    /// tensor, but the tensor may be freed later. Throws Error{Device} when the device's memory is too small.
    static Tensor empty(Shape shape, DType type, Memory* memory);
    /// Allocates a tensor on the host, for what the device of `device` exchanges with others
    /// (Memory::allocateOnHost()); null: as empty().
    static Tensor onHostOf(Memory* device, Shape shape, DType type);
    static Tensor zeros(Shape shape, DType type = DType::F32);
    static Tensor filled(const Shape& shape, float value);

    template <typename T>
    static Tensor from(const Shape& shape, const std::vector<T>& values);

    /// Looks at foreign memory, kept alive by `owner` (a memory map, another tensor).
    static Tensor view(const void* data, Shape shape, DType type, const std::shared_ptr<const void>& owner);

    /// Looks at what another device of this process has lent, in its memory. The lender keeps it alive.
    static Tensor viewIn(Memory* memory, const std::byte* address, Shape shape, DType type);

    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return m_shape[axis]; }
    [[nodiscard]] DType dtype() const { return m_type; }
    [[nodiscard]] std::int64_t elements() const { return m_shape.elements(); }
    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(elements()) * byteSize(m_type);
    }

    /// Returns the tensor's memory; null: the host's.
    [[nodiscard]] Memory* memory() const { return m_memory; }
    [[nodiscard]] bool isOnHost() const { return m_memory == nullptr; }

    /// Returns the elements; T must be the tensor's type and the tensor on the host (Error{Internal}
    /// otherwise).
    template <typename T>
    [[nodiscard]] std::span<T> data();
    template <typename T>
    [[nodiscard]] std::span<const T> data() const;

    /// Returns the bytes of a tensor on the host (Error{Internal} otherwise).
    [[nodiscard]] std::byte* raw() {
        requireHost();
        return m_data.get();
    }
    [[nodiscard]] const std::byte* raw() const {
        requireHost();
        return m_data.get();
    }

    /// Returns the bytes; no bytes for a tensor in a device's memory.
    [[nodiscard]] std::span<const std::byte> hostBytes() const {
        return m_memory == nullptr ? std::span<const std::byte>(m_data.get(), bytes())
                                   : std::span<const std::byte>();
    }

    /// Returns where the tensor begins in its memory, whichever that is: for arithmetic, and for code that
    /// knows the memory.
    [[nodiscard]] std::byte* address() { return m_data.get(); }
    [[nodiscard]] const std::byte* address() const { return m_data.get(); }

    /// Returns the same memory under another shape with the same number of elements.
    [[nodiscard]] Tensor reshaped(Shape shape) const;

    /// Returns rows [begin, end) of the outermost axis, sharing memory.
    [[nodiscard]] Tensor slice(std::int64_t begin, std::int64_t end) const;

    /// Returns what is `offset` bytes from the tensor's beginning, under another shape and type, sharing
    /// memory. Throws Error{Internal} when it reaches beyond the tensor.
    [[nodiscard]] Tensor part(std::size_t offset, Shape shape, DType type) const;

    /// Returns a copy in the same memory.
    [[nodiscard]] Tensor clone() const;

    /// Returns a tensor of the same values in `memory` (null: the host's); shares memory if it is there
    /// already.
    [[nodiscard]] Tensor in(Memory* memory) const;
    [[nodiscard]] Tensor host() const { return in(nullptr); }

    /// Replaces the values by those of a tensor of the same shape and type, in any memory. Throws
    /// Error{Internal} for another shape or type, and between two devices.
    void assign(const Tensor& from);

    /// As assign(), for a tensor in a device's memory, from the host or from another device that this one
    /// reaches: `from` must stay as it is until Memory::awaitBorrowed().
    void borrow(const Tensor& from);

    /// Converted to f32 from f64, f16, bf16 or an integer type; shares memory when already f32.
    [[nodiscard]] Tensor toF32() const;

    /// Converted to `type`, f32 or bf16 (rounded to nearest, ties to even); shares memory when it is already.
    /// Throws Error{Internal} for another type.
    [[nodiscard]] Tensor to(DType type) const;

  private:
    Tensor(std::shared_ptr<std::byte> data, Shape shape, DType type, Memory* memory = nullptr);
    void requireType(DType type) const;
    void requireHost() const {
        if (m_memory != nullptr)
            refuseHost();
    }
    [[noreturn]] static void refuseHost();

    std::shared_ptr<std::byte> m_data;
    Memory* m_memory = nullptr;
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
