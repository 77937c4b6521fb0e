// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/cpu_ticks.h"

#include <sched.h>

#include <array>
#include <charconv>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

namespace meshreel {
namespace {

/// 3 of "cpu3 100 …"; -1 of the sum over all CPUs and of other lines.
int cpuOf(std::string_view line) {
    constexpr std::string_view prefix = "cpu";
    int cpu = -1;
    if (line.starts_with(prefix))
        std::from_chars(line.data() + prefix.size(), line.data() + line.size(), cpu);
    return cpu;
}

}  // namespace

CpuTicks cpuTicksIn(std::string_view stat, const std::function<bool(int cpu)>& counts) {
    enum Column { User, Nice, System, Idle, WaitsForDisk, Interrupts, SoftInterrupts, Stolen, Columns };
    CpuTicks ticks;
    std::istringstream lines{std::string(stat)};
    for (std::string line; std::getline(lines, line);) {
        const int cpu = cpuOf(line);
        if (cpu < 0 || !counts(cpu))
            continue;
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::array<double, Columns> columns = {};
        for (double& column : columns)
            words >> column;
        const double all = std::accumulate(columns.begin(), columns.end(), 0.0);
        ticks.all += all;
        ticks.busy += all - columns[Idle] - columns[WaitsForDisk];
    }
    return ticks;
}

CpuTicks readCpuTicks() {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof(own), &own) != 0)
        return {};
    std::ifstream file("/proc/stat");
    std::ostringstream text;
    text << file.rdbuf();
    return cpuTicksIn(text.view(),
                      [&own](int cpu) { return CPU_ISSET(static_cast<std::size_t>(cpu), &own); });
}

}  // namespace meshreel
