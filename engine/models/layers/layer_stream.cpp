// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/layer_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

LayerStream::LayerStream(std::span<const LayerWeights> layers, Communicator& fsdp,
                         std::shared_ptr<MemoryMeter> meter, const Execution* execution)
    : m_layers(layers), m_fsdp(fsdp), m_execution(execution) {
    std::int64_t largest = 0;
    for (const LayerWeights& layer : layers)
        if (layer.sharded())
            largest = std::max(largest, layer.shardBytes() * fsdp.size());
    if (largest > 0) {
        const MeterScope scope(std::move(meter));
        for (Slot& slot : m_slots)
            slot.buffer = Tensor::empty({largest}, DType::U8);
    }
    start(0);
}

void LayerStream::start(std::size_t index) {
    if (index >= m_layers.size())
        return;
    if (!m_layers[index].sharded()) {
        m_layers[index].prefetch();
        return;
    }
    Slot& slot = slotOf(index);
    const auto size = static_cast<std::size_t>(m_layers[index].shardBytes());
    const auto partOf = [&](int position) {
        return slot.buffer.data<std::uint8_t>().subspan(size * static_cast<std::size_t>(position), size);
    };
    std::vector<Block> parts;
    for (int device = 0; device < m_fsdp.size(); ++device)
        parts.push_back(blockOf(partOf(device)));
    const auto own = m_layers[index].shardIn(partOf(m_fsdp.position()), m_execution);
    slot.gather = m_fsdp.startAllGather(blockOf(own), parts);
    if (index + 1 < m_layers.size())
        m_layers[index + 1].prefetch();
}

LayerTensors LayerStream::next() {
    if (m_next >= m_layers.size())
        throw Error(ErrorKind::Internal, "A model has fewer layers than were asked for");
    const std::size_t index = m_next++;
    const LayerWeights& layer = m_layers[index];
    if (!layer.sharded()) {
        LayerTensors tensors = layer.tensors(m_execution);
        start(m_next);
        return tensors;
    }
    Slot& slot = slotOf(index);
    slot.gather.wait();
    start(m_next);
    return layer.tensorsIn(slot.buffer, m_execution);
}

}  // namespace meshreel
