// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/layer_memory.h"

#include <algorithm>

#include "engine/base/number_types.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/models/layers/layer_source.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

namespace {

/// One parameter's part on a device.
class ParameterMemory {
  public:
    ParameterMemory(const StoredParameter& stored, const WeightShard& shard, const WanPrecision& precision)
        : m_stored(stored),
          m_shard(shard),
          m_precision(precision),
          m_shape(shapeOfPart(stored.parameter, shard.tensorDevices)),
          m_elements(static_cast<std::size_t>(m_shape.elements())) {}

    [[nodiscard]] DType heldAs() const { return heldType(m_stored.parameter, m_precision); }
    [[nodiscard]] std::size_t held() const { return m_elements * byteSize(heldAs()); }

    [[nodiscard]] bool staysQuantised() const {
        return m_stored.inParts && keptQuantised(m_stored.parameter, m_precision, m_shard.fsdpDevices);
    }

    /// Held as a view of the map.
    [[nodiscard]] bool isView() const {
        const bool cut = m_stored.parameter.split == TensorSplit::Columns && m_shard.tensorDevices > 1;
        return m_stored.inPlace && storedTypeInfo(m_stored.type).direct == heldAs() && !cut;
    }

    [[nodiscard]] bool isPacked() const {
        const Arithmetic arithmetic = m_precision.linears();
        const bool asHeld = arithmetic == Arithmetic::BF16 && linearCandidate(arithmetic).sharesWeight;
        return m_stored.parameter.blockLinear && arithmetic != Arithmetic::F32 && !asHeld;
    }

    /// Rounded to bf16, then multiplied as f32.
    [[nodiscard]] bool isWidened() const {
        return m_stored.parameter.blockLinear && m_precision.linears() == Arithmetic::F32 &&
               heldAs() != DType::F32;
    }

    [[nodiscard]] std::size_t packed() const {
        const Arithmetic arithmetic = m_precision.linears();
        const auto filled =
            static_cast<std::size_t>(linearCandidate(arithmetic).block.filled(m_shape[0], m_shape[1]));
        return filled * (arithmetic == Arithmetic::Int8 ? sizeof(std::int8_t) : sizeof(BFloat16));
    }

    [[nodiscard]] std::size_t widened() const { return m_elements * sizeof(float); }

    /// Returns what the file stores of it: for columns at least the blocks that cover them.
    [[nodiscard]] std::size_t stored() const {
        const StoredTypeInfo& info = storedTypeInfo(m_stored.type);
        const bool matrix = m_shape.rank() == 2;
        const auto width = static_cast<std::size_t>(matrix ? m_shape[1] : m_shape.elements());
        const std::size_t rows = width == 0 ? 0 : m_elements / width;
        return rows * ((width + info.blockElements - 1) / info.blockElements) * info.blockBytes;
    }

    void addToFlat(FlatLayout& layout) const {
        if (staysQuantised())
            layout.add(m_stored.parameter.name, {static_cast<std::int64_t>(stored())}, DType::U8);
        else
            layout.add(m_stored.parameter.name, m_shape, heldAs());
    }

  private:
    const StoredParameter& m_stored;
    const WeightShard& m_shard;
    const WanPrecision& m_precision;
    Shape m_shape;
    std::size_t m_elements;
};

/// What a layer is once it is ready to compute: `copied`, `packed`, `mapped`.
void addWhole(const ParameterMemory& parameter, LayerMemory& memory) {
    if (parameter.isPacked())
        memory.packed += parameter.packed();
    else if (parameter.isWidened())
        memory.copied += parameter.widened();
    else
        (parameter.isView() ? memory.mapped : memory.copied) += parameter.held();
}

LayerMemory wholeLayer(const StoredLayer& layer, const WeightShard& shard, const WanPrecision& precision,
                       bool streamed) {
    LayerMemory memory;
    std::size_t largestHeld = 0;
    for (const StoredParameter& stored : layer.parameters) {
        const ParameterMemory parameter(stored, shard, precision);
        if (!streamed && !parameter.staysQuantised()) {
            addWhole(parameter, memory);
            continue;
        }
        LayerMemory use;
        addWhole(parameter, use);
        memory.used += use.copied + use.packed;
        memory.mappedUse += parameter.stored();
        if ((parameter.isPacked() || parameter.isWidened()) && !parameter.isView())
            largestHeld = std::max(largestHeld, parameter.held());
    }
    memory.used += largestHeld;
    return memory;
}

LayerMemory gatheredLayer(const StoredLayer& layer, const WeightShard& shard, const WanPrecision& precision,
                          bool streamed) {
    LayerMemory memory;
    FlatLayout layout;
    for (const StoredParameter& stored : layer.parameters) {
        const ParameterMemory parameter(stored, shard, precision);
        parameter.addToFlat(layout);
        if (parameter.staysQuantised())
            memory.used += parameter.held();
        if (parameter.isPacked() || parameter.isWidened())
            memory.used += parameter.isPacked() ? parameter.packed() : parameter.widened();
        memory.mappedUse += streamed ? parameter.stored() : 0;
    }
    const auto own = static_cast<std::size_t>(layout.shardBytes(shard.fsdpDevices));
    memory.copied = streamed ? 0 : own;
    memory.gathered = own * static_cast<std::size_t>(shard.fsdpDevices);
    return memory;
}

}  // namespace

