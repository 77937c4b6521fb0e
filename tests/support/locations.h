// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace meshreel::testing {

// Functions and not macros: only one unit then depends on where the clone lies, and the compiler cache serves
// the others to every clone.

/// The root of the source tree.
std::filesystem::path sourceFolder();

/// Inputs and expected outputs: `tests/data`.
std::filesystem::path testData();

/// Where the build leaves `meshreel` and its companions.
std::filesystem::path programFolder();

}  // namespace meshreel::testing
