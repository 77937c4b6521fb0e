// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace meshreel {

/// Uninitialised memory of one worker that grows on request and is kept. Aligned to 64 bytes, and never
/// larger than the largest request.
class ScratchBuffer {
  public:
    /// Returns `count` elements; invalidates what an earlier call returned.
    template <typename T>
    [[nodiscard]] T* take(std::int64_t count) {
        return reinterpret_cast<T*>(reserve(static_cast<std::size_t>(count) * sizeof(T)));
    }

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

  private:
    static constexpr std::align_val_t alignment{64};
    struct Release {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };

    std::byte* reserve(std::size_t bytes) {
        if (bytes > m_bytes) {
            m_memory.reset();
            m_bytes = 0;
            m_memory.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
            m_bytes = bytes;
        }
        return m_memory.get();
    }

    std::unique_ptr<std::byte, Release> m_memory;
    std::size_t m_bytes = 0;
};

}  // namespace meshreel
