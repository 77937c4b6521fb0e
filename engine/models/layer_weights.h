// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/kernels/packed_matrix.h"
#include "engine/models/flat_layout.h"
#include "engine/models/wan_parameters.h"
#include "engine/models/weight_shard.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The f32 tensors of one layer as a device computes with them (its part along the tensor axis), by their
/// names without the layer's prefix.
class LayerTensors {
  public:
    void put(std::string name, Tensor tensor) {
        m_tensors.insert_or_assign(std::move(name), std::move(tensor));
    }

    [[nodiscard]] bool has(std::string_view name) const { return m_tensors.contains(name); }

    /// Throws Error{Internal} for a name that is not there.
    [[nodiscard]] const Tensor& get(std::string_view name) const;

    /// NAME.weight and NAME.bias.
    [[nodiscard]] PackedMatrix linear(const std::string& name) const;
    [[nodiscard]] PackedMatrix linearWithoutBias(const std::string& name) const;

    [[nodiscard]] std::size_t bytes() const;

  private:
    std::map<std::string, Tensor, std::less<>> m_tensors;
};

/// What a device keeps of one layer: with one fsdp device its tensors (views of the mapped checkpoint where
/// that holds them as they are needed), otherwise its part of the flat buffer that holds them side by side.
class LayerWeights {
  public:
    /// Throws Error{Input} for missing tensors and wrong shapes.
    LayerWeights(const WanLayer& layer, const Checkpoint& checkpoint, const WeightShard& shard);

    /// Memory that is kept, mapped or not.
    [[nodiscard]] std::size_t residentBytes() const { return m_tensors.bytes() + m_shard.bytes(); }

    [[nodiscard]] bool sharded() const { return m_shard.elements() > 0; }

    /// The layer's tensors when it is not sharded.
    [[nodiscard]] const LayerTensors& tensors() const { return m_tensors; }

    /// This device's part of the flat buffer, f32.
    [[nodiscard]] const Tensor& shard() const { return m_shard; }

    /// The layer's tensors in the whole flat buffer (shards in order), which they keep alive.
    [[nodiscard]] LayerTensors tensorsIn(const Tensor& flat) const;

  private:
    FlatLayout m_layout;  // of a sharded layer
    LayerTensors m_tensors;
    Tensor m_shard;
};

}  // namespace meshreel