std::vector<StoredLayer> storedLayers(const WanTransformerConfig& config, const Checkpoint& checkpoint) {
    std::vector<StoredLayer> stored;
    for (const WanLayer& layer : wanLayers(config)) {
        StoredLayer& added = stored.emplace_back(StoredLayer{.prefix = layer.prefix, .parameters = {}});
        for (const WanParameter& parameter : layer.parameters) {
            const std::string name = layer.prefix + parameter.name;
            if (parameter.optional && !checkpoint.has(name))
                continue;
            checkpoint.require(name, parameter.shape);
            added.parameters.push_back({.parameter = parameter,
                                        .type = checkpoint.storedType(name),
                                        .inPlace = checkpoint.isInPlace(name),
                                        .inParts = checkpoint.hasStoredParts(name)});
        }
    }
    return stored;
}

std::vector<StoredLayer> storedLayers(const WanTransformerConfig& config, StoredType type) {
    std::vector<StoredLayer> stored;
    for (const WanLayer& layer : wanLayers(config)) {
        StoredLayer& added = stored.emplace_back(StoredLayer{.prefix = layer.prefix, .parameters = {}});
        for (const WanParameter& parameter : layer.parameters)
            if (!parameter.optional)
                added.parameters.push_back({.parameter = parameter,
                                            .type = type,
                                            .inPlace = !isQuantised(type),
                                            .inParts = isQuantised(type)});
    }
    return stored;
}

LayerMemory layerMemory(const StoredLayer& layer, const WeightShard& shard, const WanPrecision& precision,
                        bool streamed) {
    return shard.fsdpDevices == 1 ? wholeLayer(layer, shard, precision, streamed)
                                  : gatheredLayer(layer, shard, precision, streamed);
}

LayerMemory layersMemory(const std::vector<StoredLayer>& layers, const WeightShard& shard,
                         const WanPrecision& precision, std::int64_t residentLayers) {
    LayerMemory sum;
    for (std::size_t index = 0; index < layers.size(); ++index) {
        const bool stays =
            staysResident(static_cast<std::int64_t>(index), std::ssize(layers), residentLayers);
        const LayerMemory one = layerMemory(layers[index], shard, precision, !stays);
        sum.copied += one.copied;
        sum.packed += one.packed;
        sum.mapped += one.mapped;
        sum.used = std::max(sum.used, one.used);
        // Only streamed layers give their pages back.
        sum.mappedUse = stays ? sum.mappedUse + one.mappedUse : std::max(sum.mappedUse, one.mappedUse);
        sum.gathered = std::max(sum.gathered, one.gathered);
    }
    return sum;
}

WanWeightBytes wanWeightBytes(const WanTransformerConfig& config, int fsdpDevices, int tensorDevices,
                              const WanPrecision& precision) {
    const std::vector<StoredLayer> layers = storedLayers(config, StoredType::F32);
    const LayerMemory memory = layersMemory(
        layers, {.fsdpDevices = fsdpDevices, .tensorDevices = tensorDevices}, precision, std::ssize(layers));
    return {.resident = memory.kept(), .gathered = 2 * memory.gathered};
}

bool staysResident(std::int64_t index, std::int64_t layers, std::int64_t resident) {
    return (index + 1) * resident / layers > index * resident / layers;
}

}  // namespace meshreel
