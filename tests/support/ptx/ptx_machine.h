// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/support/ptx/ptx_memory.h"
#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

struct PtxGrid {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
};

/// What a block did.
struct PtxWork {
    std::int64_t instructions = 0;  ///< of warps
    std::int64_t products = 0;      ///< mma.sync, and wgmma as each of its four warps has it
    /// Turns that shared memory took beyond the fewest, because lanes of a turn met in a bank. Copies and
    /// ldmatrix alone: the inner loops consist of them.
    std::int64_t bankConflicts = 0;
};

/// Computes one block, with `dynamicBytes` of shared memory besides what the text declares, as a card may:
/// warps of 32 lanes go from barrier to barrier, asynchronous copies arrive when they are waited for and not
/// before. Sums of mma.sync and wgmma in f32 are made in double and rounded once; cards differ from it in the
/// last bits. Throws PtxComplaint where the result is not defined: reads of what is not there yet, races,
/// addresses off a tensor or its alignment, lanes apart where all must meet, registers that products under
/// way use, a block that does not end.
PtxWork runPtxBlock(const PtxProgram& program, const PtxEntry& entry, PtxMemory& memory, const PtxGrid& grid,
                    const PtxGrid& block, std::span<const std::byte> parameters,
                    std::uint32_t dynamicBytes = 0);

/// Computes all blocks of the grid, one after the other.
PtxWork runPtxGrid(const PtxProgram& program, const PtxEntry& entry, PtxMemory& memory, const PtxGrid& grid,
                   std::span<const std::byte> parameters, std::uint32_t dynamicBytes = 0);

}  // namespace meshreel::testing
