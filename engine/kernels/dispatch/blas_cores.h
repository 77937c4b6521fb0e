// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// The user's variable that names the core that OpenBLAS is to use.
inline constexpr const char* blasCoreVariable = "OPENBLAS_CORETYPE";

/// What the kernels of one of OpenBLAS's cores are written for, the narrowest first.
enum class BlasWidth : std::uint8_t { Sse, Avx, Avx2, Avx512, Avx512Bf16, Amx, Unknown };

/// Of the core that OpenBLAS calls by this name, in capitals or not. A name that is newer than our table is
/// Unknown: taken for the widest.
BlasWidth widthOf(std::string_view core);

/// The cores that Meshreel asks OpenBLAS for, the widest first. A product's row has the same bits in whatever
/// block it is computed with SkylakeX alone (rowsOfProductsAreIndependent()), so wider ones are not among
/// them.
std::span<const std::string_view> preferredBlasCores();

/// Why this process cannot use kernels of that width: whyAbsent() of what they need. Empty when it can.
std::string whyTooWide(BlasWidth width);

/// Whether both name one core: OpenBLAS takes names in capitals or not.
bool isSameCore(std::string_view one, std::string_view other);

}  // namespace meshreel
