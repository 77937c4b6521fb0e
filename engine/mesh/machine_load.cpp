// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/machine_load.h"

namespace meshreel {
namespace {

// The most that is taken for no mistake; oversubscribeHelp names these numbers.
constexpr int mostRanksPerCpu = 4;     // of one host
constexpr int mostRanks = 1024;        // of all hosts together
constexpr int mostDevicesPerCpu = 64;  // of one process

Sentence cpuCount(int cpus) {
    return cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
}

}  // namespace

std::optional<Problem> rankOverload(int ranks, const std::string& host, int cpus) {
    if (ranks <= mostRanksPerCpu * cpus)
        return std::nullopt;
    return Problem{
        .id = "ranks-too-many",
        .message = sentence("{} ranks on {} would share {}, and more than {} a CPU are not started", ranks,
                            host, cpuCount(cpus), mostRanksPerCpu),
        .fixes = byHand(sentence("Start at most {} there, or insist with {}", mostRanksPerCpu * cpus,
                                 oversubscribeOption))};
}

std::optional<Problem> rankOverload(int ranks) {
    if (ranks <= mostRanks)
        return std::nullopt;
    return Problem{
        .id = "ranks-too-many",
        .message = sentence("{} ranks are asked for, and more than {} are not started", ranks, mostRanks),
        .fixes = byHand(
            sentence("Start fewer ranks with more devices each, or insist with {}", oversubscribeOption))};
}

int deviceLimit(int cpus) {
    return mostDevicesPerCpu * cpus;
}

std::optional<Problem> deviceOverload(int devices, int cpus) {
    if (devices <= deviceLimit(cpus))
        return std::nullopt;
    return Problem{
        .id = "devices-too-many",
        .key = "devices",
        .message =
            sentence("{} devices of one process would share {}, and more than {} a CPU are not started",
                     devices, cpuCount(cpus), mostDevicesPerCpu),
        .fixes =
            byHand(sentence("Ask for at most {} devices here, spread them over more hosts, or insist with {}",
                            deviceLimit(cpus), oversubscribeOption))};
}

}  // namespace meshreel
