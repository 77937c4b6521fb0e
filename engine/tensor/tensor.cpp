// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/tensor/tensor_memory.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {

Tensor::Tensor() : Tensor(nullptr, Shape{0}, DType::F32) {}

Tensor::Tensor(std::shared_ptr<std::byte> data, Shape shape, DType type, Memory* memory)
    : m_data(std::move(data)), m_memory(memory), m_shape(std::move(shape)), m_type(type) {}

Tensor Tensor::empty(Shape shape, DType type) {
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    return {allocateMetered(bytes), std::move(shape), type};
}

Tensor Tensor::empty(Shape shape, DType type, Memory* memory) {
    if (memory == nullptr)
        return empty(std::move(shape), type);
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    return {memory->allocate(bytes), std::move(shape), type, memory};
}

Tensor Tensor::onHostOf(Memory* device, Shape shape, DType type) {
    if (device == nullptr)
        return empty(std::move(shape), type);
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    return {device->allocateOnHost(bytes), std::move(shape), type};
}

Tensor Tensor::zeros(Shape shape, DType type) {
    Tensor result = empty(std::move(shape), type);
    std::memset(result.raw(), 0, result.bytes());
    return result;
}

Tensor Tensor::filled(const Shape& shape, float value) {
    Tensor result = empty(shape);
    std::ranges::fill(result.data<float>(), value);
    return result;
}

Tensor Tensor::view(const void* data, Shape shape, DType type, const std::shared_ptr<const void>& owner) {
    // Views are handed out as const by their makers; the one mutable path is an owner's own memory.
    auto* bytes = static_cast<std::byte*>(const_cast<void*>(data));
    auto shared = std::const_pointer_cast<void>(owner);
    return {std::shared_ptr<std::byte>(std::move(shared), bytes), std::move(shape), type};
}

Tensor Tensor::viewIn(Memory* memory, const std::byte* address, Shape shape, DType type) {
    Tensor there = view(address, std::move(shape), type, nullptr);
    there.m_memory = memory;
    return there;
}

void Tensor::requireType(DType type) const {
    if (type != m_type)
        throw Error(ErrorKind::Internal, "a tensor of type " + std::string(nameOf(m_type)) + " was read as " +
                                             std::string(nameOf(type)));
    requireHost();
}

void Tensor::refuseHost() {
    throw Error(ErrorKind::Internal, "a tensor in a device's memory was read as one of the host's");
}

Tensor Tensor::reshaped(Shape shape) const {
    if (shape.elements() != elements())
        throw Error(ErrorKind::Internal,
                    "a tensor of shape " + m_shape.text() + " cannot become " + shape.text());
    return {m_data, std::move(shape), m_type, m_memory};
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end) const {
    if (m_shape.rank() == 0 || begin < 0 || end < begin || end > m_shape[0])
        throw Error(ErrorKind::Internal, "a slice lies outside a tensor of shape " + m_shape.text());
    const std::int64_t rowElements = m_shape[0] == 0 ? 0 : elements() / m_shape[0];
    const std::size_t offset = static_cast<std::size_t>(begin * rowElements) * byteSize(m_type);
    return {std::shared_ptr<std::byte>(m_data, m_data.get() + offset), m_shape.with(0, end - begin), m_type,
            m_memory};
}

Tensor Tensor::part(std::size_t offset, Shape shape, DType type) const {
    const std::size_t size = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    if (offset > bytes() || size > bytes() - offset)
        throw Error(ErrorKind::Internal, "a part lies outside a tensor of shape " + m_shape.text());
    return {std::shared_ptr<std::byte>(m_data, m_data.get() + offset), std::move(shape), type, m_memory};
}

Tensor Tensor::clone() const {
    Tensor copy = empty(m_shape, m_type, m_memory);
    copy.assign(*this);
    return copy;
}

Tensor Tensor::in(Memory* memory) const {
    if (memory == m_memory)
        return *this;
    Tensor copy = empty(m_shape, m_type, memory);
    copy.assign(*this);
    return copy;
}

void Tensor::assign(const Tensor& from) {
    if (from.m_shape != m_shape || from.m_type != m_type)
        throw Error(ErrorKind::Internal, "a tensor of shape " + m_shape.text() +
                                             " cannot take the values of one of shape " +
                                             from.m_shape.text());
    if (bytes() == 0 || m_data == from.m_data)
        return;
    if (isOnHost() && from.isOnHost())
        std::memcpy(m_data.get(), from.m_data.get(), bytes());
    else if (from.isOnHost())
        m_memory->copyIn(m_data.get(), {from.m_data.get(), bytes()});
    else if (isOnHost())
        from.m_memory->copyOut({m_data.get(), bytes()}, from.m_data.get());
    else if (m_memory == from.m_memory)
        m_memory->copyWithin(m_data.get(), from.m_data.get(), bytes());
    else
        throw Error(ErrorKind::Internal, "a tensor cannot be copied from one device to another");
}

void Tensor::borrow(const Tensor& from) {
    if (from.m_shape != m_shape || from.m_type != m_type || m_memory == nullptr || m_memory == from.m_memory)
        throw Error(ErrorKind::Internal, "a tensor of shape " + m_shape.text() +
                                             " cannot borrow the values of one of shape " +
                                             from.m_shape.text());
    if (bytes() > 0)
        m_memory->copyBorrowed(m_data.get(), from.m_memory, from.m_data.get(), bytes());
}

Tensor Tensor::to(DType type) const {
    if (m_type == type)
        return *this;
    if (type == DType::F32)
        return toF32();
    if (type != DType::BF16)
        throw Error(ErrorKind::Internal, "Tensors are converted to f32 and bf16 only");
    const Tensor single = toF32();
    Tensor result = empty(m_shape, DType::BF16);
    convert(single.data<float>(), result.data<BFloat16>());
    return result;
}

Tensor Tensor::toF32() const {
    if (m_type == DType::F32)
        return *this;
    Tensor result = empty(m_shape, DType::F32);
    copyAsF32(*this, result.data<float>());
    return result;
}

}  // namespace meshreel
