// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Asks the kernel to read the pages of mapped memory from the disk, without waiting. Does nothing for other
/// memory.
void prefetchPages(std::span<const std::byte> part);

/// A whole file mapped read-only into memory; what looks into it keeps it alive through the shared pointer.
///
/// Writers that replace files by renaming, as Meshreel and download tools do, are harmless. A file that is
/// cut short under its map is caught by throwIfShrunk() when a tensor is asked for, and by
/// throwIfPagesWereLost() while one is in use: the kernel answers the read of a page that is gone with
/// SIGBUS, which would end the process without a word; here it becomes zeros instead, and the loss is
/// remembered. A process can guard a few thousand maps; of others a lost page ends it.
class MappedFile {
  public:
    /// Throws Error{Input} naming the path when it is not a readable regular file.
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

    /// Removes the pages within `part` of bytes() from this process's resident memory. Reading them again is
    /// allowed and brings them back, from the system's file cache or the disk.
    void release(std::span<const std::byte> part) const;

  private:
    explicit MappedFile(std::filesystem::path file);

    std::filesystem::path m_path;
    int m_descriptor;
    std::span<const std::byte> m_bytes;
    std::size_t m_guard;  ///< the place among the guarded maps
};

/// Throws Error{Input} naming the file when a page of a guarded map was lost, or its file is shorter than the
/// map. What was computed since the last call may come from zeros: it is asked before a result is handed on.
void throwIfPagesWereLost();

/// Returns a tensor whose bytes are in a mapped file: a view of them, or a copy if they are not aligned to
/// the type. Throws Error{Input} at `where` for a BOOL that is neither 0 nor 1.
Tensor mappedTensor(const std::shared_ptr<const MappedFile>& map, std::span<const std::byte> data,
                    const Shape& shape, DType type, const std::string& where);

}  // namespace meshreel
