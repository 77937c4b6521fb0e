// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace meshreel {

/// Release number, "MAJOR.MINOR.PATCH".
std::string_view versionNumber();

/// Abbreviated git commit the build was configured at; "-dirty" when the tree had changes, "unknown" without
/// git.
std::string_view versionCommit();

}  // namespace meshreel
