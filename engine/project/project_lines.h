// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "engine/project/project_keys.h"

namespace meshreel {

class WantedText;

/// "flash_block_sizes" of "flash_block_sizes.block_q"; empty for a flat key.
std::string_view groupOf(const ProjectKey& key);

/// "block_q" of "flash_block_sizes.block_q"; the name itself for a flat key.
std::string_view leafOf(const ProjectKey& key);

/// "version: 1".
std::string versionLine();

/// The key's line, after its group's line when `group` (that of the line before) is another; updates `group`.
std::string keyLines(const WantedText& wanted, const ProjectKey& key, std::string_view& group);

inline constexpr std::string_view nestedIndent = "  ";

}  // namespace meshreel
