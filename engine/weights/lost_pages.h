// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace meshreel {

/// Guards a mapped file against being cut short while it is in use. The kernel answers the read of a page
/// that is gone with SIGBUS, which would end the process without a word; a guarded page becomes zeros
/// instead, and the loss is remembered until throwIfPagesWereLost() tells it. A process can guard a few
/// thousand maps; of others a lost page ends it.
class LostPagesGuard {
  public:
    /// `descriptor` is the file's; it, `path` and the map outlive the guard.
    LostPagesGuard(std::span<const std::byte> map, const std::filesystem::path& path, int descriptor);
    ~LostPagesGuard();
    LostPagesGuard(const LostPagesGuard&) = delete;
    LostPagesGuard& operator=(const LostPagesGuard&) = delete;

  private:
    std::size_t m_slot;
};

/// Throws Error{Input} naming the file when a page of a guarded map was lost, or its file is shorter than the
/// map. What was computed since the last call may come from zeros: it is asked before a result is handed on.
void throwIfPagesWereLost();

}  // namespace meshreel
