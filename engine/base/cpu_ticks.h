// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string_view>

namespace meshreel {

/// Time of CPUs since the system began, in its own unit: two readings tell how busy they were in between.
struct CpuTicks {
    double busy = 0;  ///< with any program, or taken by the host of a virtual machine
    double all = 0;
};

/// Of the CPUs that this process may use; nothing where the system does not tell.
CpuTicks readCpuTicks();

/// Of the CPUs that `counts` says, by what /proc/stat holds (proc(5)).
CpuTicks cpuTicksIn(std::string_view stat, const std::function<bool(int cpu)>& counts);

}  // namespace meshreel
