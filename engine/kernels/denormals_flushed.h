// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immintrin.h>

namespace meshreel {

/// While it exists, results of this thread that are too small for a normal f32 or f64 become zero, as they do
/// in tiles: a CPU takes a hundred times longer for them, and weights below 2^-126 have no visible effect.
class DenormalsFlushed {
  public:
    DenormalsFlushed() : m_before(_mm_getcsr()) { _mm_setcsr(m_before | flushToZero); }
    ~DenormalsFlushed() { _mm_setcsr(m_before); }
    DenormalsFlushed(const DenormalsFlushed&) = delete;
    DenormalsFlushed& operator=(const DenormalsFlushed&) = delete;

  private:
    static constexpr unsigned flushToZero = 0x8000;
    unsigned m_before;
};

}  // namespace meshreel
