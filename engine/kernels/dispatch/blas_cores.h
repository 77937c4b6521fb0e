// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// The user's variable that names the core that OpenBLAS is to use.
inline constexpr const char* blasCoreVariable = "OPENBLAS_CORETYPE";

/// The instruction set that the kernels of an OpenBLAS core use, the narrowest first.
enum class BlasWidth : std::uint8_t { Sse, Avx, Avx2, Avx512, Avx512Bf16, Amx, Unknown };

/// Returns the width of the core with OpenBLAS's name, in any case. A name that is newer than our table is
/// Unknown: treated as the widest.
BlasWidth widthOf(std::string_view core);

/// Returns the cores that Meshreel asks OpenBLAS for, the widest first. A product's row has the same bits in
/// whatever block it is computed with SkylakeX alone (rowsOfProductsAreIndependent()), so wider ones are not
/// among them.
std::span<const std::string_view> preferredBlasCores();

/// Returns why this process cannot use kernels of that width: whyAbsent() of what they need. Empty when it
/// can.
std::string whyTooWide(BlasWidth width);

/// Returns whether both name one core: OpenBLAS takes names in capitals or not.
bool isSameCore(std::string_view one, std::string_view other);

}  // namespace meshreel
