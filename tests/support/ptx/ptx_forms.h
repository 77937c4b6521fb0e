// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meshreel::testing {

/// Types of registers. B types take any number of their size.
enum class PtxType : std::uint8_t { Pred, B16, B32, U32, S32, F32, B64, U64, S64 };

/// Returns "u32" and so on.
std::string_view ptxTypeName(PtxType type);
/// Returns the bytes of a value; 0 for a predicate.
std::uint32_t ptxTypeBytes(PtxType type);

/// What the machine does for a form.
enum class PtxOperation : std::uint8_t {
    NotCarriedOut,  ///< known for its version and target alone
    Move,
    LoadParameter,
    LoadGlobal,
    StoreGlobal,
    LoadShared,
    StoreShared,
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    MultiplyWide,
    MultiplyAddWide,
    Divide,
    Remainder,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    SetIfEqual,
    SetIfNotEqual,
    SetIfLess,
    SetIfNotLess,
    SetIfGreater,
    Select,
    Negate,
    Absolute,
    PowerOfTwo,
    Reciprocal,
    NarrowPair,
    FloatOfInteger,
    ShuffleXor,
    VoteAny,
    Barrier,
    WarpBarrier,
    CopyAsync,
    CommitCopies,
    WaitForCopies,
    WaitForAllCopies,
    LoadMatrices,
    LoadMatricesTransposed,
    MultiplyBf16,
    MultiplyInt8,
    BeginBarrier,
    ArriveAtBarrier,
    ArriveExpecting,
    TryWait,
    CopyBulk,
    FenceProxy,
    FenceProducts,
    CommitProducts,
    WaitForProducts,
    MultiplyGroupBf16,
    MultiplyGroupInt8,
    GiveRegisters,
    TakeRegisters,
    Branch,
    Return,
};

/// A place for an operand in a form.
struct PtxSlot {
    enum class Kind : std::uint8_t { Value, Vector, Address, Number, Label, Sink };
    enum class Space : std::uint8_t { Parameter, Global, Shared };

    Kind kind = Kind::Value;
    PtxType type = PtxType::B32;
    bool isWritten = false;
    bool isAccumulated = false;  ///< is written, and may be read before
    bool takesNumber = false;    ///< an immediate in place of a register
    int count = 1;               ///< registers of a vector
    Space space = Space::Global;
};

/// PtxForm::target of what sm_90a alone has.
inline constexpr int ptxHopperAlone = 900;

/// An instruction with its types, as PTX spells it, and since when it exists.
struct PtxForm {
    std::string_view name;
    std::vector<PtxSlot> slots;
    int version = 10;  ///< 70 is `.version 7.0`
    int target = 10;   ///< 80 is `.target sm_80`
    PtxOperation operation = PtxOperation::NotCarriedOut;
    PtxType type = PtxType::B32;  ///< of the numbers that it computes with
};

/// Returns the forms of a name, which differ in their operands; none for an instruction that the interpreter
/// does not know. Facts: the PTX
/// ISA, "PTX ISA Notes" and "Target ISA Notes" of each instruction.
std::vector<const PtxForm*> ptxForms(std::string_view name);

/// A target of PTX with the first version that knows it.
struct PtxTarget {
    std::string_view name;
    int target;
    int version;
    std::uint32_t sharedBytes;  ///< that a block has at most
};

std::span<const PtxTarget> ptxTargets();

}  // namespace meshreel::testing
