// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel::testing {

/// Whether kernels of AMX-BF16, AMX-INT8 and AVX512-BF16 can run here: on the CPU's own units or, where a CPU
/// has AVX-512 alone, by a handler of SIGILL that the first call installs for the whole process. It reads the
/// instruction that the CPU refused from the program's own bytes and carries it out, tiles on copies of its
/// own, one set a thread, so that what compiler and assembler made is tested where no CPU has it; how fast it
/// is, is not. It knows LDTILECFG, TILERELEASE, TILEZERO, TILELOADD, TILELOADDT1, TILESTORED, TDPBF16PS and
/// TDPBSSD, and VCVTNE2PS2BF16 and VDPBF16PS on whole registers without a mask; any other illegal instruction
/// ends the process as it would have.
bool bf16InstructionsAtHand();

/// Whether the CPU has all of them itself.
bool cpuHasBf16Instructions();

/// How many instructions the handler has carried out on this thread.
std::int64_t emulatedInstructions();

}  // namespace meshreel::testing
