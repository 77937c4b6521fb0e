// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "engine/weights/lost_pages.h"

namespace meshreel {

/// A whole file mapped read-only into memory; what looks into it keeps it alive through the shared pointer.
///
/// Writers that replace files by renaming, as Meshreel and download tools do, are harmless. A file that is
/// cut short under its map is caught by throwIfShrunk() when a tensor is asked for, and by
/// throwIfPagesWereLost() while one is in use.
class MappedFile {
  public:
    /// Throws Error{Input} naming the path when it is no readable regular file.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& file);

    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }

    /// Throws Error{Input} when the file is now shorter than what was mapped.
    void throwIfShrunk() const;

    /// Asks the kernel to read `part` of bytes() from the disk, without waiting for it.
    void prefetch(std::span<const std::byte> part) const;

    /// Takes the pages that lie within `part` of bytes() off this process's resident memory. Reading them
    /// again is allowed and brings them back, from the system's file cache or the disk.
    void release(std::span<const std::byte> part) const;

  private:
    explicit MappedFile(std::filesystem::path file);

    std::filesystem::path m_path;
    int m_descriptor;
    std::span<const std::byte> m_bytes;
    std::optional<LostPagesGuard> m_guard;
};

}  // namespace meshreel
