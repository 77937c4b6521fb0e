// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/mapped_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace meshreel {
namespace {

enum class Rounding : std::uint8_t { Inward, Outward };

// madvise wants whole pages.
std::span<const std::byte> wholePages(std::span<const std::byte> part, Rounding rounding) {
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(part.data());
    const bool inward = rounding == Rounding::Inward;
    const std::uintptr_t begin = (address + (inward ? page - 1 : 0)) / page * page;
    const std::uintptr_t end = (address + part.size() + (inward ? 0 : page - 1)) / page * page;
    return {part.data() + static_cast<std::ptrdiff_t>(begin - address), end > begin ? end - begin : 0};
}

// Only advice: a kernel that declines costs time or memory, never a result.
void advise(std::span<const std::byte> part, Rounding rounding, int advice) {
    const std::span<const std::byte> pages = wholePages(part, rounding);
    ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), advice);
}

}  // namespace

void prefetchPages(std::span<const std::byte> part) {
    advise(part, Rounding::Outward, MADV_WILLNEED);
}

void releasePages(std::span<const std::byte> part) {
    advise(part, Rounding::Inward, MADV_DONTNEED);
}

}  // namespace meshreel
