// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

// What warps of a block do in kernels for compute capability 9.0. wgmma is an instruction of four warps
// together, a warpgroup. The first warpgroup copies, two more read what it brings and multiply.

inline constexpr std::uint32_t threadsOfWarpgroup = 128;
inline constexpr std::uint32_t readingGroups = 2;
inline constexpr std::uint32_t readingWarps = 4 * readingGroups;
inline constexpr std::uint32_t threadsOfRoles = (1 + readingGroups) * threadsOfWarpgroup;

/// Registers of a thread: of 65,536 a block of 384 threads begins with 168 for each.
inline constexpr std::uint32_t registersOfCopiers = 40;
inline constexpr std::uint32_t registersOfReaders = 232;

struct RoleLabels {
    std::string readers;
    std::string end;
};

/// From here on the text is that of the warps that copy,
RoleLabels beginRoles(PtxWriter& ptx, const PtxThread& self);
/// and from here on that of those that read. The label `end` is to stand where they end.
void beginReaders(PtxWriter& ptx, const RoleLabels& labels);

/// Registers that say which of the warps that read a warp is.
struct ReaderPlace {
    std::string warp;         ///< from 0
    std::string group;        ///< 0 or 1
    std::string isFirstLane;  ///< predicate: one lane of each warp
    std::string always;       ///< predicate: true
};

ReaderPlace placeReader(PtxWriter& ptx, const PtxThread& self);

}  // namespace meshreel
