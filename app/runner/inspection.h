// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace meshreel {

/// Prints to stdout what `path` holds, whatever it is. Throws Error{Input} when it is nothing that is known.
void inspect(const std::filesystem::path& path);

}  // namespace meshreel
