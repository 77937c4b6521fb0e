// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

/// Where the C library takes blocks of memory of 256 KiB to 32 MiB from; larger ones it maps in any case.
enum class LargeBlocks : std::uint8_t {
    Mapped,  ///< each by itself: freed ones are given back at once, whatever lies behind them
    InHeap,  ///< side by side: no page is asked for twice, and holes stay
};

/// Of the whole process, for blocks asked for from now on.
void placeLargeBlocks(LargeBlocks where);

}  // namespace meshreel
