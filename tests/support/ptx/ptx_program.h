// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_forms.h"

namespace meshreel::testing {

/// Lanes of a warp.
inline constexpr int ptxLanes = 32;
/// Where shared memory begins whose size a launch says: cards promise a multiple of 16 and no more.
inline constexpr std::uint32_t ptxDynamicBegin = 16;

struct PtxRegister {
    std::string name;  ///< "%row"
    PtxType type = PtxType::B32;
};

/// What an instruction reads besides registers.
enum class PtxSpecial : std::uint8_t {
    ThreadX,
    BlockX,
    BlockY,
    BlockZ,
    BlocksX,
    BlocksY,
    BlocksZ,
    ThreadsX,
    Lane,
};

/// An operand as written.
struct PtxOperand {
    enum class Kind : std::uint8_t { Registers, Number, Special, Address, Label };

    Kind kind = Kind::Registers;
    std::vector<int> registers = {};  ///< of a value or vector, or the base of an address; -1: no base
    /// The bits of an immediate; what is added to an address, where a shared variable or a parameter begins
    /// included; the instruction that a label stands before.
    std::uint64_t number = 0;
    PtxSpecial special = PtxSpecial::ThreadX;
};

struct PtxInstruction {
    const PtxForm* form = nullptr;
    int line = 0;
    int guard = -1;  ///< the predicate of `@%p`; -1: none
    bool guardIsNegated = false;
    std::vector<PtxOperand> operands = {};
};

/// A kernel.
struct PtxEntry {
    std::string name;
    std::uint32_t parameterBytes = 0;
    std::uint32_t threads = 0;       ///< of a block, by .reqntid
    std::uint32_t sharedBytes = 0;   ///< static
    bool takesDynamicBytes = false;  ///< reads what a launch adds to it
    std::vector<PtxRegister> registers = {};
    std::vector<PtxInstruction> instructions = {};
    int liveRegisters = 0;  ///< the most 32-bit registers that hold something needed, at any place
    /// Registers that a thread begins with, where setmaxnreg shares them out anew.
    int sharedOutRegisters = 0;
    bool hasProcessorAlone = false;  ///< .minnctapersm 1
};

/// PTX text that a driver would take.
struct PtxProgram {
    std::string file;  ///< by which complaints name the text
    int version = 0;
    int target = 0;
    bool isForHopperAlone = false;  ///< sm_90a
    std::uint32_t sharedBytes = 0;  ///< that a block has at most
    std::vector<PtxEntry> entries = {};

    /// Throws PtxComplaint when there is none of the name.
    [[nodiscard]] const PtxEntry& entry(std::string_view name) const;
};

}  // namespace meshreel::testing
