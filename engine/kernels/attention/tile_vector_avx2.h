// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <limits>

#include "engine/base/number_types.h"
#include "engine/kernels/attention/vector_avx2.h"
#include "engine/kernels/tiles/word_transpose.h"

namespace meshreel {

/// The other register operations of tile attention. A CPU limited to AVX2 has no tiles: this serves tests on
/// such machines, and readers.
struct TileVectorAvx2 : VectorAvx2, WordTranspose {
    static float largestLane(Value value) {
        float result = -std::numeric_limits<float>::infinity();
        for (const float lane : Lanes(value).values)
            result = result > lane ? result : lane;
        return result;
    }

    static float sumOfLanes(Value value) {
        float result = 0.0F;
        for (const float lane : Lanes(value).values)
            result += lane;
        return result;
    }

    /// x less the integer at or below it; 0 for infinities.
    static Value fraction(Value x) {
        const Value infinity = broadcast(std::numeric_limits<float>::infinity());
        const Value magnitude = _mm256_andnot_ps(broadcast(-0.0F), x);
        return _mm256_blendv_ps(subtract(x, _mm256_floor_ps(x)), zero(),
                                _mm256_cmp_ps(magnitude, infinity, _CMP_EQ_OQ));
    }

    /// value·2^⌊x⌋, 0 below the normal numbers; x below 128.
    static Value timesPowerOfFloor(Value value, Value x) {
        const Value floor = _mm256_floor_ps(x);
        const Value smallest = broadcast(-126.0F);
        return unlessLess(floor, smallest, multiply(value, powerOfTwo(larger(smallest, floor))), zero());
    }

    /// Stores `low`, then `high` as bf16, and gives `sum` and their rounded values added up.
    static Value storeRounded(std::uint16_t* to, Value low, Value high, Value sum) {
        return add(sum, add(rounded(to, low), rounded(to + lanes, high)));
    }

    /// Pairs of an element of `even` and one of `odd`, the first 16 in `low`, the others in `high`.
    static void interleave(const std::uint16_t* even, const std::uint16_t* odd, std::uint16_t* low,
                           std::uint16_t* high) {
        for (std::int64_t i = 0; i < tileStep; ++i) {
            std::uint16_t* to = (i < tileRows ? low : high) + i % tileRows * 2;
            to[0] = even[i];
            to[1] = odd[i];
        }
    }

  private:
    struct Lanes {
        explicit Lanes(Value value) { store(values.data(), value); }
        std::array<float, lanes> values{};
    };

    static Value rounded(std::uint16_t* to, Value value) {
        Lanes all(value);
        for (float& lane : all.values) {
            const BFloat16 narrow = toBFloat16(lane);
            *to++ = narrow.bits;
            lane = toFloat(narrow);
        }
        return load(all.values.data());
    }
};

}  // namespace meshreel
