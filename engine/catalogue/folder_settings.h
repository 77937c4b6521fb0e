// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace meshreel {

/// The folder that this user keeps under a name ("models-folder", "runs-folder") for all programs, a line in
/// $XDG_CONFIG_HOME/meshreel/NAME; nothing where none is kept.
std::optional<std::filesystem::path> keptFolder(std::string_view name);

/// Keeps it; an empty path goes back to the default. Throws Error{Input} for what is no folder, and what
/// writeFileAtomically() throws.
void keepFolder(std::string_view name, const std::filesystem::path& folder);

}  // namespace meshreel
