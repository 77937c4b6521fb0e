// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <string>

#include "engine/base/error.h"

namespace meshreel {

/// Replaces the device number when the whole process failed.
inline constexpr int noDevice = -1;

/// Why a mesh gave up.
struct MeshFailure {
    int device = noDevice;  ///< the first that failed; noDevice when a whole rank is gone
    int rank = 0;           ///< the process it belongs to
    std::string host;       ///< where that process ran
    Sentence reason;        ///< what it threw, or why it counts as gone
    bool cancelled = false;
};

/// Returns what to report to other processes about an exception of `device`; the link adds rank and host.
MeshFailure describeFailure(int device, const std::exception_ptr& failure);

/// "device 3 of rank 1 on host b failed: why".
Sentence toSentence(const MeshFailure& failure);

/// What the devices that did not fail themselves are ended with: Error{Cancelled}, or Error{Device} naming
/// who failed and why.
[[noreturn]] void throwForOthers(const MeshFailure& failure);

}  // namespace meshreel
