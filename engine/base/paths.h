// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace meshreel {

/// "/home/ann/x" -> "~/x" for paths under $HOME; anything else unchanged. For what is stored or shown.
std::string withTilde(const std::filesystem::path& path);

/// Reverses withTilde(); returns paths without a leading "~" unchanged.
std::filesystem::path expandTilde(const std::string& path);

/// Returns the file's name without its extension, for people and for what is stored: bytes that are not UTF-8
/// become U+FFFD.
std::string readableStem(const std::filesystem::path& file);

/// Turns a person's text into the name of a file or folder, or a part of one: letters and signs of all
/// scripts stay; spaces, controls, invisible marks and everything that file systems or shells interpret
/// become hyphens. At most `longest` bytes, cut between characters: a name has room for 255. Empty when
/// nothing is left.
std::string fileNameFrom(std::string_view text, std::size_t longest = 160);

/// Returns `base` and `extension`, or, if that is taken, the first free one of "BASE-2.ext", "BASE-3.ext" …
std::filesystem::path freePath(const std::filesystem::path& base, std::string_view extension = {});

/// Returns $XDG_DATA_HOME/meshreel, else ~/.local/share/meshreel: for user data to be kept. Relative when
/// neither variable holds an absolute folder.
std::filesystem::path userDataFolder();

/// Returns $XDG_CACHE_HOME/meshreel, else ~/.cache/meshreel: for data that can be made again. Relative when
/// neither variable holds an absolute folder.
std::filesystem::path userCacheFolder();

/// Returns $XDG_CONFIG_HOME/meshreel, else ~/.config/meshreel: for what the user has set.
std::filesystem::path userConfigFolder();

/// Returns the folder of the running program; empty when the system does not report it.
std::filesystem::path executableFolder();

/// Returns whether a path leads to anything, to a regular file, to a folder; false when the system does not
/// say.
bool isThere(const std::filesystem::path& path);
bool isFile(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);

/// Folder holding resources/ (models, icons): $MESHREEL_RESOURCES, the installed share folder beside the
/// executable's prefix, or the source tree's resources/ for a build tree. Throws Error{Internal} naming the
/// places looked at when none exists.
std::filesystem::path resourceFolder();

/// Returns the folder that this user has saved under a name ("models-folder", "runs-folder") for all
/// programs, a line in $XDG_CONFIG_HOME/meshreel/NAME; nothing if none is saved.
std::optional<std::filesystem::path> keptFolder(std::string_view name);

/// Saves the folder; an empty path restores the default. Throws Error{Input} when it is not a folder, and
/// what writeFileAtomically() throws.
void keepFolder(std::string_view name, const std::filesystem::path& folder);

}  // namespace meshreel
