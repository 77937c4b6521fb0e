// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "engine/mesh/device_mesh.h"

namespace meshreel {
namespace {

Communicator communicatorOver(Endpoint& endpoint, const MeshLayout& layout, std::span<const MeshAxis> axes) {
    return {endpoint, layout.group(endpoint.device(), axes)};
}

std::vector<Communicator> alongEveryAxis(Endpoint& endpoint, const MeshLayout& layout) {
    std::vector<Communicator> communicators;
    for (const MeshAxis axis : meshAxes)
        communicators.push_back(communicatorOver(endpoint, layout, {&axis, 1}));
    return communicators;
}

}  // namespace

Device::Device(const MeshLayout& layout, int index, const Execution& execution, Endpoint& endpoint)
    : m_layout(layout),
      m_index(index),
      m_at(layout.coordinates(index)),
      m_execution(execution),
      m_endpoint(&endpoint),
      m_axes(alongEveryAxis(endpoint, layout)),
      m_batch(communicatorOver(endpoint, layout, std::array{MeshAxis::Data, MeshAxis::Fsdp})),
      m_everyone(communicatorOver(endpoint, layout, meshAxes)) {}

Communicator& Device::along(MeshAxis axis) {
    return m_axes[static_cast<std::size_t>(axis)];
}

}  // namespace meshreel
