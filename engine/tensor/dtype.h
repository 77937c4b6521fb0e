// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/number_types.h"

namespace meshreel {

enum class DType : std::uint8_t { F64, F32, F16, BF16, I64, I32, U8, Bool };

std::size_t byteSize(DType type);

/// Returns the type in safetensors' spelling: "F64", "F32", "F16", "BF16", "I64", "I32", "U8", "BOOL".
std::string_view nameOf(DType type);

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<double> {
    static constexpr DType value = DType::F64;
};
template <>
struct DTypeOf<float> {
    static constexpr DType value = DType::F32;
};
template <>
struct DTypeOf<Half> {
    static constexpr DType value = DType::F16;
};
template <>
struct DTypeOf<BFloat16> {
    static constexpr DType value = DType::BF16;
};
template <>
struct DTypeOf<std::int64_t> {
    static constexpr DType value = DType::I64;
};
template <>
struct DTypeOf<std::int32_t> {
    static constexpr DType value = DType::I32;
};
template <>
struct DTypeOf<std::uint8_t> {
    static constexpr DType value = DType::U8;
};
template <>
struct DTypeOf<bool> {
    static constexpr DType value = DType::Bool;
};

}  // namespace meshreel
