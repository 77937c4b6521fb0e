// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Hands out tensors from one buffer, and from those lent to it, so that buffers which are idle at different
/// times share memory. What does not fit is allocated in the same memory.
class ScratchArena {
    struct Lent {
        Tensor memory = {};
        bool taken = false;
    };

    /// The first `count` of `tensors`. A list of its own memory would be an allocation in every attention.
    struct LentTensors {
        std::array<Lent, 3> tensors = {};
        std::size_t count = 0;
    };

  public:
    /// Everything will be allocated.
    ScratchArena() = default;

    /// `memory` must not be used otherwise while tensors of the arena are.
    explicit ScratchArena(Tensor memory) : m_memory(std::move(memory)) {}

    /// More memory, until the Frame that this happens in ends; as that of the constructor. It goes whole to
    /// one tensor that needs at least half of it. Throws Error{Internal} when three tensors are lent already.
    void lend(Tensor memory);

    /// Returns what a tensor takes of the memory, alignment included.
    [[nodiscard]] static std::size_t bytesOf(const Shape& shape, DType type = DType::F32);

    /// Uninitialised, aligned to 64 bytes; valid until the Frame it was taken in ends.
    [[nodiscard]] Tensor take(Shape shape, DType type = DType::F32);

    /// Gives back, when it ends, what was taken and lent since it began.
    class Frame {
      public:
        explicit Frame(ScratchArena& arena) : m_arena(arena), m_used(arena.m_used), m_lent(arena.m_lent) {}
        ~Frame() {
            m_arena.m_used = m_used;
            m_arena.m_lent = std::move(m_lent);
        }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

      private:
        ScratchArena& m_arena;
        std::size_t m_used;
        LentTensors m_lent;
    };

  private:
    Tensor m_memory;
    std::size_t m_used = 0;
    LentTensors m_lent;
};

}  // namespace meshreel
