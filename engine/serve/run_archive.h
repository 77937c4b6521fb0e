// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/serve/web_exchange.h"

namespace meshreel {

/// Returns the header of a file in a tar archive (POSIX.1-2001 ustar), 512 bytes. Throws Error{Input} for a
/// name that has no room there: more than 100 bytes behind the last slash that leaves at most 155 before it.
std::string tarHeader(const std::string& name, std::uint64_t bytes, std::int64_t modified);

/// Returns the files of a folder as a tar archive below the folder's name, made as it is read. Links, pipes
/// and the like are left out, and so are hidden files. Each file is as long as it was when it was begun: one
/// that grows is cut, and one that shrinks cuts the stream off. Throws Error{Input} for a folder that cannot
/// be listed.
WebStream archiveOf(const std::filesystem::path& folder);

}  // namespace meshreel
