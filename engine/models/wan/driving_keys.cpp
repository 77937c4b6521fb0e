// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/driving_keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

constexpr std::array<DrivingKeysRow, 3> drivingRows{{
    {DrivingKeysUse::Cached, "cached", "Kept in memory as they were computed: the fastest."},
    {DrivingKeysUse::Int8, "int8",
     "Kept in memory in 8 bits with a scale for each head of each token: half the memory or less."},
    {DrivingKeysUse::Recomputed, "recomputed",
     "Computed again in every pass, which takes about twice as long and the least memory."},
}};

/// Heads of tokens as rows of headDim.
MatrixSpan rowsOfHeads(Tensor& tensor) {
    const std::int64_t width = tensor.extent(3);
    return {tensor.address(),
            tensor.dtype(),
            {.rows = width > 0 ? tensor.elements() / width : 0, .width = width, .stride = width},
            tensor.memory()};
}

}  // namespace

std::span<const DrivingKeysRow> drivingKeysRows() {
    return drivingRows;
}

const DrivingKeysRow& rowOf(DrivingKeysUse use) {
    return *std::ranges::find(drivingRows, use, &DrivingKeysRow::use);
}

const DrivingKeysRow* findDrivingKeys(std::string_view name) {
    const auto* const found = std::ranges::find(drivingRows, name, &DrivingKeysRow::name);
    return found == drivingRows.end() ? nullptr : found;
}

void DrivingKeys::add(const Execution& execution, PairedKeys keys) {
    if (m_use != DrivingKeysUse::Int8) {
        m_keys.push_back(std::move(keys));
        return;
    }
    m_pairs = keys.pairs;
    m_shapes.clear();
    std::vector<PackedChunk>& packed = m_packed.emplace_back();
    for (std::size_t chunk = 0; chunk < keys.key.size(); ++chunk) {
        const Tensor& key = keys.key[chunk];
        const auto pack = [&](const Tensor& tensor) {
            return packInt8Rows(execution, tensor, tensor.extent(3), tensor.memory());
        };
        packed.push_back({.key = pack(key), .value = pack(keys.value[chunk])});
        m_shapes.push_back(key.shape());
        m_type = key.dtype();
    }
}

const PairedKeys& DrivingKeys::ofBlock(const Execution& execution, std::int64_t block,
                                       PairedKeys& room) const {
    const auto at = static_cast<std::size_t>(block);
    if (m_use != DrivingKeysUse::Int8)
        return m_keys.at(at);
    const std::vector<PackedChunk>& packed = m_packed.at(at);
    room.pairs = m_pairs;
    room.key.resize(packed.size());
    room.value.resize(packed.size());
    for (std::size_t chunk = 0; chunk < packed.size(); ++chunk) {
        const auto unpack = [&](const Int8Rows& from, Tensor& into) {
            if (into.shape() != m_shapes[chunk])
                into = Tensor::empty(m_shapes[chunk], m_type, from.values.memory());
            unpackInt8Rows(execution, from, rowsOfHeads(into));
        };
        unpack(packed[chunk].key, room.key[chunk]);
        unpack(packed[chunk].value, room.value[chunk]);
    }
    return room;
}

std::size_t DrivingKeys::bytes() const {
    std::size_t sum = 0;
    for (const PairedKeys& block : m_keys)
        for (const std::vector<Tensor>* tensors : {&block.key, &block.value})
            for (const Tensor& tensor : *tensors)
                sum += tensor.bytes();
    for (const std::vector<PackedChunk>& block : m_packed)
        for (const PackedChunk& chunk : block)
            sum += chunk.key.bytes() + chunk.value.bytes();
    return sum;
}

}  // namespace meshreel
