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
    blocks<BlockQ4_0>(StoredType::Q4_0, "Q4_0"),
    blocks<BlockQ4_1>(StoredType::Q4_1, "Q4_1"),
    blocks<BlockQ5_0>(StoredType::Q5_0, "Q5_0"),
    blocks<BlockQ5_1>(StoredType::Q5_1, "Q5_1"),
    blocks<BlockQ8_0>(StoredType::Q8_0, "Q8_0"),
    blocks<BlockQ4_K>(StoredType::Q4_K, "Q4_K"),
    blocks<BlockQ5_K>(StoredType::Q5_K, "Q5_K"),
    blocks<BlockQ6_K>(StoredType::Q6_K, "Q6_K"),
};

constexpr StoredTypeInfo other{.type = StoredType::Other, .name = "other"};

}  // namespace

const StoredTypeInfo& infoOf(StoredType type) {
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

StoredType storedTypeOf(DType type) {
    return std::ranges::find(rows, std::optional(type), &StoredTypeInfo::direct)->type;
}

bool isQuantised(StoredType type) {
    return infoOf(type).unpack != nullptr;
}

bool isWeightType(StoredType type) {
    const StoredTypeInfo& info = infoOf(type);
    return info.unpack != nullptr || info.direct == DType::F64 || info.direct == DType::F32 ||
           info.direct == DType::F16 || info.direct == DType::BF16;
}

Sentence useReadableType() {
    return sentence(
        "Use a checkpoint in F32, F16, BF16, fp8 or one of GGUF's types Q8_0, Q6_K, Q5_K, Q4_K, Q5_0, Q5_1, "
        "Q4_0 and Q4_1");
}

std::optional<std::size_t> storedBytes(StoredType type, std::uint64_t elements) {
    const StoredTypeInfo& info = infoOf(type);
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
