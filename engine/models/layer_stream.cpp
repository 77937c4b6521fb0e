// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layer_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

LayerStream::LayerStream(std::span<const LayerWeights> layers, Communicator& fsdp,
                         std::shared_ptr<MemoryMeter> meter)
    : m_layers(layers), m_fsdp(fsdp) {
    std::int64_t largest = 0;
    for (const LayerWeights& layer : layers)
        largest = std::max(largest, layer.shard().elements() * fsdp.size());
    if (largest == 0)
        return;
    const MeterScope scope(std::move(meter));
    for (Slot& slot : m_slots)
        slot.buffer = Tensor::empty({largest}, DType::U8);
    start(0);
}

void LayerStream::start(std::size_t index) {
    if (index >= m_layers.size() || !m_layers[index].sharded())
        return;
    const Tensor& shard = m_layers[index].shard();
    Slot& slot = slotOf(index);
    std::vector<Block> parts;
    const auto bytes = std::as_const(shard).data<std::uint8_t>();
    for (int device = 0; device < m_fsdp.size(); ++device)
        parts.push_back(blockOf(slot.buffer.data<std::uint8_t>().subspan(
            bytes.size() * static_cast<std::size_t>(device), bytes.size())));
    slot.gather = m_fsdp.startAllGather(blockOf(bytes), parts);
}

LayerTensors LayerStream::next() {
    if (m_next >= m_layers.size())
        throw Error(ErrorKind::Internal, "A model has fewer layers than were asked for");
    const std::size_t index = m_next++;
    const LayerWeights& layer = m_layers[index];
    if (!layer.sharded())
        return layer.tensors();
    Slot& slot = slotOf(index);
    slot.gather.wait();
    start(m_next);
    return layer.tensorsIn(slot.buffer);
}

}  // namespace meshreel
