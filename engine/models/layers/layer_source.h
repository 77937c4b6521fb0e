// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Which part of a model's weights a device keeps. Devices with equal shards can share one copy.
struct WeightShard {
    int fsdpIndex = 0;
    int fsdpDevices = 1;
    int tensorIndex = 0;
    int tensorDevices = 1;

    static WeightShard of(const Device& device) {
        const MeshShape shape = device.layout().shape();
        return {.fsdpIndex = device.at().fsdp,
                .fsdpDevices = shape.fsdp,
                .tensorIndex = device.at().tensor,
                .tensorDevices = shape.tensor};
    }

    friend bool operator==(const WeightShard&, const WeightShard&) = default;
};

/// The layout of tensors in one buffer of bytes, each on a cache line of its own; and how devices divide the
/// buffer in equal parts.
class FlatLayout {
  public:
    struct Entry {
        std::string name;
        Shape shape;
        DType type = DType::F32;
        std::int64_t offset = 0;  ///< offset of the first byte

        [[nodiscard]] std::int64_t bytes() const {
            return shape.elements() * static_cast<std::int64_t>(byteSize(type));
        }
    };

    /// Adds a tensor after the previous ones.
    void add(std::string name, Shape shape, DType type = DType::F32);

    [[nodiscard]] std::span<const Entry> entries() const { return m_entries; }

    /// Returns the bytes of the tensors themselves, without gaps between them.
    [[nodiscard]] std::int64_t tensorBytes() const { return m_tensorBytes; }

    /// Returns the bytes of each of `parts` parts of the buffer, the same for all: the last is padded. Parts
    /// begin and end between cache lines.
    [[nodiscard]] std::int64_t shardBytes(int parts) const;

  private:
    std::vector<Entry> m_entries;
    std::int64_t m_tensorBytes = 0;
    std::int64_t m_end = 0;
};

/// Reads the tensors of one layer: a device's parts along the tensor axis, a tile at a time from the
/// checkpoint. The workers of a given execution share the tiles; results do not depend on that.
class LayerSource {
  public:
    /// Reads nothing but the checkpoint's directory. Throws Error{Input} for missing tensors and wrong
    /// shapes.
    LayerSource(WanLayer layer, std::shared_ptr<const Checkpoint> checkpoint, const WeightShard& shard,
                const WanPrecision& precision);

    /// Returns the parameters that the checkpoint holds.
    [[nodiscard]] std::span<const WanParameter> parameters() const { return m_layer.parameters; }
    [[nodiscard]] const WeightShard& shard() const { return m_shard; }
    [[nodiscard]] const WanPrecision& precision() const { return m_precision; }

    /// Returns the name in the checkpoint.
    [[nodiscard]] std::string nameOf(const WanParameter& parameter) const {
        return m_layer.prefix + parameter.name;
    }

    /// Returns whether a matrix is kept as the file has it, in blocks or fp8, and unpacked when the layer is
    /// used.
    [[nodiscard]] bool staysQuantised(const WanParameter& parameter) const;

    /// Returns whether the map has this device's part as it is held, so that read() gives a view of it.
    [[nodiscard]] bool isInPlace(const WanParameter& parameter) const;

    /// Reads this device's part in the type that it is kept in: a view of the map if that stores it so.
    [[nodiscard]] Tensor read(const WanParameter& parameter, const Execution* execution) const;

    /// Unpacks a tensor that stays quantised, from its bytes in the flat buffer.
    [[nodiscard]] Tensor unpack(const WanParameter& parameter, std::span<const std::byte> packed,
                                const Execution* execution) const;

    /// Returns the buffer that all parameters' parts make side by side, quantised ones as the file has them.
    [[nodiscard]] FlatLayout flatLayout() const;

    /// Returns the buffer's bytes from `first` on, as many as `out` has; zeros after its end.
    void copyFlat(const FlatLayout& layout, std::int64_t first, std::span<std::byte> out,
                  const Execution* execution) const;

    /// Returns whether a matrix in the order of the kernels takes no more bytes than the file has of it.
    [[nodiscard]] bool packsWithoutGrowing(const WanParameter& parameter) const;

    /// Checkpoint::prefetch and release.
    void prefetch(const WanParameter& parameter) const { m_checkpoint->prefetch(nameOf(parameter)); }
    void release(const WanParameter& parameter) const { m_checkpoint->release(nameOf(parameter)); }

  private:
    [[nodiscard]] MatrixPart partOf(const WanParameter& parameter) const;
    [[nodiscard]] Tensor readRows(const WanParameter& parameter, std::int64_t first,
                                  std::int64_t count) const;
    void copyElements(const WanParameter& parameter, std::int64_t firstByte, std::span<std::byte> out,
                      const Execution* execution) const;

    WanLayer m_layer;
    std::shared_ptr<const Checkpoint> m_checkpoint;
    WeightShard m_shard;
    WanPrecision m_precision;
};

}  // namespace meshreel
