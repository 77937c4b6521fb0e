// SPDX-License-Identifier: GPL-3.0-or-later
// Encodings and operations: Intel 64 and IA-32 Architectures Software Developer's Manual, volumes 1 (13.5,
// the XSAVE area) and 2 (2.3 VEX, 2.7 EVEX, and the instructions' own pages).
#include "tests/support/instruction_emulation.h"

#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "tests/support/x86_instruction.h"

namespace meshreel::testing {

namespace {

constexpr int tileCount = 8;
constexpr int vectorWords = 16;
constexpr std::size_t vectorBytes = 64;
using Words = std::array<std::uint32_t, vectorWords>;

struct Tile {
    std::array<Words, 16> rows{};
};

// As LDTILECFG reads it.
struct TileConfiguration {
    std::uint8_t palette = 0;
    std::uint8_t startRow = 0;
    std::array<std::uint8_t, 14> reserved{};
    std::array<std::uint16_t, 16> bytesPerRow{};
    std::array<std::uint8_t, 16> rows{};
};
static_assert(sizeof(TileConfiguration) == vectorBytes);

thread_local TileConfiguration configuration;
thread_local std::array<Tile, tileCount> tiles;
thread_local std::int64_t carriedOut = 0;

float flushed(float value) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

float half(std::uint32_t pair, bool high) {
    return flushed(std::bit_cast<float>(high ? pair & 0xffff0000U : pair << 16));
}

/// sum += a·b as TDPBF16PS has it: even and odd halves are summed apart, then added.
void multiplyTiles(Tile& sum, const Tile& a, const Tile& b, int rows, int columns, int depth) {
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            std::array<float, 2> halves{};
            for (int k = 0; k < depth; ++k)
                for (const bool odd : {false, true}) {
                    const float left =
                        half(a.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)], odd);
                    const float right =
                        half(b.rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(column)], odd);
                    float& total = halves[odd ? 1 : 0];
                    total = flushed(std::fma(left, right, total));
                }
            std::uint32_t& element =
                sum.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            const float added = flushed(halves[0] + halves[1]);
            element = std::bit_cast<std::uint32_t>(flushed(flushed(std::bit_cast<float>(element)) + added));
        }
}

/// The same as TDPBSSD has it: signed bytes, in int32 that wraps around.
void multiplyByteTiles(Tile& sum, const Tile& a, const Tile& b, int rows, int columns, int depth) {
    const auto extractByte = [](std::uint32_t word, int part) {
        return static_cast<std::int8_t>(word >> (8 * part) & 0xffU);
    };
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            for (int k = 0; k < depth; ++k) {
                const std::uint32_t left = a.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)];
                const std::uint32_t right =
                    b.rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(column)];
                for (int part = 0; part < 4; ++part)
                    sum.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] +=
                        static_cast<std::uint32_t>(extractByte(left, part) * extractByte(right, part));
            }
}

struct TileShape {
    int rows;
    std::size_t bytes;
};

TileShape shapeOf(int tile) {
    const auto at = static_cast<std::size_t>(tile);
    return {configuration.rows[at], configuration.bytesPerRow[at]};
}

Tile& tileOf(int number) {
    return tiles.at(static_cast<std::size_t>(number));
}

void loadTile(const X86Instruction& from) {
    Tile& tile = tileOf(from.reg) = {};
    const TileShape shape = shapeOf(from.reg);
    for (int row = 0; row < shape.rows; ++row)
        std::memcpy(tile.rows[static_cast<std::size_t>(row)].data(), from.address + row * from.index,
                    shape.bytes);
}

void storeTile(const X86Instruction& to) {
    const TileShape shape = shapeOf(to.reg);
    for (int row = 0; row < shape.rows; ++row)
        std::memcpy(to.address + row * to.index, tileOf(to.reg).rows[static_cast<std::size_t>(row)].data(),
                    shape.bytes);
}

/// What the CPU would refuse is refused here, too.
bool configure(const X86Instruction& from) {
    TileConfiguration wanted;
    std::memcpy(&wanted, from.address + from.index, sizeof(wanted));
    if (wanted.palette != 1 || wanted.startRow != 0 || wanted.reserved != decltype(wanted.reserved){})
        return false;
    for (std::size_t tile = 0; tile < wanted.rows.size(); ++tile) {
        const bool used = tile < static_cast<std::size_t>(tileCount);
        if (wanted.rows[tile] > (used ? 16 : 0) || wanted.bytesPerRow[tile] > (used ? vectorBytes : 0))
            return false;
    }
    configuration = wanted;
    tiles = {};
    return true;
}

