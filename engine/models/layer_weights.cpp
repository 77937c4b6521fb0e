// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layer_weights.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>
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

// Copies what the buffer's bytes from `first` on, as many as `shard` has, share with a tensor that lies
// there.
void copyOverlap(const Tensor& tensor, const FlatLayout::Entry& entry, std::int64_t first, Tensor& shard) {
    const std::int64_t begin = std::max(entry.offset, first);
    const std::int64_t end = std::min(entry.offset + entry.bytes(), first + shard.elements());
    if (begin >= end)
        return;
    const auto size = static_cast<std::int64_t>(sizeOf(entry.type));
    const Tensor values = tensor.reshaped({tensor.elements()})
                              .slice((begin - entry.offset) / size, (end - entry.offset) / size)
                              .to(entry.type);
    std::memcpy(shard.raw() + (begin - first), values.raw(), values.bytes());
}

/// "attn1.to_q" of "attn1.to_q.weight" and "attn1.to_q.bias".
std::string moduleOf(const WanParameter& parameter) {
    return parameter.name.substr(0, parameter.name.rfind('.'));
}

}  // namespace

const Tensor& LayerTensors::get(std::string_view name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        throw Error(ErrorKind::Internal, "A layer has no tensor " + std::string(name));
    return found->second;
}

PackedMatrix LayerTensors::linear(const std::string& name, Arithmetic arithmetic) const {
    if (const auto packed = m_packed.find(name); packed != m_packed.end())
        return packed->second;
    return PackedMatrix::pack(get(name + ".weight"), &get(name + ".bias"), arithmetic);
}

PackedMatrix LayerTensors::linearWithoutBias(const std::string& name, Arithmetic arithmetic) const {
    if (const auto packed = m_packed.find(name); packed != m_packed.end())
        return packed->second;
    return PackedMatrix::pack(get(name + ".weight"), nullptr, arithmetic);
}

void LayerTensors::pack(const std::string& name, Arithmetic arithmetic, bool bias) {
    m_packed.insert_or_assign(name, bias ? linear(name, arithmetic) : linearWithoutBias(name, arithmetic));
    m_tensors.erase(name + ".weight");
    if (bias)
        m_tensors.erase(name + ".bias");
}

std::size_t LayerTensors::bytes() const {
    std::size_t sum = 0;
    for (const auto& [name, tensor] : m_tensors)
        sum += tensor.bytes();
    for (const auto& [name, matrix] : m_packed)
        sum += matrix.bytes();
    return sum;
}

/// Where a layer's tensors come from and what they become.
struct LayerWeights::Source {
    const WanLayer& layer;
    const Checkpoint& checkpoint;
    const WeightShard& shard;
    const WanPrecision& precision;
    PackedLinearStore* store;

    /// This device's part, as the checkpoint holds it.
    [[nodiscard]] Tensor part(const WanParameter& parameter) const {
        return partOf(checkpoint.get(layer.prefix + parameter.name, parameter.shape), parameter.split, shard);
    }

    [[nodiscard]] bool staysQuantised(const WanParameter& parameter) const {
        return parameter.blockLinear && precision.held() == DType::F32 && shard.tensorDevices == 1 &&
               isQuantised(checkpoint.storedType(layer.prefix + parameter.name));
    }

    [[nodiscard]] std::optional<PackedMatrix> stored(const WanParameter& parameter) const {
        if (store == nullptr || !parameter.blockLinear || staysQuantised(parameter))
            return std::nullopt;
        const Shape shape = shapeOfPart(parameter, shard.tensorDevices);
        return store->find(layer.prefix + parameter.name, shape[0], shape[1], precision.linears());
    }
};

LayerWeights::LayerWeights(const WanLayer& layer, const Checkpoint& checkpoint, const WeightShard& shard,
                           const WanPrecision& precision, PackedLinearStore* store,
                           std::shared_ptr<const Checkpoint> kept)
    : m_checkpoint(std::move(kept)) {
    const Source source{layer, checkpoint, shard, precision, store};
    std::vector<const WanParameter*> present;
    for (const WanParameter& parameter : layer.parameters)
        if (!parameter.optional || checkpoint.has(layer.prefix + parameter.name))
            present.push_back(&parameter);
    if (shard.fsdpDevices == 1) {
        loadWhole(source, present);
        return;
    }
    for (const WanParameter* parameter : present)
        m_layout.add(parameter->name, shapeOfPart(*parameter, shard.tensorDevices),
                     heldType(*parameter, precision));
    m_shard = Tensor::zeros({m_layout.shardBytes(shard.fsdpDevices)}, DType::U8);
    const std::int64_t first = m_shard.elements() * shard.fsdpIndex;
    for (std::size_t index = 0; index < present.size(); ++index)
        copyOverlap(source.part(*present[index]), m_layout.entries()[index], first, m_shard);
}

void LayerWeights::loadWhole(const Source& source, std::span<const WanParameter* const> parameters) {
    std::set<std::string> stored;
    for (const WanParameter* parameter : parameters)
        if (std::optional<PackedMatrix> matrix = source.stored(*parameter)) {
            m_tensors.putPacked(moduleOf(*parameter), *std::move(matrix));
            stored.insert(moduleOf(*parameter));
        }
    for (const WanParameter* parameter : parameters)
        if (m_checkpoint && source.staysQuantised(*parameter)) {
            source.checkpoint.require(source.layer.prefix + parameter->name, parameter->shape);
            m_quantised.push_back({parameter->name, source.layer.prefix + parameter->name});
        }
    if (m_quantised.empty())
        m_checkpoint.reset();
    const auto staysInFile = [&](const WanParameter* parameter) {
        return std::ranges::find(m_quantised, parameter->name, &QuantisedWeight::name) != m_quantised.end();
    };
    const auto isMissing = [&](const WanParameter* parameter) {
        return !stored.contains(moduleOf(*parameter)) && !staysInFile(parameter);
    };
    for (const WanParameter* parameter : parameters)
        if (isMissing(parameter))
            m_tensors.put(parameter->name,
                          source.part(*parameter).to(heldType(*parameter, source.precision)));
    for (const WanParameter* parameter : parameters)
        if (parameter->blockLinear && isMissing(parameter))
            packLinear(source, *parameter);
}

// Where input features are shared out, the first device's bias is that of the sum.
void LayerWeights::packLinear(const Source& source, const WanParameter& parameter) {
    const std::string module = moduleOf(parameter);
    const Arithmetic arithmetic = source.precision.linears();
    m_tensors.pack(module, arithmetic,
                   parameter.split != TensorSplit::Columns || source.shard.tensorIndex == 0);
    if (source.store != nullptr)
        source.store->put(source.layer.prefix + parameter.name,
                          m_tensors.linearWithoutBias(module, arithmetic), source.part(parameter));
}

LayerTensors LayerWeights::tensors() const {
    LayerTensors tensors = m_tensors;
    for (const QuantisedWeight& weight : m_quantised)
        tensors.put(weight.name, m_checkpoint->get(weight.checkpoint));
    return tensors;
}

LayerTensors LayerWeights::tensorsIn(const Tensor& flat) const {
    LayerTensors tensors;
    for (const FlatLayout::Entry& entry : m_layout.entries())
        tensors.put(entry.name, Tensor::view(flat.raw() + entry.offset, entry.shape, entry.type,
                                             std::make_shared<Tensor>(flat)));
    return tensors;
}

}  // namespace meshreel
