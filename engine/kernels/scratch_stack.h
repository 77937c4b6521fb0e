// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace meshreel {

class WorkerPool;

/// One thread's memory for what its calls work in, kept from call to call. Pieces lie one behind the other in
/// one block, which becomes as large as the most that was held at a time: calls that follow each other share
/// it, so that it is no larger than if each freed its own.
class ScratchStack {
  public:
    static constexpr std::size_t alignment = 64;

    /// Returns that of the calling thread, which frees it when it ends.
    static ScratchStack& ofThisThread();

    ScratchStack() = default;
    ScratchStack(const ScratchStack&) = delete;
    ScratchStack& operator=(const ScratchStack&) = delete;

    /// Uninitialised, aligned, until give(). Throws std::bad_alloc.
    [[nodiscard]] std::byte* take(std::size_t bytes);

    /// Takes back, in any order, what take() gave. Memory is reused once what was taken later is back too.
    void give(const std::byte* memory) noexcept;

    /// Returns the bytes that are kept, taken or not.
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

    /// Frees what is kept, unless something is taken.
    void release() noexcept;

  private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
    };
    using Memory = std::unique_ptr<std::byte, Free>;

    struct Piece {
        std::size_t end = 0;            // in the block, had it room
        const std::byte* at = nullptr;  // null once it is back
        Memory own = {};                // where the block has no room
    };

    static Memory allocate(std::size_t bytes);
    void replace(std::size_t bytes);

    Memory m_block;
    std::size_t m_bytes = 0;  // of the block
    std::size_t m_most = 0;   // ends of pieces so far
    std::vector<Piece> m_pieces;
};

/// Frees what the threads of a team keep, the caller's included: at the end of a stage, since the next one
/// may need less of it and more of other memory.
void freeScratch(WorkerPool& workers);

/// Gives containers the memory of the calling thread; they must end on the thread that made them.
template <typename T>
struct ScratchAllocator {
    static_assert(alignof(T) <= ScratchStack::alignment);
    using value_type = T;

    ScratchAllocator() = default;
    template <typename Other>
    // NOLINTNEXTLINE(google-explicit-constructor): containers convert their allocators.
    ScratchAllocator(const ScratchAllocator<Other>& /*other*/) {}

    T* allocate(std::size_t count) {
        return reinterpret_cast<T*>(ScratchStack::ofThisThread().take(count * sizeof(T)));
    }
    void deallocate(T* place, std::size_t /*count*/) noexcept {
        ScratchStack::ofThisThread().give(reinterpret_cast<const std::byte*>(place));
    }

    template <typename Other>
    bool operator==(const ScratchAllocator<Other>& /*other*/) const {
        return true;
    }
};

/// A list that one call works in.
template <typename T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace meshreel
