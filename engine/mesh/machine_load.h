// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/base/problem.h"

namespace meshreel {

/// Lets the user insist on more than a machine is asked to carry.
inline constexpr const char* oversubscribeOption = "--oversubscribe";

/// What --help says of it.
inline constexpr const char* oversubscribeHelp =
    "Start more than 4 ranks a CPU, 1,024 ranks in all, or 64 devices a CPU in one process";

// Each is too much for a machine: taken for a mistake, a 0 too many say, that would leave the machine
// unusable for a while. Nothing where it is not.

/// What is too much about `ranks` on one host with so many CPUs.
std::optional<Problem> rankOverload(int ranks, const std::string& host, int cpus);

/// What is too much about so many ranks on all hosts together.
std::optional<Problem> rankOverload(int ranks);

/// Devices that one process with so many CPUs carries at most.
int deviceLimit(int cpus);

/// What is too much about `devices` in one process that may use so many CPUs, at the key `devices`.
std::optional<Problem> deviceOverload(int devices, int cpus);

}  // namespace meshreel
