// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/stop_token.h"
#include "engine/tensor/memory.h"

namespace meshreel {

/// The interface by which devices are driven: which of an operation's kernels computes on them.
enum class DeviceApi : std::uint8_t { Vulkan };

/// A device that computes by itself, such as a GPU, at work for one device of a mesh: what a run needs of it
/// beside the operations of `kernels`. It takes work in the order of the calls and is asked for results
/// later. One thread at a time.
class ComputeDevice {
  public:
    ComputeDevice() = default;
    ComputeDevice(const ComputeDevice&) = delete;
    ComputeDevice& operator=(const ComputeDevice&) = delete;
    /// Waits for the work that it has.
    virtual ~ComputeDevice() = default;

    [[nodiscard]] virtual DeviceApi api() const = 0;
    /// Returns its name for people: "NVIDIA H200".
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Returns the id of the device and its driver: equal ids mean that the same work gives the same bits.
    [[nodiscard]] virtual const std::string& id() const = 0;

    /// Operations on tensors in it are the device's. As long as the device.
    [[nodiscard]] virtual Memory& memory() = 0;
    /// Between two stages of a run: waits for the device, gives back memory that is idle and forgets the
    /// peak.
    virtual void beginStage() = 0;
    /// Returns the bytes of tensors in its memory at most, since the stage began.
    [[nodiscard]] virtual std::size_t peakBytes() const = 0;

    /// Waits for the work up to a submission, identified by the number that it got; later work continues.
    /// Throws Error{Device} when the device is lost.
    virtual void await(std::int64_t submission) = 0;
    /// Waits for all work that it has. Throws Error{Cancelled} when `stop` was asked, Error{Device} when the
    /// device is lost.
    virtual void finish(const StopToken& stop) = 0;
    /// Returns how long it has worked, by its own clock; nothing without a clock. Complete after finish().
    [[nodiscard]] virtual std::optional<double> seconds() const = 0;
};

}  // namespace meshreel
