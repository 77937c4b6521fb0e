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
    /// As people know it: "NVIDIA H200".
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Of the device and its driver: the same where the same work gives the same bits.
    [[nodiscard]] virtual const std::string& id() const = 0;

    /// Operations on tensors in it are the device's. As long as the device.
    [[nodiscard]] virtual Memory& memory() = 0;
    /// Between two stages of a run: waits for the device, gives back memory that is idle and forgets the
    /// peak.
    virtual void beginStage() = 0;
    /// Bytes of tensors in its memory at most, since the stage began.
    [[nodiscard]] virtual std::size_t peakBytes() const = 0;

    /// Waits for the work up to a submission, which whoever gave it up knows by its number; what came behind
    /// goes on. Throws Error{Device} when the device is lost.
    virtual void await(std::int64_t submission) = 0;
    /// Waits for all work that it has. Throws Error{Cancelled} when `stop` was asked, Error{Device} when the
    /// device is lost.
    virtual void finish(const StopToken& stop) = 0;
    /// How long it has worked, by its own clock; nothing where it has none. Complete after finish().
    [[nodiscard]] virtual std::optional<double> seconds() const = 0;
};

}  // namespace meshreel
