// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/scratch_arena.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/tensor/tensor_memory.h"

namespace meshreel {

std::size_t ScratchArena::bytesOf(const Shape& shape, DType type) {
    return alignedSize(static_cast<std::size_t>(shape.elements()) * byteSize(type));
}

void ScratchArena::lend(Tensor memory) {
    if (m_lent.count == m_lent.tensors.size())
        throw Error(ErrorKind::Internal, "More tensors were lent to an arena than it can keep");
    m_lent.tensors[m_lent.count++] = {.memory = std::move(memory)};
}

Tensor ScratchArena::take(Shape shape, DType type) {
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    if (bytes <= m_memory.bytes() - m_used) {
        const std::size_t offset = m_used;
        m_used = std::min(m_memory.bytes(), m_used + bytesOf(shape, type));
        return m_memory.part(offset, std::move(shape), type);
    }
    for (Lent& lent : std::span(m_lent.tensors).first(m_lent.count))
        if (!lent.taken && bytes <= lent.memory.bytes() && 2 * bytes >= lent.memory.bytes()) {
            lent.taken = true;
            return lent.memory.part(0, std::move(shape), type);
        }
    return Tensor::empty(std::move(shape), type, m_memory.memory());
}

}  // namespace meshreel
