// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace meshreel {

class ComputeDevice;

/// Memory of a device that computes by itself, such as a GPU. Its addresses are numbers to calculate with,
/// but only the device reads and writes there; the host does so through these copies. The host's own memory
/// is not an object: tensors in it have no Memory. Work of the device and copies take effect in the order of
/// the calls. For one thread at a time, but tensors may be freed on any.
class Memory {
  public:
    virtual ~Memory() = default;

    /// Returns the device that computes what lies here. As long as the memory.
    [[nodiscard]] virtual ComputeDevice& device() = 0;

    /// Uninitialised, aligned to 256 bytes. Freed memory is given out again at once, since what uses it later
    /// comes later in order. Throws Error{Device} when memory is short.
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;

    /// Copies from the host's memory, which may be changed afterwards.
    virtual void copyIn(std::byte* to, std::span<const std::byte> from) = 0;

    /// Into the host's memory, when everything before is done. Throws as the device's work does.
    virtual void copyOut(std::span<std::byte> to, const std::byte* from) = 0;

    /// Copies from one place to another that does not overlap.
    virtual void copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) = 0;

    /// Returns room on the host that the device reads and writes by itself, if it can, and so do others of
    /// its kind in this process: for what devices exchange. Plain memory elsewhere.
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocateOnHost(std::size_t bytes);

    /// Copies from the memory of another device of this process, or from the host's where `other` is null. In
    /// contrast to copyIn(), `from` must stay as it is until awaitBorrowed() has returned. Throws
    /// Error{Internal} for a device that this one does not reach (isReached()).
    virtual void copyBorrowed(std::byte* to, Memory* other, const std::byte* from, std::size_t bytes);

    /// Waits until everything has been read that copyBorrowed() copies; what is recorded behind that goes on.
    virtual void awaitBorrowed() {}

    /// Returns whether the other devices of the mesh that are in this process read here by copyBorrowed().
    [[nodiscard]] virtual bool isReached() const { return false; }

    /// Returns the memory for weights that are read anew for each use: copies into it may be in flight while
    /// the device computes. It holds up to two layers at a time, and lives as long as this one.
    [[nodiscard]] virtual Memory& forStreaming() { return *this; }
};

}  // namespace meshreel