bool carryOutOnTiles(const X86Instruction& what) {
    constexpr std::uint8_t configureOrZero = 0x49;
    constexpr std::uint8_t moveTile = 0x4b;
    constexpr std::uint8_t multiplyBf16 = 0x5c;
    constexpr std::uint8_t multiplyBytes = 0x5e;
    const bool unconfigured = configuration.palette == 0;
    if (what.opcode == configureOrZero && what.prefix == X86Prefix::None) {
        if (what.inMemory)
            return configure(what);
        configuration = {};
        tiles = {};
        return true;
    }
    if (unconfigured)
        return false;
    if (what.opcode == configureOrZero && what.prefix == X86Prefix::XF2 && !what.inMemory)
        tileOf(what.reg) = {};
    else if (what.opcode == moveTile && what.inMemory &&
             (what.prefix == X86Prefix::XF2 || what.prefix == X86Prefix::X66))  // the latter for what passes
        loadTile(what);
    else if (what.opcode == moveTile && what.prefix == X86Prefix::XF3 && what.inMemory)
        storeTile(what);
    else if (const bool bytes = what.opcode == multiplyBytes && what.prefix == X86Prefix::XF2;
             !what.inMemory && (bytes || (what.opcode == multiplyBf16 && what.prefix == X86Prefix::XF3))) {
        const TileShape sum = shapeOf(what.reg);
        const auto multiply = bytes ? multiplyByteTiles : multiplyTiles;
        multiply(tileOf(what.reg), tileOf(what.rm), tileOf(what.vvvv), sum.rows,
                 static_cast<int>(sum.bytes / sizeof(float)),
                 static_cast<int>(shapeOf(what.rm).bytes / sizeof(float)));
    } else
        return false;
    return true;
}

/// The vector registers as they were when the instruction was met, in the signal's XSAVE area.
class VectorRegisters {
  public:
    explicit VectorRegisters(ucontext_t& context)
        : m_area(std::bit_cast<std::byte*>(context.uc_mcontext.fpregs)) {}

    [[nodiscard]] Words read(int number) const {
        Words result{};
        auto* to = std::bit_cast<std::byte*>(result.data());
        for (const Part& part : partsOf(number)) {
            if (present(part.component))
                std::memcpy(to, m_area + part.offset, part.bytes);
            to += part.bytes;
        }
        return result;
    }

    void write(int number, const Words& value) {
        const auto* from = std::bit_cast<const std::byte*>(value.data());
        for (const Part& part : partsOf(number)) {
            if (part.bytes > 0 && !present(part.component))
                startComponent(part.component);
            std::memcpy(m_area + part.offset, from, part.bytes);
            from += part.bytes;
        }
    }

  private:
    static constexpr int sse = 1;
    static constexpr int avx = 2;
    static constexpr int upperHalves = 6;     // of ZMM0 to 15
    static constexpr int upperRegisters = 7;  // ZMM16 to 31
    static constexpr std::size_t headerOffset = 512;
    static constexpr std::size_t xmmOffset = 160;

    struct Part {
        int component;
        std::size_t offset;
        std::size_t bytes;
    };

    struct Place {
        std::size_t offset;
        std::size_t bytes;
    };

    // Asked once: virtual machines are slow to answer.
    static Place placeOf(int component) {
        static const std::array<Place, upperRegisters + 1> places = [] {
            constexpr unsigned stateLeaf = 0xd;
            std::array<Place, upperRegisters + 1> result{};
            for (unsigned index = avx; index < result.size(); ++index) {
                unsigned size = 0;
                unsigned offset = 0;
                unsigned c = 0;
                unsigned d = 0;
                __cpuid_count(stateLeaf, index, size, offset, c, d);
                result[index] = {offset, size};
            }
            return result;
        }();
        return places[static_cast<std::size_t>(component)];
    }

