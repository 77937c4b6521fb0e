// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/number_types.h"

#include <immintrin.h>

#include <cstddef>

namespace meshreel {

// F16C is part of x86-64-v3, the floor of every build.
float toFloat(Half value) {
    return _cvtsh_ss(value.bits);
}

Half toHalf(float value) {
    // Not _cvtss_sh: in clang's headers it is a C99 compound literal.
    const __m128i halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return Half{static_cast<std::uint16_t>(_mm_extract_epi16(halves, 0))};
}

void convert(std::span<const BFloat16> from, std::span<float> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toFloat(from[i]);
}

void convert(std::span<const Half> from, std::span<float> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toFloat(from[i]);
}

void convert(std::span<const float> from, std::span<BFloat16> to) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i] = toBFloat16(from[i]);
}

}  // namespace meshreel
