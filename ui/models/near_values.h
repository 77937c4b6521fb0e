// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

/// Texts worth trying in place of `typed`, the likeliest first: for numbers the nearest legal ones.
std::vector<std::string> nearValues(const ProjectKey& key, const std::string& typed, const Project& project);

/// The typed number, else the project's, halved so often and put on the grid of the key; an automatic block
/// size counts as what it comes to. Nothing for keys of no integers, and outside their range.
std::optional<std::int64_t> halvedValue(const ProjectKey& key, const std::string& typed,
                                        const Project& project, int times);

}  // namespace meshreel
