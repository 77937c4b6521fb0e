// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/large_blocks.h"

#include <malloc.h>

namespace meshreel {
namespace {

constexpr int smallestMapped = 1 << 18;
// glibc's own limits, which its thresholds grow to with what is freed.
constexpr int largestInHeap = 1 << 25;
constexpr int keptAtTop = 2 * largestInHeap;

}  // namespace

void placeLargeBlocks(LargeBlocks where) {
    ::mallopt(M_MMAP_THRESHOLD, where == LargeBlocks::Mapped ? smallestMapped : largestInHeap);
    ::mallopt(M_TRIM_THRESHOLD, keptAtTop);
}

}  // namespace meshreel
