// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace meshreel {

/// Reads the calling thread's CPUs into sets of so many bytes, as sched_getaffinity() does: 0, or -1 and
/// errno.
using AffinityCall = int (*)(std::size_t bytes, cpu_set_t* sets);
int callKernel(std::size_t bytes, cpu_set_t* sets);

/// Returns the numbers of the CPUs that the calling thread may run on, in their order, on machines with any
/// number of them: cpu_set_t ends at 1,024, and the kernel refuses a set that is shorter than its own. Empty
/// when the system does not say.
std::vector<int> allowedCpus(AffinityCall call = callKernel);

}  // namespace meshreel
