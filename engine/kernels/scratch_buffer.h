// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/scratch_stack.h"

namespace meshreel {

/// Uninitialised memory of one call that grows on request, out of its thread's ScratchStack. Aligned to 64
/// bytes, and never larger than the largest request. Must end on the thread that used it.
class ScratchBuffer {
  public:
    ScratchBuffer() = default;
    ~ScratchBuffer() { giveBack(); }
    ScratchBuffer(const ScratchBuffer&) = delete;
    ScratchBuffer& operator=(const ScratchBuffer&) = delete;

    /// Returns `count` elements; invalidates what an earlier call returned, unless that had as many.
    template <typename T>
    [[nodiscard]] T* take(std::int64_t count) {
        return reinterpret_cast<T*>(reserve(static_cast<std::size_t>(count) * sizeof(T)));
    }

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

  private:
    std::byte* reserve(std::size_t bytes) {
        if (bytes > m_bytes) {
            giveBack();
            m_memory = ScratchStack::ofThisThread().take(bytes);
            m_bytes = bytes;
        }
        return m_memory;
    }

    void giveBack() {
        if (m_memory != nullptr)
            ScratchStack::ofThisThread().give(m_memory);
        m_memory = nullptr;
        m_bytes = 0;
    }

    std::byte* m_memory = nullptr;
    std::size_t m_bytes = 0;
};

}  // namespace meshreel
