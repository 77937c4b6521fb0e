// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// Release number, "MAJOR.MINOR.PATCH".
std::string_view versionNumber();

/// Abbreviated git commit the build was configured at; "-dirty" when the tree had changes, "unknown" without
/// git.
std::string_view versionCommit();

/// Returns the CMake preset that configured the build, "quick"; "no preset" without one.
std::string_view versionPreset();

/// Compiler and build type, "GNU 12.2.0 Release".
std::string_view versionCompiler();

/// Returns the linker's build id of the running program in hexadecimal, which no two different programs
/// share; empty when it has none.
std::string programBuildId();

}  // namespace meshreel
