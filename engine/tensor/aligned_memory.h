// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

namespace meshreel {

/// Frees what allocateAligned() gave.
struct AlignedMemoryDeleter {
    std::size_t alignment = 0;
    void operator()(std::byte* memory) const;
};

using AlignedMemory = std::unique_ptr<std::byte, AlignedMemoryDeleter>;

/// What an allocation of `bytes` takes: whole cache lines, one at least.
std::size_t alignedSize(std::size_t bytes);

/// Uninitialised, aligned to a cache line (64 bytes, also one AVX-512 register). From several MiB on, aligned
/// to huge pages, which the system is asked for: fewer faults when it is first written, fewer misses when it
/// is walked through. Throws std::bad_alloc.
AlignedMemory allocateAligned(std::size_t bytes);

}  // namespace meshreel
