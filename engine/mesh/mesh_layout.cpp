// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_layout.h"

#include <array>

namespace meshreel {
namespace {

/// Number of a position in a mesh, tensor fastest.
int numberOf(const DeviceCoordinates& at, const MeshShape& shape) {
    return ((at.data * shape.fsdp + at.fsdp) * shape.context + at.context) * shape.tensor + at.tensor;
}

/// Inverse of numberOf.
DeviceCoordinates positionOf(int number, const MeshShape& shape) {
    const int tensor = number % shape.tensor;
    number /= shape.tensor;
    const int context = number % shape.context;
    number /= shape.context;
    return {.data = number / shape.fsdp, .fsdp = number % shape.fsdp, .context = context, .tensor = tensor};
}

int& along(DeviceCoordinates& at, MeshAxis axis) {
    const std::array members{&at.data, &at.fsdp, &at.context, &at.tensor};
    return *members[static_cast<std::size_t>(axis)];
}

}  // namespace

int DeviceCoordinates::along(MeshAxis axis) const {
    const std::array members{data, fsdp, context, tensor};
    return members[static_cast<std::size_t>(axis)];
}

MeshLayout::MeshLayout(const MeshShape& ici, const MeshShape& dcn) : m_ici(ici), m_dcn(dcn) {}

MeshShape MeshLayout::shape() const {
    return {.data = m_dcn.data * m_ici.data,
            .fsdp = m_dcn.fsdp * m_ici.fsdp,
            .context = m_dcn.context * m_ici.context,
            .tensor = m_dcn.tensor * m_ici.tensor};
}

DeviceCoordinates MeshLayout::coordinates(int device) const {
    DeviceCoordinates at = positionOf(device % m_ici.devices(), m_ici);
    const DeviceCoordinates outer = positionOf(device / m_ici.devices(), m_dcn);
    for (const MeshAxis axis : meshAxes)
        meshreel::along(at, axis) += outer.along(axis) * m_ici.extent(axis);
    return at;
}

int MeshLayout::deviceAt(const DeviceCoordinates& at) const {
    DeviceCoordinates outer;
    DeviceCoordinates inner;
    for (const MeshAxis axis : meshAxes) {
        meshreel::along(outer, axis) = at.along(axis) / m_ici.extent(axis);
        meshreel::along(inner, axis) = at.along(axis) % m_ici.extent(axis);
    }
    return numberOf(outer, m_dcn) * m_ici.devices() + numberOf(inner, m_ici);
}

std::vector<int> MeshLayout::group(int device, std::span<const MeshAxis> axes) const {
    const MeshShape extents = shape();
    std::vector<DeviceCoordinates> members{coordinates(device)};
    for (const MeshAxis axis : axes) {
        std::vector<DeviceCoordinates> wider;
        for (const DeviceCoordinates& member : members)
            for (int index = 0; index < extents.extent(axis); ++index) {
                wider.push_back(member);
                meshreel::along(wider.back(), axis) = index;
            }
        members = std::move(wider);
    }
    std::vector<int> devices;
    devices.reserve(members.size());
    for (const DeviceCoordinates& member : members)
        devices.push_back(deviceAt(member));
    return devices;
}

}  // namespace meshreel
