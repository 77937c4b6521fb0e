// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/stored_type.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/weights/formats/quantised_blocks.h"

namespace meshreel {
namespace {

template <typename Float8>
void unpackFloat8(std::span<const std::byte> bytes, std::span<float> out) {
    convert(std::span(reinterpret_cast<const Float8*>(bytes.data()), bytes.size()), out);
}

void unpackInt8(std::span<const std::byte> bytes, std::span<float> out) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        out[i] = static_cast<float>(static_cast<std::int8_t>(bytes[i]));
}

/// OCP FP4 E2M1.
constexpr std::array<float, 16> float4Values = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                                -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

void unpackFloat4(std::span<const std::byte> bytes, std::span<float> out) {
    constexpr std::size_t halves = 2;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto pair = std::to_integer<unsigned>(bytes[i]);
        out[halves * i] = float4Values[pair >> 4U];
        out[halves * i + 1] = float4Values[pair & 0xFU];
    }
}

template <typename Block>
constexpr StoredTypeInfo blocks(StoredType type, std::string_view name) {
    return {.type = type,
            .name = name,
            .blockElements = Block::elements,
            .blockBytes = sizeof(Block),
            .unpack = unpackBlocks<Block>};
}

constexpr StoredTypeInfo numbers(StoredType type, std::string_view name, std::size_t bytes, DType direct) {
    return {.type = type, .name = name, .blockBytes = bytes, .direct = direct};
}

constexpr std::array rows = {
    numbers(StoredType::F64, "F64", 8, DType::F64),
    numbers(StoredType::F32, "F32", 4, DType::F32),
    numbers(StoredType::F16, "F16", 2, DType::F16),
    numbers(StoredType::BF16, "BF16", 2, DType::BF16),
    numbers(StoredType::I64, "I64", 8, DType::I64),
    numbers(StoredType::I32, "I32", 4, DType::I32),
    numbers(StoredType::U8, "U8", 1, DType::U8),
    numbers(StoredType::Bool, "BOOL", 1, DType::Bool),
    StoredTypeInfo{.type = StoredType::F8E4M3, .name = "F8_E4M3", .unpack = unpackFloat8<Float8E4M3>},
    StoredTypeInfo{.type = StoredType::F8E5M2, .name = "F8_E5M2", .unpack = unpackFloat8<Float8E5M2>},
    StoredTypeInfo{.type = StoredType::I8, .name = "I8", .unpack = unpackInt8},
    StoredTypeInfo{.type = StoredType::F4E2M1, .name = "F4_E2M1", .blockElements = 2, .unpack = unpackFloat4},
    blocks<BlockQ4_0>(StoredType::Q4_0, "Q4_0"),
    blocks<BlockQ4_1>(StoredType::Q4_1, "Q4_1"),
    blocks<BlockQ5_0>(StoredType::Q5_0, "Q5_0"),
    blocks<BlockQ5_1>(StoredType::Q5_1, "Q5_1"),
    blocks<BlockQ8_0>(StoredType::Q8_0, "Q8_0"),
    blocks<BlockQ4_K>(StoredType::Q4_K, "Q4_K"),
    blocks<BlockQ5_K>(StoredType::Q5_K, "Q5_K"),
    blocks<BlockQ6_K>(StoredType::Q6_K, "Q6_K"),
    blocks<BlockQ2_K>(StoredType::Q2_K, "Q2_K"),
    blocks<BlockQ3_K>(StoredType::Q3_K, "Q3_K"),
    blocks<BlockIQ4_NL>(StoredType::IQ4_NL, "IQ4_NL"),
    blocks<BlockIQ4_XS>(StoredType::IQ4_XS, "IQ4_XS"),
};

constexpr StoredTypeInfo other{.type = StoredType::Other, .name = "other"};

}  // namespace

const StoredTypeInfo& storedTypeInfo(StoredType type) {
    const auto index = static_cast<std::size_t>(type);
    return index < rows.size() ? rows[index] : other;
}

std::span<const StoredTypeInfo> storedTypes() {
    return rows;
}

const StoredTypeInfo* findStoredType(std::string_view name) {
    const auto found = std::ranges::find(rows, name, &StoredTypeInfo::name);
    return found == rows.end() ? nullptr : &*found;
}

StoredType toStoredType(DType type) {
    return std::ranges::find(rows, std::optional(type), &StoredTypeInfo::direct)->type;
}

bool isQuantised(StoredType type) {
    return storedTypeInfo(type).unpack != nullptr;
}

bool isWeightType(StoredType type) {
    const StoredTypeInfo& info = storedTypeInfo(type);
    return info.unpack != nullptr || info.direct == DType::F64 || info.direct == DType::F32 ||
           info.direct == DType::F16 || info.direct == DType::BF16;
}

bool isFloat8(StoredType type) {
    return type == StoredType::F8E4M3 || type == StoredType::F8E5M2;
}

bool needsScale(StoredType type) {
    return type == StoredType::I8 || type == StoredType::F4E2M1;
}

Sentence useReadableType() {
    return sentence(
        "Use a checkpoint in F32, F16, BF16, fp8, ComfyUI's int8, nvfp4 or mxfp8, or one of GGUF's types "
        "Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 and Q4_1");
}

std::optional<std::size_t> storedBytes(StoredType type, std::uint64_t elements) {
    const StoredTypeInfo& info = storedTypeInfo(type);
    std::uint64_t bytes = 0;
    if (elements % info.blockElements != 0 ||
        __builtin_mul_overflow(elements / info.blockElements, info.blockBytes, &bytes) ||
        bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return bytes;
}

void unpackElements(const StoredTypeInfo& info, std::span<const std::byte> bytes, std::size_t first,
                    std::span<float> out) {
    const std::size_t firstBlock = first / info.blockElements;
    const std::size_t endBlock = (first + out.size() + info.blockElements - 1) / info.blockElements;
    const auto blocks =
        bytes.subspan(firstBlock * info.blockBytes, (endBlock - firstBlock) * info.blockBytes);
    if (first % info.blockElements == 0 && out.size() % info.blockElements == 0) {
        info.unpack(blocks, out);
        return;
    }
    std::vector<float> whole((endBlock - firstBlock) * info.blockElements);
    info.unpack(blocks, whole);
    std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(first % info.blockElements), out.size(),
                out.begin());
}

}  // namespace meshreel
