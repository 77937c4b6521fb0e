// SPDX-License-Identifier: GPL-3.0-or-later
// Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (2.3 VEX, 2.7 EVEX).
#include "tests/support/x86_instruction.h"

#include <array>
#include <bit>
#include <cstring>

namespace meshreel::testing {

namespace {

constexpr std::int64_t widestVectorBytes = 64;

constexpr std::array generalRegisters{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

std::int64_t generalRegister(const ucontext_t& context, int number) {
    return context.uc_mcontext.gregs[generalRegisters[static_cast<std::size_t>(number)]];
}

/// Reads bytes one after the other.
struct ByteReader {
    const std::uint8_t* at;

    std::uint8_t byte() { return *at++; }
    template <typename Integer>
    std::int64_t signedInteger() {
        Integer value = 0;
        std::memcpy(&value, at, sizeof(value));
        at += sizeof(value);
        return value;
    }
};

/// Bits of the prefixes that lengthen register numbers; 1 where the inverted bit is 0.
struct Extensions {
    int r = 0;
    int x = 0;
    int b = 0;
};

/// The memory operand behind a ModRM byte with `mode` 0 to 2. `unit`: what an 8-bit displacement counts.
void readAddress(ByteReader& reader, const ucontext_t& context, Extensions high, int mode, int rm, int unit,
                 X86Instruction& result) {
    constexpr int hasSib = 4;
    constexpr int noBase = 5;
    constexpr int noIndex = 4;
    std::int64_t address = 0;
    bool relative = false;
    bool base = true;
    if (rm == hasSib) {
        const std::uint8_t sib = reader.byte();
        const int index = ((sib >> 3) & 7) + 8 * high.x;
        if (index != noIndex)
            result.index = generalRegister(context, index) * (std::int64_t{1} << (sib >> 6));
        rm = sib & 7;
        base = !(mode == 0 && rm == noBase);
    } else if (mode == 0 && rm == noBase) {
        relative = true;
        base = false;
    }
    if (base)
        address += generalRegister(context, rm + 8 * high.b);
    if (mode == 1)
        address += reader.signedInteger<std::int8_t>() * unit;
    else if (mode == 2 || !base)
        address += reader.signedInteger<std::int32_t>();
    if (relative)
        address += std::bit_cast<std::int64_t>(reader.at);  // of these instructions none has more bytes
    result.address = std::bit_cast<std::byte*>(address);
}

void readModRm(ByteReader& reader, const ucontext_t& context, Extensions high, int unit,
               X86Instruction& result) {
    const std::uint8_t modRm = reader.byte();
    const int mode = modRm >> 6;
    result.reg += (modRm >> 3) & 7;
    result.inMemory = mode != 3;
    if (result.inMemory)
        readAddress(reader, context, high, mode, modRm & 7, unit, result);
    else
        result.rm += modRm & 7;
}

constexpr int map0F38 = 2;

/// Three-byte VEX: C4, R̄X̄B̄ map, W v̄vvv L pp, opcode.
bool readVex(ByteReader& reader, const ucontext_t& context, X86Instruction& result) {
    const std::uint8_t first = reader.byte();
    const std::uint8_t second = reader.byte();
    if ((first & 0x1f) != map0F38)
        return false;
    const Extensions high{.r = !(first & 0x80), .x = !(first & 0x40), .b = !(first & 0x20)};
    result.prefix = static_cast<X86Prefix>(second & 3);
    result.vvvv = ~(second >> 3) & 15;
    result.opcode = reader.byte();
    result.reg = 8 * high.r;
    result.rm = 8 * high.b;
    readModRm(reader, context, high, 1, result);
    return true;
}

/// EVEX: 62, R̄X̄B̄R̄' 0 map, W v̄vvv 1 pp, z L'L b V̄' aaa, opcode. 512 bits only.
bool readEvex(ByteReader& reader, const ucontext_t& context, X86Instruction& result) {
    const std::uint8_t first = reader.byte();
    const std::uint8_t second = reader.byte();
    const std::uint8_t third = reader.byte();
    constexpr int bits512 = 2;
    if ((first & 7) != map0F38 || ((third >> 5) & 3) != bits512)
        return false;
    const Extensions high{.r = !(first & 0x80), .x = !(first & 0x40), .b = !(first & 0x20)};
    result.evex = true;
    result.prefix = static_cast<X86Prefix>(second & 3);
    result.vvvv = (~(second >> 3) & 15) + 16 * !(third & 0x08);
    result.mask = third & 7;
    result.broadcast = (third & 0x10) != 0;
    result.opcode = reader.byte();
    result.reg = 8 * high.r + 16 * !(first & 0x10);
    result.rm = 8 * high.b + 16 * high.x;
    const int unit = result.broadcast ? 4 : static_cast<int>(widestVectorBytes);
    readModRm(reader, context, high, unit, result);
    return true;
}

}  // namespace

std::optional<X86Instruction> decodeInstruction(const ucontext_t& context) {
    const auto* start = std::bit_cast<const std::uint8_t*>(context.uc_mcontext.gregs[REG_RIP]);
    constexpr std::uint8_t vex = 0xc4;
    constexpr std::uint8_t evex = 0x62;
    ByteReader reader{start};
    X86Instruction result;
    const std::uint8_t escape = reader.byte();
    const bool known = (escape == vex && readVex(reader, context, result)) ||
                       (escape == evex && readEvex(reader, context, result));
    if (!known)
        return std::nullopt;
    result.length = static_cast<std::size_t>(reader.at - start);
    return result;
}

}  // namespace meshreel::testing
