// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/layers/layer_source.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {

/// A parameter as a checkpoint holds it.
struct StoredParameter {
    WanParameter parameter;
    StoredType type = StoredType::F32;
    bool inPlace = true;   ///< can be used where the file is mapped: Checkpoint::isInPlace()
    bool inParts = false;  ///< quantised, and cut into parts as it is: Checkpoint::hasStoredParts()
};

struct StoredLayer {
    std::string prefix;  ///< prefix of the names in the checkpoint
    std::vector<StoredParameter> parameters;
};

/// Returns the layers of wanLayers() with the parameters that the checkpoint holds; reads its directory only.
/// Throws Error{Input} for missing tensors and wrong shapes.
std::vector<StoredLayer> storedLayers(const WanTransformerConfig& config, const Checkpoint& checkpoint);

/// Returns the layers of a checkpoint of one type without optional parameters.
std::vector<StoredLayer> storedLayers(const WanTransformerConfig& config, StoredType type);

/// Bytes of one layer on one device, as LayerWeights keeps and uses it.
struct LayerMemory {
    std::size_t copied = 0;     ///< kept in another type than the file's, or as a part of it
    std::size_t packed = 0;     ///< kept in the order that a kernel wants
    std::size_t mapped = 0;     ///< kept where the file is mapped
    std::size_t used = 0;       ///< in addition while the layer is used: unpacked, packed
    std::size_t mappedUse = 0;  ///< pages of the file that a use reads
    std::size_t gathered = 0;   ///< the flat buffer of the devices along the fsdp axis

    [[nodiscard]] std::size_t kept() const { return copied + packed + mapped; }
};

/// Returns the memory on a device with such a part of the weights. Counts packed weights without what packing
/// adds (padding; the scales of int8).
LayerMemory layerMemory(const StoredLayer& layer, const WeightShard& shard, const WanPrecision& precision,
                        bool streamed = false);

/// Returns the memory of all layers, `residentLayers` of which stay: the kept bytes add up, the bytes in use
/// are those of the largest layer.
LayerMemory layersMemory(const std::vector<StoredLayer>& layers, const WeightShard& shard,
                         const WanPrecision& precision, std::int64_t residentLayers);

/// Bytes of weights on one device.
struct WanWeightBytes {
    std::size_t resident = 0;  ///< what it keeps
    std::size_t gathered = 0;  ///< largest amount at once of the layers that it gathers (none with one fsdp
                               ///< device)
};

/// Returns what a checkpoint in f32 without optional parameters takes when all of its layers stay.
WanWeightBytes wanWeightBytes(const WanTransformerConfig& config, int fsdpDevices, int tensorDevices,
                              const WanPrecision& precision = {});

/// Returns whether layer `index` of `layers` stays in memory when `resident` of them do: they are spread
/// evenly, so that the disk has time for the others.
bool staysResident(std::int64_t index, std::int64_t layers, std::int64_t resident);

}  // namespace meshreel
