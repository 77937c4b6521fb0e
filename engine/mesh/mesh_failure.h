// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>

#include "engine/mesh/mpi/remote_link.h"

namespace meshreel {

/// In place of a device where the failure is of the process as a whole.
constexpr int noDevice = -1;

/// What other processes are told about an exception of `device`; the link adds rank and host.
MeshFailure describeFailure(int device, const std::exception_ptr& failure);

/// What the devices that did not fail themselves are ended with: Error{Cancelled}, or Error{Device} naming
/// who failed and why.
[[noreturn]] void throwForOthers(const MeshFailure& failure);

}  // namespace meshreel
