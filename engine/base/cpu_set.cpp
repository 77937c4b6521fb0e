// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/cpu_set.h"

#include <cerrno>

namespace meshreel {

int callKernel(std::size_t bytes, cpu_set_t* sets) {
    return ::sched_getaffinity(0, bytes, sets);
}

std::vector<int> allowedCpus(AffinityCall call) {
    constexpr std::size_t mostCpus = std::size_t{1} << 20U;  // far more than any kernel is built for
    std::vector<int> cpus;
    for (std::size_t count = CPU_SETSIZE; count <= mostCpus; count *= 2) {
        std::vector<cpu_set_t> sets(count / CPU_SETSIZE);
        const std::size_t bytes = sets.size() * sizeof(cpu_set_t);
        if (call(bytes, sets.data()) != 0) {
            if (errno == EINVAL)
                continue;  // the kernel's set is longer
            return {};
        }
        for (std::size_t cpu = 0; cpu < count; ++cpu)
            if (CPU_ISSET_S(cpu, bytes, sets.data()))
                cpus.push_back(static_cast<int>(cpu));
        return cpus;
    }
    return {};
}

}  // namespace meshreel
