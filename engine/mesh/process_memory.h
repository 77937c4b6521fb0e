// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// Whether the system lets a process read the memory of another one of the same user; containers and hardened
/// kernels often do not. Tried with a short-lived child process.
bool mayCopyBetweenProcesses();

}  // namespace meshreel
