// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/packed_matrix.h"
#include "engine/models/flat_layout.h"
#include "engine/models/packed_linear_store.h"
#include "engine/models/wan_parameters.h"
#include "engine/models/weight_shard.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The tensors of one layer as a device computes with them (its part along the tensor axis), by their names
/// without the layer's prefix: f32, but for the weights of a block's linear layers.
class LayerTensors {
  public:
    void put(std::string name, Tensor tensor) {
        m_tensors.insert_or_assign(std::move(name), std::move(tensor));
    }

    [[nodiscard]] bool has(std::string_view name) const { return m_tensors.contains(name); }

    /// Throws Error{Internal} for a name that is not there.
    [[nodiscard]] const Tensor& get(std::string_view name) const;

    /// NAME.weight and NAME.bias: what pack() made of them, or packed now.
    [[nodiscard]] PackedMatrix linear(const std::string& name, Arithmetic arithmetic = Arithmetic::F32) const;
    [[nodiscard]] PackedMatrix linearWithoutBias(const std::string& name, Arithmetic arithmetic) const;

    void putPacked(const std::string& name, PackedMatrix matrix) {
        m_packed.insert_or_assign(name, std::move(matrix));
    }

    /// Puts a packed matrix in the place of NAME.weight and, with `bias`, of NAME.bias.
    void pack(const std::string& name, Arithmetic arithmetic, bool bias);

    [[nodiscard]] std::size_t bytes() const;

  private:
    std::map<std::string, Tensor, std::less<>> m_tensors;
    std::map<std::string, PackedMatrix, std::less<>> m_packed;
};

/// What a device keeps of one layer: with one fsdp device its tensors (views of the mapped checkpoint where
/// that holds them as they are needed) and packed matrices, otherwise its part of the flat buffer that holds
/// the tensors side by side, from which they are packed each time.
class LayerWeights {
  public:
    /// What is packed comes from the store where it has it, and goes into it otherwise. With `kept`, the same
    /// checkpoint, a whole layer that computes in f32 leaves linear weights quantised that the file holds so,
    /// and unpacks them for each use. Throws Error{Input} for missing tensors and wrong shapes.
    LayerWeights(const WanLayer& layer, const Checkpoint& checkpoint, const WeightShard& shard,
                 const WanPrecision& precision = {}, PackedLinearStore* store = nullptr,
                 std::shared_ptr<const Checkpoint> kept = nullptr);

    /// Memory that is kept, mapped or not, but for weights that stay quantised in the file.
    [[nodiscard]] std::size_t residentBytes() const { return m_tensors.bytes() + m_shard.bytes(); }

    [[nodiscard]] bool sharded() const { return m_shard.elements() > 0; }

    /// The layer's tensors when it is not sharded; what stays quantised is unpacked now.
    [[nodiscard]] LayerTensors tensors() const;

    /// This device's part of the flat buffer, bytes.
    [[nodiscard]] const Tensor& shard() const { return m_shard; }

    /// The layer's tensors in the whole flat buffer (shards in order), which they keep alive.
    [[nodiscard]] LayerTensors tensorsIn(const Tensor& flat) const;

  private:
    struct Source;
    /// A linear weight that is read when the layer is used.
    struct QuantisedWeight {
        std::string name;        ///< without the layer's prefix
        std::string checkpoint;  ///< with it
    };

    void loadWhole(const Source& source, std::span<const WanParameter* const> parameters);
    void packLinear(const Source& source, const WanParameter& parameter);

    FlatLayout m_layout;  // of a sharded layer
    LayerTensors m_tensors;
    std::vector<QuantisedWeight> m_quantised;
    std::shared_ptr<const Checkpoint> m_checkpoint;  // of m_quantised
    Tensor m_shard;
};

}  // namespace meshreel
