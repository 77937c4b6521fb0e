// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/mesh/mesh_shape.h"

namespace meshreel {

/// Where a device stands: its index along every axis of the whole mesh.
struct DeviceCoordinates {
    int data = 0;
    int fsdp = 0;
    int context = 0;
    int tensor = 0;

    [[nodiscard]] int along(MeshAxis axis) const;
    friend bool operator==(const DeviceCoordinates&, const DeviceCoordinates&) = default;
};

/// Numbers the devices of a mesh made of an outer mesh between hosts (dcn) and an inner one (ici). An axis
/// has dcn·ici shards, its coordinate is outer·ici + inner; device numbers count the outer mesh slowest, and
/// in both meshes data, fsdp, context, tensor from slowest to fastest.
class MeshLayout {
  public:
    MeshLayout() = default;
    explicit MeshLayout(const MeshShape& ici, const MeshShape& dcn = {});

    [[nodiscard]] const MeshShape& ici() const { return m_ici; }
    [[nodiscard]] const MeshShape& dcn() const { return m_dcn; }
    [[nodiscard]] MeshShape shape() const;  ///< products of both
    [[nodiscard]] int devices() const { return m_ici.devices() * m_dcn.devices(); }

    [[nodiscard]] DeviceCoordinates coordinates(int device) const;
    [[nodiscard]] int deviceAt(const DeviceCoordinates& at) const;

    /// The devices whose coordinates differ from those of `device` along `axes` only, `device` among them,
    /// ordered by those coordinates with the last of `axes` fastest.
    [[nodiscard]] std::vector<int> group(int device, std::span<const MeshAxis> axes) const;

    friend bool operator==(const MeshLayout&, const MeshLayout&) = default;

  private:
    MeshShape m_ici;
    MeshShape m_dcn;
};

}  // namespace meshreel
