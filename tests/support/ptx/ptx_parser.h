// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

/// Static shared memory that every card gives a block.
inline constexpr std::uint32_t ptxStaticSharedBytes = 48 * 1024;
/// 32-bit registers of a thread, and of all threads of a block together.
inline constexpr int ptxRegistersOfThread = 255;
inline constexpr int ptxRegistersOfBlock = 65536;

/// Reads PTX text strictly. Throws PtxComplaint for what a driver refuses: a version, target or instruction
/// that does not exist or does not fit the others, operands of another type, space, width or alignment, names
/// that nobody declared or that are declared twice, too much shared memory. Also for what a driver takes and
/// nobody wants: a register that is read before it is written, and more live registers than a thread has,
/// which would lie in slow memory.
PtxProgram parsePtx(std::string_view text, std::string_view file = "text.ptx");

}  // namespace meshreel::testing
