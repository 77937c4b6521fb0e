// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace meshreel {

/// Writes the whole file under a temporary name beside it, fsyncs, and renames it into place: readers see the
/// old file or the complete new one. On failure the temporary is removed and Error{Resources} (disk full,
/// quota) or Error{Input} (folder missing or not writable) is thrown.
void writeFileAtomically(const std::filesystem::path& file, std::string_view bytes);

/// Writes through a path: calls `write` with the temporary path (same extension as `file`), an empty file,
/// then fsyncs and renames the result. An exception from `write` removes the temporary and propagates. Files
/// that killed writers of `file` left behind are removed first.
void writeFileAtomically(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& write);

/// writeFileAtomically for a folder: `write` fills an empty folder of a temporary name beside, which then
/// takes the place of `folder`, replacing an older one whole. On failure the temporary is removed.
void writeFolderAtomically(const std::filesystem::path& folder,
                           const std::function<void(const std::filesystem::path&)>& write);

/// Appends bytes to a file, which is created if missing; does not follow a link. Appends all of them or, if
/// that fails, none: a process that is killed meanwhile leaves a beginning of them. Throws as
/// writeFileAtomically() does.
void appendToFile(const std::filesystem::path& file, std::string_view bytes);

/// A new file or folder with a hidden name beside `path` (same extension), in which this thread writes before
/// it renames. It is always newly made: a link under that name is removed, not followed.
class TemporaryBeside {
  public:
    enum class Kind { File, Folder };

    /// Throws as writeFileAtomically() does.
    TemporaryBeside(const std::filesystem::path& path, Kind kind);

    /// Removes what still has the hidden name.
    ~TemporaryBeside();
    TemporaryBeside(const TemporaryBeside&) = delete;
    TemporaryBeside& operator=(const TemporaryBeside&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// Returns the descriptor to write to.
    [[nodiscard]] int descriptor() const { return m_descriptor; }

    /// fsyncs it and gives it its own name. Throws as writeFileAtomically() does.
    void putIntoPlace();

  private:
    std::filesystem::path m_target;
    std::filesystem::path m_path;
    int m_descriptor = -1;  // locked: see removeAbandonedBeside()
};

/// Returns whether TemporaryBeside gives such names.
bool isTemporaryName(const std::string& name);

/// Removes what killed writers of `path` left beside it; files that are being written stay.
void removeAbandonedBeside(const std::filesystem::path& path);

/// Removes everything in `folder` with such a name, left by processes that were killed while writing. Only
/// for folders in which nothing else writes now.
void removeAbandonedTemporaries(const std::filesystem::path& folder);

/// Returns the whole file, of up to Limit::Text (limits.h). Throws Error{Input} when it cannot be read or is
/// larger.
std::string readFile(const std::filesystem::path& file);

// Opens files in folders that may come from someone else, such as a run to be resumed: a link there can
// lead to any file of the user, and opening a named pipe can hang.

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

/// Returns the system's place for temporary files. Throws Error{Input} when it is missing or cannot be
/// written to.
std::filesystem::path temporaryFilesFolder();

/// A folder in the system's place for temporary files that is gone with the object.
class ScratchFolder {
  public:
    /// Throws Error{Input} when none can be made.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return m_path; }

  private:
    std::string m_path;
};

}  // namespace meshreel
