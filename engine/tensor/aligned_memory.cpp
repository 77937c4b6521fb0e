// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/aligned_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace meshreel {

namespace {

constexpr std::size_t cacheLine = 64;
constexpr std::size_t hugePage = std::size_t{2} << 20;  // of x86-64
constexpr std::size_t leastForHugePages = 2 * hugePage;

}  // namespace

std::size_t alignedSize(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + cacheLine - 1) / cacheLine * cacheLine;
}

void AlignedMemoryDeleter::operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{alignment});
}

AlignedMemory allocateAligned(std::size_t bytes) {
    const bool huge = bytes >= leastForHugePages;
    const std::size_t alignment = huge ? hugePage : cacheLine;
    const std::size_t size = alignedSize(bytes);
    auto* memory = static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment}));
    // The last page may be shared with others' memory. Where the system has none, small ones serve.
    if (huge)
        ::madvise(memory, size / hugePage * hugePage, MADV_HUGEPAGE);
    return AlignedMemory(memory, {alignment});
}

}  // namespace meshreel
