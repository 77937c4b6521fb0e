// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/mesh/communicator.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/tensor/memory_meter.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One walk through a model's layers, which brings each to this device in turn. Sharded layers are gathered
/// over the fsdp axis into two buffers: while one layer computes, the next one is under way, as what streamed
/// layers need of the disk is. All devices of the axis walk the same layers. `layers`, `fsdp` and `execution`
/// outlive the stream.
class LayerStream {
  public:
    /// The buffers count towards `meter` and towards no other. The workers of `execution`, where it is given,
    /// share what has to be unpacked.
    LayerStream(std::span<const LayerWeights> layers, Communicator& fsdp, std::shared_ptr<MemoryMeter> meter,
                const Execution* execution = nullptr);

    /// The next layer's tensors, which stay until the call after the next. What the call before gave may no
    /// longer be used. Throws as Pending::wait.
    [[nodiscard]] LayerTensors next();

  private:
    struct Slot {
        Tensor buffer;
        Pending gather;
    };

    void start(std::size_t index);
    Slot& slotOf(std::size_t index) { return m_slots[index % m_slots.size()]; }

    std::span<const LayerWeights> m_layers;
    Communicator& m_fsdp;
    const Execution* m_execution;
    std::array<Slot, 2> m_slots;
    std::size_t m_next = 0;
};

}  // namespace meshreel
