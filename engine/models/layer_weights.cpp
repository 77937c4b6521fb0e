// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layer_weights.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

namespace {

// Columns [begin, end) of weight [rows, columns], of whatever type.
Tensor copiedColumns(const Tensor& weight, std::int64_t begin, std::int64_t end) {
    Tensor part = Tensor::empty({weight.extent(0), end - begin}, weight.dtype());
    const std::size_t element = sizeOf(weight.dtype());
    const std::size_t rowBytes = static_cast<std::size_t>(weight.extent(1)) * element;
    const std::size_t partBytes = static_cast<std::size_t>(end - begin) * element;
    const std::byte* from = weight.raw() + static_cast<std::size_t>(begin) * element;
    std::byte* to = part.raw();
    for (std::int64_t row = 0; row < weight.extent(0); ++row, from += rowBytes, to += partBytes)
        std::memcpy(to, from, partBytes);
    return part;
}

Tensor partOf(const Tensor& whole, TensorSplit split, const WeightShard& shard) {
    if (split == TensorSplit::None || shard.tensorDevices == 1)
        return whole;
    const std::int64_t size = whole.extent(split == TensorSplit::Rows ? 0 : 1) / shard.tensorDevices;
    const std::int64_t begin = size * shard.tensorIndex;
    return split == TensorSplit::Rows ? whole.slice(begin, begin + size)
                                      : copiedColumns(whole, begin, begin + size);
}

// Copies what the buffer's elements from `first` on, as many as `shard` has, share with a tensor at `offset`.
void copyOverlap(const Tensor& tensor, std::int64_t offset, std::int64_t first, Tensor& shard) {
    const std::int64_t begin = std::max(offset, first);
    const std::int64_t end = std::min(offset + tensor.elements(), first + shard.elements());
    if (begin >= end)
        return;
    const Tensor values = tensor.reshaped({tensor.elements()}).slice(begin - offset, end - offset).toF32();
    std::ranges::copy(values.data<float>(),
                      shard.data<float>().subspan(static_cast<std::size_t>(begin - first)).begin());
}

}  // namespace

const Tensor& LayerTensors::get(std::string_view name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        throw Error(ErrorKind::Internal, "A layer has no tensor " + std::string(name));
    return found->second;
}

PackedMatrix LayerTensors::linear(const std::string& name) const {
    return PackedMatrix::pack(get(name + ".weight"), &get(name + ".bias"));
}

PackedMatrix LayerTensors::linearWithoutBias(const std::string& name) const {
    return PackedMatrix::pack(get(name + ".weight"));
}

std::size_t LayerTensors::bytes() const {
    std::size_t sum = 0;
    for (const auto& [name, tensor] : m_tensors)
        sum += tensor.bytes();
    return sum;
}

LayerWeights::LayerWeights(const WanLayer& layer, const Checkpoint& checkpoint, const WeightShard& shard) {
    std::vector<const WanParameter*> present;
    for (const WanParameter& parameter : layer.parameters)
        if (!parameter.optional || checkpoint.has(layer.prefix + parameter.name))
            present.push_back(&parameter);
    const auto part = [&](const WanParameter& parameter) {
        return partOf(checkpoint.get(layer.prefix + parameter.name, parameter.shape), parameter.split, shard);
    };
    if (shard.fsdpDevices == 1) {
        for (const WanParameter* parameter : present)
            m_tensors.put(parameter->name, part(*parameter).toF32());
        return;
    }
    for (const WanParameter* parameter : present)
        m_layout.add(parameter->name, shapeOfPart(*parameter, shard.tensorDevices));
    m_shard = Tensor::zeros({m_layout.shardElements(shard.fsdpDevices)});
    const std::int64_t first = m_shard.elements() * shard.fsdpIndex;
    for (std::size_t index = 0; index < present.size(); ++index)
        copyOverlap(part(*present[index]), m_layout.entries()[index].offset, first, m_shard);
}

LayerTensors LayerWeights::tensorsIn(const Tensor& flat) const {
    LayerTensors tensors;
    for (const FlatLayout::Entry& entry : m_layout.entries())
        tensors.put(entry.name,
                    flat.slice(entry.offset, entry.offset + entry.shape.elements()).reshaped(entry.shape));
    return tensors;
}

}  // namespace meshreel
