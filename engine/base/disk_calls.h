// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <system_error>

namespace meshreel {

// Network drives, FUSE and the file systems of memory cards lack calls that local disks have. If that only
// costs safety (in a race, in a power cut), the work continues; a failure of the disk itself is still an
// error.

/// Returns whether an errno says that the file system has no such call, or not with these flags, rather than
/// that the call failed.
bool lacksCall(int code);

/// fsync(2): 0, or the errno of a disk that failed. A file system without the call keeps what it is given.
int syncDescriptor(int descriptor);

/// Makes the names in a folder outlast a power cut, as far as its file system can: 0, or an errno as above.
int syncFolder(const std::filesystem::path& folder);

/// Calls rename(2) without replacing anything: returns 0, EEXIST or another errno. On a file system that has
/// neither such renames nor hard links, a `to` that appears between the check and the rename is lost.
int renameToFree(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes what is left to read of an open file into a file, which is made or emptied; a link in its place is
/// not followed. 0, or the errno of whichever failed.
int copyRest(int source, const std::filesystem::path& target);

/// Copies what a regular file holds, and not its times and permissions, which some disks do not keep.
std::error_code copyContent(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace meshreel
