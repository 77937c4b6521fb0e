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

/// The inverse of withTilde; paths without a leading "~" are returned as they are.
std::filesystem::path expandTilde(const std::string& path);

/// The file's name without its extension, for people and for what is stored: bytes that are not UTF-8 become
/// U+FFFD.
std::string readableStem(const std::filesystem::path& file);

/// A person's text as the name of a file or folder, or as a part of one: letters and signs of all scripts
/// stay; spaces, controls, invisible marks and what file systems or shells read otherwise become hyphens.
/// At most `longest` bytes, cut between characters: a name has room for 255. Empty when nothing is left.
std::string fileNameFrom(std::string_view text, std::size_t longest = 160);

/// `base` and `extension`, or where something lies there the first of "BASE-2.ext", "BASE-3.ext" … where
/// nothing does.
std::filesystem::path freePath(const std::filesystem::path& base, std::string_view extension = {});

/// $XDG_DATA_HOME/meshreel, else ~/.local/share/meshreel: what belongs to the user and is kept. Relative
/// when neither variable tells an absolute folder.
std::filesystem::path userDataFolder();

/// $XDG_CACHE_HOME/meshreel, else ~/.cache/meshreel: what can be made again. Relative when neither variable
/// tells an absolute folder.
std::filesystem::path userCacheFolder();

/// Where the running program lies; empty when the system does not tell.
std::filesystem::path executableFolder();

/// Whether a path leads to anything, to a regular file, to a folder; false where the system does not say.
bool isThere(const std::filesystem::path& path);
bool isFile(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);

/// Folder holding resources/ (models, icons): $MESHREEL_RESOURCES, the installed share folder beside the
/// executable's prefix, or the source tree's resources/ for a build tree. Throws Error{Internal} naming the
/// places looked at when none exists.
std::filesystem::path resourceFolder();

/// The folder that this user keeps under a name ("models-folder", "runs-folder") for all programs, a line in
/// $XDG_CONFIG_HOME/meshreel/NAME; nothing where none is kept.
std::optional<std::filesystem::path> keptFolder(std::string_view name);

/// Keeps it; an empty path goes back to the default. Throws Error{Input} for what is no folder, and what
/// writeFileAtomically() throws.
void keepFolder(std::string_view name, const std::filesystem::path& folder);

}  // namespace meshreel
