// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace meshreel {

/// The first bytes of a file of packed weights, little endian. Data follows at multiples of
/// packedDataAlignment, then the directory, a JSON object up to the end of the file:
/// {"key": text, "tensors": {name: {"format": text, "begin": n, "bytes": n, "hash": n}}}.
struct PackedWeightsPrefix {
    std::array<char, 8> magic = {};
    std::uint64_t version = 0;
    std::uint64_t fileBytes = 0;
    std::uint64_t directoryBegin = 0;
    std::uint64_t directoryHash = 0;  ///< contentHash of the directory
};
static_assert(std::is_trivially_copyable_v<PackedWeightsPrefix> && sizeof(PackedWeightsPrefix) == 40);

inline constexpr std::array<char, 8> packedWeightsMagic = {'M', 'R', 'P', 'A', 'C', 'K', 'E', 'D'};
inline constexpr std::uint64_t packedWeightsVersion = 1;

/// Of every tensor from the start of the file: a page, so that each can be given back by itself.
inline constexpr std::uint64_t packedDataAlignment = 4096;

}  // namespace meshreel
