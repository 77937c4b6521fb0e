// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Hands out tensors from one buffer, so that buffers which are idle at different times share memory. What
/// does not fit is allocated.
class ScratchArena {
  public:
    /// Everything will be allocated.
    ScratchArena() = default;

    /// `memory` must not be used otherwise while tensors of the arena are.
    explicit ScratchArena(Tensor memory) : m_memory(std::move(memory)) {}

    /// Uninitialised, aligned to 64 bytes; valid until the Frame it was taken in ends.
    [[nodiscard]] Tensor take(Shape shape, DType type = DType::F32);

    /// Gives back, when it ends, what was taken since it began.
    class Frame {
      public:
        explicit Frame(ScratchArena& arena) : m_arena(arena), m_used(arena.m_used) {}
        ~Frame() { m_arena.m_used = m_used; }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

      private:
        ScratchArena& m_arena;
        std::size_t m_used;
    };

  private:
    Tensor m_memory;
    std::size_t m_used = 0;
};

}  // namespace meshreel
