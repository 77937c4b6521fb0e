// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace meshreel {

// For folders that may come from somebody else, a run to be continued say: a link in one can lead to any file
// of the user, and a named pipe can hang who opens it.

/// open(2) with O_CLOEXEC and O_NOCTTY that never waits for who is at the other end of a named pipe, but does
/// wait for a lease that another program holds on the file. -1 and errno as open(2) has them.
int openUnlessPipe(const std::filesystem::path& file, int flags);

/// open(2) with O_CLOEXEC and without following a link; the descriptor of a regular file. Throws Error{Input}
/// naming the file when it is none, or cannot be opened.
int openPlainFile(const std::filesystem::path& file, int flags);

/// Throws Error{Input} when `file` is there and is a link.
void requireNoLink(const std::filesystem::path& file);

/// Throws Error{Input} naming the first thing inside `folder`, at any depth, that is neither a file nor a
/// folder. The folder itself may be reached through a link.
void requirePlainFiles(const std::filesystem::path& folder);

}  // namespace meshreel
