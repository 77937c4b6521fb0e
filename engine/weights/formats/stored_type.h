// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// How a file stores the elements of a tensor: as numbers of a DType, or packed, so that they have to be
/// unpacked to f32 first. The Q and IQ types are GGUF's; their elements come in blocks along the innermost
/// axis.
enum class StoredType : std::uint8_t {
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    U8,
    Bool,
    F8E4M3,
    F8E5M2,
    I8,      ///< whole numbers that a scale beside them makes weights of
    F4E2M1,  ///< two numbers a byte, the first in its upper half; likewise
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q4_K,
    Q5_K,
    Q6_K,
    Q2_K,
    Q3_K,
    IQ4_NL,
    IQ4_XS,
    Other,  ///< a type of the format that Meshreel does not compute with
};

/// The row of a stored type.
struct StoredTypeInfo {
    StoredType type = StoredType::Other;
    std::string_view name;          ///< "BF16", "F8_E4M3", "Q4_K"
    std::size_t blockElements = 1;  ///< 1 for what is not in blocks
    std::size_t blockBytes = 1;
    std::optional<DType> direct{};  ///< element type if they can be used as stored
    void (*unpack)(std::span<const std::byte> blocks, std::span<float> out) = nullptr;  ///< whole blocks
};

const StoredTypeInfo& storedTypeInfo(StoredType type);

/// Returns the rows in the order of the enumeration, without Other.
std::span<const StoredTypeInfo> storedTypes();

/// Finds it by GGUF's and safetensors' spelling; returns nullptr for others.
const StoredTypeInfo* findStoredType(std::string_view name);

StoredType toStoredType(DType type);

/// Returns whether its elements are fewer bits than those of any DType that computes.
bool isQuantised(StoredType type);

/// Returns whether weights may be of this type: floating point, or packed from it. Whole numbers count and
/// point.
bool isWeightType(StoredType type);

/// Returns whether its numbers have 8 bits with an exponent of their own: e4m3 and e5m2.
bool isFloat8(StoredType type);

/// Returns whether its numbers are weights only with the scale beside them.
bool needsScale(StoredType type);

/// Returns the fix for weights of another type: which ones to get.
Sentence useReadableType();

/// Returns the bytes of `elements`, a multiple of the block; nothing when that does not fit 63 bits.
std::optional<std::size_t> storedBytes(StoredType type, std::uint64_t elements);

/// Elements [first, first + out.size()) of packed `blocks`: whole blocks, from which those at the ends are
/// cut.
void unpackElements(const StoredTypeInfo& info, std::span<const std::byte> blocks, std::size_t first,
                    std::span<float> out);

}  // namespace meshreel
