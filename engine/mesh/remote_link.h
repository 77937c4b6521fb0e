// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/transport.h"

namespace meshreel {

/// In place of a device where the failure is of the process as a whole.
inline constexpr int noDevice = -1;

/// Why a mesh gave up.
struct MeshFailure {
    int device = noDevice;  ///< the first that failed; noDevice when a whole rank is gone
    int rank = 0;           ///< the process it belongs to
    std::string host;       ///< where that process ran
    Sentence reason;        ///< what it threw, or why it counts as gone
    bool cancelled = false;
};

/// Carries transfers to devices of other processes. Called from many device threads at once.
class RemoteLink {
  public:
    virtual ~RemoteLink() = default;

    /// Transfers of `device` with devices of other processes only. wait() throws Error{Device} (or
    /// Error{Cancelled}) once any process of the mesh has failed.
    [[nodiscard]] virtual std::unique_ptr<Transfer> start(int device, std::vector<Send> sends,
                                                          std::vector<Receive> receives) = 0;

    /// Tells every other process that this one gives up, and lets all transfers here end by throwing.
    virtual void fail(const MeshFailure& failure) = 0;

    /// `onFailure` is called once, from a thread of the link, when another process has failed or is gone.
    virtual void listen(std::function<void(const MeshFailure&)> onFailure) = 0;
};

/// What other processes are told about an exception of `device`; the link adds rank and host.
MeshFailure describeFailure(int device, const std::exception_ptr& failure);

/// What the devices that did not fail themselves are ended with: Error{Cancelled}, or Error{Device} naming
/// who failed and why.
[[noreturn]] void throwForOthers(const MeshFailure& failure);

}  // namespace meshreel
