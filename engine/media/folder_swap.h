// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>

namespace meshreel {

/// writeFileAtomically for a folder: `write` fills an empty folder of a temporary name beside, which then
/// takes the place of `folder`, replacing an older one whole. On failure the temporary is removed.
void writeFolderAtomically(const std::filesystem::path& folder,
                           const std::function<void(const std::filesystem::path&)>& write);

}  // namespace meshreel
