// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/base/error.h"

namespace meshreel {

// What a machine is asked to carry at most. More is taken for a mistake, a 0 too many say, that would leave
// the machine unusable for a while, unless the user insists (oversubscribeOption).

inline constexpr int mostRanksPerCpu = 4;     ///< of one host
inline constexpr int mostRanks = 1024;        ///< of all hosts together
inline constexpr int mostDevicesPerCpu = 64;  ///< of one process

inline constexpr const char* oversubscribeOption = "--oversubscribe";

/// What --help says of it.
inline constexpr const char* oversubscribeHelp =
    "Start more than 4 ranks a CPU, 1,024 ranks in all, or 64 devices a CPU in one process";

/// Too much for a machine, and the cure.
struct Overload {
    Sentence message;
    Sentence hint;
};

/// Of `ranks` on one host with so many CPUs.
std::optional<Overload> rankOverload(int ranks, const std::string& host, int cpus);

/// Of all ranks together.
std::optional<Overload> rankOverload(int ranks);

/// Of `devices` in one process that may use so many CPUs.
std::optional<Overload> deviceOverload(int devices, int cpus);

}  // namespace meshreel
