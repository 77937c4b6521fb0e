// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/estimates/workload.h"
#include "engine/project/project.h"

namespace meshreel {

/// Bytes on the disk that holds the run folder.
struct DiskEstimate {
    std::uint64_t runFolder = 0;  ///< at most
    std::uint64_t available = 0;  ///< 0 when not checked
};

/// Leaves `available` to be measured.
DiskEstimate estimateDisk(const Project& project, const Workload& work);

}  // namespace meshreel
