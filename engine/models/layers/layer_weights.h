// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/communicator.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_memory.h"
#include "engine/weights/cache/packed_weights.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The packed linear layers of one model part in a PackedWeightStore.
class PackedLinearStore {
  public:
    explicit PackedLinearStore(PackedWeightStore& store) : m_store(store) {}

    /// Returns whether put() keeps anything: where the file is there already it does not.
    [[nodiscard]] bool collects() const { return !m_store.hit(); }

    /// Returns a matrix over the mapped file; nothing when the store has none in the format that this process
    /// packs.
    [[nodiscard]] std::optional<PackedMatrix> find(const std::string& name, std::int64_t outFeatures,
                                                   std::int64_t inFeatures, Arithmetic arithmetic) const;

    /// Keeps what was packed, unless packing left it where the checkpoint is mapped: a copy of the checkpoint
    /// would gain nothing. `mapped` is the view that it was packed from, if it was one.
    void put(const std::string& name, const PackedMatrix& matrix, const Tensor& mapped);

  private:
    PackedWeightStore& m_store;
};

/// Where the tensors of a layer are, by their names without the layer's prefix: the same in all LayerTensors
/// of the layer, so that code that uses a layer again and again looks them up once.
class LayerSlots {
  public:
    LayerSlots() = default;
    explicit LayerSlots(std::span<const WanParameter> parameters);

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

    /// Throws Error{Internal} for a name that is not there.
    [[nodiscard]] std::size_t require(std::string_view name) const;

    /// Returns the slot of NAME.weight.
    [[nodiscard]] std::size_t linear(const std::string& name) const { return require(name + ".weight"); }

    /// Returns the place of a new name.
    std::size_t add(std::string name);

    [[nodiscard]] std::size_t size() const { return m_names.size(); }

  private:
    std::vector<std::string> m_names;
};

/// The tensors of one layer as a device computes with them (its part along the tensor axis): f32, except for
/// the weights of a block's linear layers.
class LayerTensors {
  public:
    LayerTensors() = default;
    /// Room for tensors at these places.
    explicit LayerTensors(std::shared_ptr<const LayerSlots> slots);

    void put(std::string name, Tensor tensor);

    [[nodiscard]] bool has(std::string_view name) const;

    /// Throws Error{Internal} for a name that is not there.
    [[nodiscard]] const Tensor& get(std::string_view name) const;

    /// Returns the tensor at a place of LayerSlots::require().
    [[nodiscard]] const Tensor& at(std::size_t slot) const { return m_tensors[slot].value(); }

    /// Returns the packed matrix at a place of LayerSlots::linear().
    [[nodiscard]] const PackedMatrix& matrix(std::size_t slot) const { return m_packed[slot].value(); }

    /// NAME.weight and NAME.bias: what pack() made of them, or packed now.
    [[nodiscard]] PackedMatrix linear(const std::string& name, Arithmetic arithmetic = Arithmetic::F32) const;
    [[nodiscard]] PackedMatrix linearWithoutBias(const std::string& name, Arithmetic arithmetic) const;

    /// Replaces NAME.weight and, with `bias`, NAME.bias.
    void putPacked(const std::string& name, PackedMatrix matrix, bool bias);

    /// Packs NAME.weight and, with `bias`, NAME.bias, and puts the matrix in their place; or puts it as it is
    /// into the memory of a device.
    void pack(const std::string& name, Arithmetic arithmetic, bool bias, Memory* memory = nullptr);

    /// Returns whether NAME is packed.
    [[nodiscard]] bool isPacked(const std::string& name) const { return packed(name) != nullptr; }

    /// Asks for packed matrices that are mapped to be read from the disk, without waiting.
    void prefetchPacked() const;

    [[nodiscard]] std::size_t bytes() const;

  private:
    [[nodiscard]] std::size_t place(std::string name);
    [[nodiscard]] const PackedMatrix* packed(const std::string& name) const;
    void forget(std::string_view name);

    std::shared_ptr<const LayerSlots> m_slots = std::make_shared<const LayerSlots>();
    std::vector<std::optional<Tensor>> m_tensors;
    std::vector<std::optional<PackedMatrix>> m_packed;  // each at the place of its weight
};

/// What a device does with the weights of a layer between its uses.
enum class Residence : std::uint8_t {
    Kept,      ///< in memory, either ready for use or as its part of the flat buffer
    Streamed,  ///< not at all: read from the checkpoint for each use, whose pages are released afterwards, or
               ///< mapped, as the store of packed weights has them
};

