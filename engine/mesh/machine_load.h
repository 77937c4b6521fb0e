// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/base/error.h"

namespace meshreel {

/// Lets the user insist on more than a machine is asked to carry.
inline constexpr const char* oversubscribeOption = "--oversubscribe";

/// What --help says of it.
inline constexpr const char* oversubscribeHelp =
    "Start more than 4 ranks a CPU, 1,024 ranks in all, or 64 devices a CPU in one process";

/// Too much for a machine, and the cure: taken for a mistake, a 0 too many say, that would leave the machine
/// unusable for a while.
struct Overload {
    Sentence message;
    Sentence hint;
};

/// What is too much about `ranks` on one host with so many CPUs.
std::optional<Overload> rankOverload(int ranks, const std::string& host, int cpus);

/// What is too much about so many ranks on all hosts together.
std::optional<Overload> rankOverload(int ranks);

/// What is too much about `devices` in one process that may use so many CPUs.
std::optional<Overload> deviceOverload(int devices, int cpus);

}  // namespace meshreel
