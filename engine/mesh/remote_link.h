// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/transport.h"

namespace meshreel {

/// Carries transfers to devices of other processes. Called from many device threads at once.
class RemoteLink {
  public:
    virtual ~RemoteLink() = default;

    /// Transfers of `device` with devices of other processes only. wait() throws Error{Device} (or
    /// Error{Cancelled}) once any process of the mesh has failed.
    [[nodiscard]] virtual std::unique_ptr<Transfer> start(int device, std::span<const Send> sends,
                                                          std::span<const Receive> receives) = 0;

    /// Tells every other process that this one gives up, and lets all transfers here end by throwing.
    virtual void fail(const MeshFailure& failure) = 0;

    /// `onFailure` is called once, from a thread of the link, when another process has failed or is gone.
    virtual void listen(std::function<void(const MeshFailure&)> onFailure) = 0;
};

}  // namespace meshreel
