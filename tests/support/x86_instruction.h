// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace meshreel::testing {

/// The prefix that the encoding stands for, by its number there.
enum class X86Prefix { None, X66, XF3, XF2 };

/// What VEX and EVEX instructions of the map 0F38 have in common.
struct X86Instruction {
    bool evex = false;
    X86Prefix prefix = X86Prefix::None;
    std::uint8_t opcode = 0;
    bool inMemory = false;  ///< the operand of ModRM.rm
    int reg = 0;            ///< number of the register that ModRM.reg names
    int rm = 0;             ///< and ModRM.rm, unless it is in memory
    int vvvv = 0;
    std::uint8_t mask = 0;         ///< EVEX: writemask, 0 for none
    bool broadcast = false;        ///< EVEX: one 32-bit element of memory for all
    std::byte* address = nullptr;  ///< of the operand in memory; without the index for tiles
    std::int64_t index = 0;        ///< value of the index register, scaled
    std::size_t length = 0;
};

/// The instruction at which `context` stopped, if it is of three-byte VEX or of 512-bit EVEX, of the map 0F38
/// and without an immediate.
std::optional<X86Instruction> decodeInstruction(const ucontext_t& context);

}  // namespace meshreel::testing
