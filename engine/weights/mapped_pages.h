// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

namespace meshreel {

/// Asks the kernel to read the pages of mapped memory from the disk, without waiting. Of other memory it does
/// nothing.
void prefetchPages(std::span<const std::byte> part);

/// Takes the whole pages within mapped memory off this process's resident memory. Reading them again brings
/// them back. Never of other memory, which would lose what it holds.
void releasePages(std::span<const std::byte> part);

}  // namespace meshreel