/// What a device keeps of one layer: with one fsdp device its tensors (views of the mapped checkpoint if that
/// stores them in the required type) and packed matrices, the same from use to use; otherwise its part of the
/// flat buffer that holds the tensors side by side, from which they are packed each time. When computing in
/// f32, and in flat buffers, quantised matrices stay as the file has them and are unpacked for each use.
class LayerWeights {
  public:
    /// Takes packed matrices from the store if it has them, and adds them otherwise; for a streamed layer,
    /// only matrices that take no more bytes packed than in the checkpoint. Matrices and weights of norms for
    /// which runsOnDevice() holds are in `memory`, that of a device, if there is one: then there is no store.
    /// Throws Error{Input} for missing tensors and wrong shapes.
    LayerWeights(const WanLayer& layer, std::shared_ptr<const Checkpoint> checkpoint,
                 const WeightShard& shard, const WanPrecision& precision = {},
                 PackedLinearStore* store = nullptr, Residence residence = Residence::Kept,
                 Memory* memory = nullptr);

    /// Returns the memory that is kept, mapped or not, but for what is read from the checkpoint for each use.
    [[nodiscard]] std::size_t residentBytes() const { return m_tensors->bytes() + m_shard.bytes(); }

    /// Returns the slots of the layer's tensors, in use or not.
    [[nodiscard]] const LayerSlots& slots() const { return *m_slots; }

    [[nodiscard]] bool sharded() const { return m_source.shard().fsdpDevices > 1; }

    /// Returns the layer's tensors when it is not sharded. What is read for each use is shared by those that
    /// use it at the same time, and freed when the last of them has let it go.
    [[nodiscard]] std::shared_ptr<const LayerTensors> tensors(const Execution* execution = nullptr) const;

    /// Returns the bytes of this device's part of the flat buffer.
    [[nodiscard]] std::int64_t shardBytes() const {
        return m_layout.shardBytes(m_source.shard().fsdpDevices);
    }

    /// Returns that part if it is kept, otherwise nothing.
    [[nodiscard]] const Tensor& shard() const { return m_shard; }

    /// Returns that part, reading it into `room` of shardBytes() if it is not kept.
    [[nodiscard]] std::span<const std::uint8_t> shardIn(std::span<std::uint8_t> room,
                                                        const Execution* execution = nullptr) const;

    /// Returns the layer's tensors in the whole flat buffer (shards in order), which they keep alive, and its
    /// matrices packed.
    [[nodiscard]] std::shared_ptr<const LayerTensors> tensorsIn(const Tensor& flat,
                                                                const Execution* execution = nullptr) const;

    /// Asks for a streamed layer to be read from the disk, without waiting.
    void prefetch() const;

  private:
    /// What is in memory for a use.
    struct InUse {
        std::mutex mutex;
        std::weak_ptr<const LayerTensors> tensors;
    };

    [[nodiscard]] bool isReadForEachUse(const WanParameter& parameter) const;
    void keepWhole(PackedLinearStore* store);
    void keepMapped(PackedLinearStore& store);
    void readShard(std::span<std::uint8_t> room, const Execution* execution) const;
    void keepMatrix(const WanParameter& parameter, PackedLinearStore* store);
    void put(LayerTensors& tensors, const WanParameter& parameter, const Tensor& tensor) const;
    void packInto(LayerTensors& tensors, const WanParameter& parameter, Tensor weight) const;
    void packLinears(LayerTensors& tensors) const;
    [[nodiscard]] std::shared_ptr<const LayerTensors> readForUse(const Execution* execution) const;
    [[nodiscard]] bool hasBias(const WanParameter& weight) const;
    [[nodiscard]] Memory* memoryOf(const WanParameter& parameter) const;

    LayerSource m_source;
    WanLayerRole m_role;
    Residence m_residence;
    Memory* m_memory;
    FlatLayout m_layout;  // for a sharded layer
    std::shared_ptr<const LayerSlots> m_slots;
    std::shared_ptr<LayerTensors> m_tensors;
    bool m_isWhole = false;  // m_tensors has all of them
    Tensor m_shard;
    std::shared_ptr<InUse> m_inUse = std::make_shared<InUse>();
};

/// One walk through a model's layers, which brings each to this device in turn. Sharded layers are gathered
/// over the fsdp axis into two buffers: while one layer computes, the next one is under way, as what streamed
/// layers need of the disk is. All devices of the axis walk the same layers. `layers`, `fsdp` and `execution`
/// outlive the stream.
class LayerStream {
  public:
    /// The buffers count towards `meter` and towards no other. The workers of `execution`, if given, share
    /// the unpacking.
    LayerStream(std::span<const LayerWeights> layers, Communicator& fsdp, std::shared_ptr<MemoryMeter> meter,
                const Execution* execution = nullptr);

    /// Returns the next layer's tensors, which stay until the call after the next. What the call before gave
    /// may no longer be used. Throws as Pending::wait() does.
    [[nodiscard]] std::shared_ptr<const LayerTensors> next();

  private:
    struct Slot {
        Tensor buffer;
        Pending gather;
    };

    void start(std::size_t index);
    Slot& slotAt(std::size_t index) { return m_slots[index % m_slots.size()]; }

    std::span<const LayerWeights> m_layers;
    Communicator& m_fsdp;
    const Execution* m_execution;
    std::array<Slot, 2> m_slots;
    std::size_t m_next = 0;
};

}  // namespace meshreel
