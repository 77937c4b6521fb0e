// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace meshreel {

/// What the two factors of a product are rounded to before they are multiplied. Sums are always f32 (Int8:
/// exact int32, then f32).
enum class Arithmetic : std::uint8_t {
    F32,
    BF16,
    Int8,  ///< weights by output channel, activations by row, both symmetric
};

/// "f32", "bf16", "int8".
constexpr std::string_view nameOf(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::F32:
            return "f32";
        case Arithmetic::BF16:
            return "bf16";
        case Arithmetic::Int8:
            return "int8";
    }
    return {};
}

}  // namespace meshreel
