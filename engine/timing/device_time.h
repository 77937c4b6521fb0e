// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// How one device of a mesh spent its time, in seconds.
struct DeviceTime {
    double computing = 0;
    double exchanging = 0;           ///< moved bytes between devices with its own workers
    double waiting = 0;              ///< stood still until others were ready, or had moved its bytes
    std::int64_t bytesReceived = 0;  ///< from other devices

    [[nodiscard]] double seconds() const { return computing + exchanging + waiting; }

    DeviceTime& operator+=(const DeviceTime& other) {
        computing += other.computing;
        exchanging += other.exchanging;
        waiting += other.waiting;
        bytesReceived += other.bytesReceived;
        return *this;
    }

    friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// One denoising step as all devices of the mesh spent it.
struct StepDeviceTimes {
    int step = 0;                     ///< counted from 0
    std::vector<DeviceTime> devices;  ///< in their order

    friend bool operator==(const StepDeviceTimes&, const StepDeviceTimes&) = default;
};

}  // namespace meshreel