    static std::array<Part, 3> partsOf(int number) {
        const auto at = static_cast<std::size_t>(number);
        if (number >= 16)
            return {Part{upperRegisters, placeOf(upperRegisters).offset + 64 * (at - 16), 64}, {}, {}};
        return {Part{sse, xmmOffset + 16 * at, 16}, Part{avx, placeOf(avx).offset + 16 * at, 16},
                Part{upperHalves, placeOf(upperHalves).offset + 32 * at, 32}};
    }

    [[nodiscard]] std::uint64_t components() const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, m_area + headerOffset, sizeof(bits));
        return bits;
    }
    [[nodiscard]] bool present(int component) const { return (components() >> component & 1U) != 0; }

    // One that was in its initial state, all zeros, is not in the area yet.
    void startComponent(int component) {
        if (component != sse) {
            const Place place = placeOf(component);
            std::memset(m_area + place.offset, 0, place.bytes);
        }
        const std::uint64_t bits = components() | std::uint64_t{1} << component;
        std::memcpy(m_area + headerOffset, &bits, sizeof(bits));
    }

    std::byte* m_area;
};

Words operandOf(const X86Instruction& what, const VectorRegisters& registers) {
    if (!what.inMemory)
        return registers.read(what.rm);
    Words result{};
    std::memcpy(result.data(), what.address + what.index,
                what.broadcast ? sizeof(result[0]) : sizeof(result));
    if (what.broadcast)
        result.fill(result[0]);
    return result;
}

std::uint32_t rounded(std::uint32_t word) {
    return toBFloat16(flushed(std::bit_cast<float>(word))).bits;
}

bool carryOutOnVectors(const X86Instruction& what, VectorRegisters registers) {
    constexpr std::uint8_t convertTwo = 0x72;
    constexpr std::uint8_t multiplyPairs = 0x52;
    if (what.mask != 0)
        return false;
    const Words first = registers.read(what.vvvv);
    const Words second = operandOf(what, registers);
    Words result{};
    if (what.opcode == convertTwo && what.prefix == X86Prefix::XF2) {
        for (std::size_t i = 0; i < vectorWords / 2; ++i) {
            result[i] = rounded(second[2 * i]) | rounded(second[2 * i + 1]) << 16;
            result[8 + i] = rounded(first[2 * i]) | rounded(first[2 * i + 1]) << 16;
        }
    } else if (what.opcode == multiplyPairs && what.prefix == X86Prefix::XF3) {
        result = registers.read(what.reg);
        for (std::size_t i = 0; i < vectorWords; ++i)
            for (const bool odd : {true, false}) {
                const float sum = flushed(std::bit_cast<float>(result[i]));
                const float added = flushed(std::fma(half(first[i], odd), half(second[i], odd), sum));
                result[i] = std::bit_cast<std::uint32_t>(added);
            }
    } else
        return false;
    registers.write(what.reg, result);
    return true;
}

bool carryOut(ucontext_t& context) {
    const std::optional<X86Instruction> what = decodeInstruction(context);
    const bool done =
        what && (what->evex ? carryOutOnVectors(*what, VectorRegisters(context)) : carryOutOnTiles(*what));
    if (!done)
        return false;
    ++carriedOut;
    context.uc_mcontext.gregs[REG_RIP] += static_cast<greg_t>(what->length);
    return true;
}

void onIllegalInstruction(int, siginfo_t*, void* raw) {
    auto& context = *static_cast<ucontext_t*>(raw);
    if (!carryOut(context)) {
        signal(SIGILL, SIG_DFL);  // met again on return
        return;
    }
    while (carryOut(context)) {  // those behind it as well: a signal takes longer than they do
    }
}

bool emulationInstalled() {
    const CpuFeatures& features = cpuFeatures();
    if (!features.avx512f || !features.avx512bw || !features.avx512dq || !features.avx512vl)
        return false;
    struct sigaction action {};
    action.sa_sigaction = onIllegalInstruction;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGILL, &action, nullptr) == 0;
}

}  // namespace

bool bf16InstructionsAtHand() {
    static const bool atHand = cpuHasBf16Instructions() || emulationInstalled();
    return atHand;
}

bool cpuHasBf16Instructions() {
    const CpuFeatures& features = cpuFeatures();
    return features.amxTile && features.amxBf16 && features.amxInt8 && features.avx512Bf16;
}

std::int64_t emulatedInstructions() {
    return carriedOut;
}

}  // namespace meshreel::testing
