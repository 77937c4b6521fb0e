// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/mesh/device_mesh.h"

namespace meshreel {

/// Which part of a model's weights a device keeps. Devices that agree in it can share one copy.
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

}  // namespace meshreel
