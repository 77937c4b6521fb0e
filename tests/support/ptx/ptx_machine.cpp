// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_shared.h"

namespace meshreel::testing {
namespace {

using LaneValues = std::array<std::uint64_t, ptxLanes>;
constexpr std::uint32_t allLanes = 0xffffffffU;

/// An asynchronous copy of 16 bytes that was begun.
struct PtxCopy {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};

/// The copies of a lane: groups that were committed, and those of the next group.
struct PtxCopies {
    std::vector<std::vector<PtxCopy>> groups;
    std::vector<PtxCopy> open;
};

struct PtxWarp {
    int index = 0;
    std::vector<LaneValues> registers;
    std::array<std::uint32_t, ptxLanes> next{};  ///< instruction of each lane
    std::uint32_t live = allLanes;               ///< lanes that have not returned
    std::array<PtxCopies, ptxLanes> copies;
    std::uint32_t blockEpoch = 0;
    std::uint32_t warpEpoch = 0;
    bool isWaiting = false;  ///< at a barrier
    std::uint64_t barrier = 0;
};

float floatOf(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::uint64_t bitsOf(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

float flushed(float value) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

/// Rounds to the nearest bf16, ties to even; every NaN becomes the same one.
std::uint32_t narrowed(float value) {
    if (std::isnan(value))
        return 0x7fff;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
}

float computeFloat(PtxOperation operation, float a, float b, float c) {
    switch (operation) {
        case PtxOperation::Add:
            return a + b;
        case PtxOperation::Subtract:
            return a - b;
        case PtxOperation::Multiply:
            return a * b;
        case PtxOperation::MultiplyAdd:
            return std::fma(a, b, c);
        case PtxOperation::Maximum:
            return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
        case PtxOperation::Negate:
            return -a;
        case PtxOperation::Absolute:
            return std::fabs(a);
        case PtxOperation::PowerOfTwo:
            return flushed(std::exp2(flushed(a)));
        case PtxOperation::Reciprocal:
            return flushed(1.0F / flushed(a));
        default:
            throw std::logic_error("no float operation");
    }
}

std::uint64_t computeWord(PtxOperation operation, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    switch (operation) {
        case PtxOperation::Move:
            return a;
        case PtxOperation::Add:
            return a + b;
        case PtxOperation::Subtract:
            return a - b;
        case PtxOperation::Multiply:
        case PtxOperation::MultiplyWide:
            return a * b;
        case PtxOperation::MultiplyAdd:
        case PtxOperation::MultiplyAddWide:
            return a * b + c;
        case PtxOperation::Divide:
            return b == 0 ? ~0ULL : a / b;
        case PtxOperation::Remainder:
            return b == 0 ? a : a % b;
        case PtxOperation::Minimum:
            return std::min(a, b);
        case PtxOperation::And:
            return a & b;
        case PtxOperation::Or:
            return a | b;
        case PtxOperation::Xor:
            return a ^ b;
        case PtxOperation::ShiftLeft:
            return b > 31 ? 0 : a << b;
        case PtxOperation::ShiftRight:
            return b > 31 ? 0 : a >> b;
        default:
            throw std::logic_error("no operation of integers");
    }
}

bool compareValues(PtxOperation operation, PtxType type, std::uint64_t a, std::uint64_t b) {
    const bool isFloat = type == PtxType::F32;
    switch (operation) {
        case PtxOperation::SetIfEqual:
            return isFloat ? floatOf(a) == floatOf(b) : a == b;
        case PtxOperation::SetIfNotEqual:
            return a != b;
        case PtxOperation::SetIfLess:
            return a < b;
        case PtxOperation::SetIfNotLess:
            return a >= b;
        default:
            return floatOf(a) > floatOf(b);
    }
}

class PtxBlock {
  public:
    PtxBlock(const PtxProgram& program, const PtxEntry& entry, PtxMemory& memory, const PtxGrid& grid,
             const PtxGrid& block, std::span<const std::byte> parameters, std::uint32_t dynamicBytes)
        : m_program(program),
          m_entry(entry),
          m_memory(memory),
          m_grid(grid),
          m_block(block),
          m_parameters(parameters),
          m_shared(entry.sharedBytes + dynamicBytes),
          m_warps(entry.threads / ptxLanes) {
        if (parameters.size() != entry.parameterBytes)
            throw PtxComplaint(program.file, 1,
                               fmt::format("{} takes {} bytes of parameters, and the launch gives {}",
                                           entry.name, entry.parameterBytes, parameters.size()));
        for (std::size_t index = 0; index < m_warps.size(); ++index) {
            m_warps[index].index = static_cast<int>(index);
            m_warps[index].registers.assign(entry.registers.size(), LaneValues{});
        }
    }

    PtxWork run() {
        while (std::ranges::any_of(m_warps, [](const PtxWarp& warp) { return warp.live != 0; })) {
            for (PtxWarp& warp : m_warps)
                while (warp.live != 0 && !warp.isWaiting)
                    step(warp);
            passBarrier();
        }
        return m_work;
    }

  private:
    template <typename... Parts>
    [[noreturn]] void complain(fmt::format_string<Parts...> sentence, Parts&&... parts) const {
        throw PtxComplaint(m_program.file, m_at == nullptr ? 1 : m_at->line,
                           fmt::format("{}: {}", m_at == nullptr ? m_entry.name : m_at->form->name,
                                       fmt::format(sentence, std::forward<Parts>(parts)...)));
    }
    void require(const std::optional<std::string>& why) const {
        if (why)
            complain("{}", *why);
    }

    void passBarrier() {
        const bool isOver = std::ranges::all_of(m_warps, [](const PtxWarp& warp) { return warp.live == 0; });
        if (isOver)
            return;
        for (PtxWarp& warp : m_warps) {
            if (warp.live == 0)
                complain("warp {} has returned while others wait at a barrier; let all of them pass it",
                         warp.index);
            if (warp.barrier != m_warps.front().barrier)
                complain("warps wait at the barriers {} and {}, and none can go on", m_warps.front().barrier,
                         warp.barrier);
            warp.isWaiting = false;
            ++warp.blockEpoch;
            ++warp.warpEpoch;
        }
    }

    void step(PtxWarp& warp) {
        std::uint32_t at = std::numeric_limits<std::uint32_t>::max();
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            if ((warp.live >> lane & 1U) != 0)
                at = std::min(at, warp.next[lane]);
        const PtxInstruction& instruction = m_entry.instructions[at];
        m_at = &instruction;
        constexpr std::int64_t most = 8'000'000;
        if (++m_work.instructions > most)
            complain("the block does not end; look at the condition of its loop");
        std::uint32_t here = 0;
        std::uint32_t active = 0;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
            if ((warp.live >> lane & 1U) == 0 || warp.next[lane] != at)
                continue;
            here |= 1U << lane;
            ++warp.next[lane];
            const bool goes = instruction.guard < 0 ||
                              (warp.registers[static_cast<std::size_t>(instruction.guard)][lane] != 0) !=
                                  instruction.guardIsNegated;
            active |= goes ? 1U << lane : 0U;
        }
        if (active != 0)
            carryOut(warp, instruction, active);
    }

    /// Lanes that meet: all of the warp.
    void requireAll(std::uint32_t active) const {
        if (active != allLanes)
            complain("only the lanes {:#010x} come here, and all of a warp must", active);
    }

    [[nodiscard]] PtxAccess access(const PtxWarp& warp, std::size_t lane) const {
        return {.warp = warp.index,
                .lane = static_cast<int>(lane),
                .blockEpoch = warp.blockEpoch,
                .warpEpoch = warp.warpEpoch};
    }

    [[nodiscard]] std::uint64_t special(PtxSpecial which, const PtxWarp& warp, std::size_t lane) const {
        switch (which) {
            case PtxSpecial::ThreadX:
                return static_cast<std::uint64_t>(warp.index) * ptxLanes + lane;
            case PtxSpecial::BlockX:
                return m_block.x;
            case PtxSpecial::BlockY:
                return m_block.y;
            case PtxSpecial::BlockZ:
                return m_block.z;
            case PtxSpecial::BlocksX:
                return m_grid.x;
            case PtxSpecial::BlocksY:
                return m_grid.y;
            case PtxSpecial::BlocksZ:
                return m_grid.z;
            case PtxSpecial::ThreadsX:
                return m_entry.threads;
            case PtxSpecial::Lane:
                return lane;
        }
        return 0;
    }

    [[nodiscard]] std::uint64_t value(const PtxOperand& operand, const PtxWarp& warp,
                                      std::size_t lane) const {
        switch (operand.kind) {
            case PtxOperand::Kind::Registers:
                return warp.registers[static_cast<std::size_t>(operand.registers.front())][lane];
            case PtxOperand::Kind::Special:
                return special(operand.special, warp, lane);
            default:
                return operand.number;
        }
    }

    [[nodiscard]] static std::uint64_t address(const PtxOperand& operand, const PtxWarp& warp,
                                               std::size_t lane) {
        const int base = operand.registers.front();
        return (base < 0 ? 0 : warp.registers[static_cast<std::size_t>(base)][lane]) + operand.number;
    }

    [[nodiscard]] static std::uint64_t sharedAddress(const PtxOperand& operand, const PtxWarp& warp,
                                                     std::size_t lane) {
        return static_cast<std::uint32_t>(address(operand, warp, lane));
    }

    void carryOut(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        switch (instruction.form->operation) {
            case PtxOperation::LoadParameter:
                return eachLane(active, [&](std::size_t lane) { loadParameter(warp, instruction, lane); });
            case PtxOperation::LoadGlobal:
            case PtxOperation::LoadShared:
                return eachLane(active, [&](std::size_t lane) { load(warp, instruction, lane); });
            case PtxOperation::StoreGlobal:
            case PtxOperation::StoreShared:
                return eachLane(active, [&](std::size_t lane) { store(warp, instruction, lane); });
            case PtxOperation::ShuffleXor:
                return shuffle(warp, instruction, active);
            case PtxOperation::VoteAny:
                return vote(warp, instruction, active);
            case PtxOperation::Barrier:
                requireAll(active);
                warp.isWaiting = true;
                warp.barrier = instruction.operands.front().number;
                return;
            case PtxOperation::WarpBarrier:
                requireAll(active);
                if (instruction.operands.front().number != allLanes)
                    complain("it names the lanes {:#x}; name all of a warp",
                             instruction.operands.front().number);
                ++warp.warpEpoch;
                return;
            case PtxOperation::CopyAsync:
                return beginCopies(warp, instruction, active);
            case PtxOperation::CommitCopies:
                return eachLane(active, [&](std::size_t lane) {
                    PtxCopies& copies = warp.copies[lane];
                    copies.groups.push_back(std::exchange(copies.open, {}));
                });
            case PtxOperation::WaitForCopies:
                return eachLane(
                    active, [&](std::size_t lane) { land(warp, lane, instruction.operands.front().number); });
            case PtxOperation::WaitForAllCopies:
                return eachLane(active, [&](std::size_t lane) {
                    PtxCopies& copies = warp.copies[lane];
                    copies.groups.push_back(std::exchange(copies.open, {}));
                    land(warp, lane, 0);
                });
            case PtxOperation::LoadMatrices:
            case PtxOperation::LoadMatricesTransposed:
                return loadMatrices(warp, instruction, active);
            case PtxOperation::MultiplyBf16:
            case PtxOperation::MultiplyInt8:
                return multiply(warp, instruction, active);
            case PtxOperation::Branch:
                return eachLane(active, [&](std::size_t lane) {
                    warp.next[lane] = static_cast<std::uint32_t>(instruction.operands.front().number);
                });
            case PtxOperation::Return:
                return leave(warp, active);
            default:
                return eachLane(active, [&](std::size_t lane) { compute(warp, instruction, lane); });
        }
    }

    template <typename Work>
    void eachLane(std::uint32_t active, const Work& work) {
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            if ((active >> lane & 1U) != 0)
                work(lane);
    }

    void compute(PtxWarp& warp, const PtxInstruction& instruction, std::size_t lane) {
        const PtxForm& form = *instruction.form;
        std::array<std::uint64_t, 4> in{};
        for (std::size_t index = 1; index < instruction.operands.size(); ++index)
            in[index - 1] = value(instruction.operands[index], warp, lane);
        std::uint64_t result = 0;
        switch (form.operation) {
            case PtxOperation::SetIfEqual:
            case PtxOperation::SetIfNotEqual:
            case PtxOperation::SetIfLess:
            case PtxOperation::SetIfNotLess:
            case PtxOperation::SetIfGreater:
                result = compareValues(form.operation, form.type, in[0], in[1]) ? 1 : 0;
                break;
            case PtxOperation::Select:
                result = in[2] != 0 ? in[0] : in[1];
                break;
            case PtxOperation::NarrowPair:
                result = narrowed(floatOf(in[0])) << 16U | narrowed(floatOf(in[1]));
                break;
            case PtxOperation::FloatOfInteger:
                result = bitsOf(static_cast<float>(static_cast<std::int32_t>(in[0])));
                break;
            default:
                if (form.type == PtxType::F32 && form.operation != PtxOperation::Move) {
                    result =
                        bitsOf(computeFloat(form.operation, floatOf(in[0]), floatOf(in[1]), floatOf(in[2])));
                } else {
                    result = computeWord(form.operation, in[0], in[1], in[2]);
                    if (ptxTypeBytes(form.slots.front().type) == 4)
                        result &= 0xffffffffULL;
                }
        }
        warp.registers[static_cast<std::size_t>(instruction.operands.front().registers.front())][lane] =
            result;
    }

    void loadParameter(PtxWarp& warp, const PtxInstruction& instruction, std::size_t lane) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &m_parameters[instruction.operands[1].number],
                    ptxTypeBytes(instruction.form->type));
        warp.registers[static_cast<std::size_t>(instruction.operands.front().registers.front())][lane] = bits;
    }

    void load(PtxWarp& warp, const PtxInstruction& instruction, std::size_t lane) {
        const std::vector<int>& into = instruction.operands.front().registers;
        std::array<std::uint32_t, 4> words{};
        const std::span bytes =
            std::as_writable_bytes(std::span(words)).first(into.size() * sizeof(words[0]));
        if (instruction.form->operation == PtxOperation::LoadShared)
            require(
                m_shared.read(sharedAddress(instruction.operands[1], warp, lane), bytes, access(warp, lane)));
        else
            require(m_memory.read(address(instruction.operands[1], warp, lane), bytes));
        for (std::size_t index = 0; index < into.size(); ++index)
            warp.registers[static_cast<std::size_t>(into[index])][lane] = words[index];
    }

    void store(PtxWarp& warp, const PtxInstruction& instruction, std::size_t lane) {
        const std::vector<int>& from = instruction.operands[1].registers;
        std::array<std::uint32_t, 4> words{};
        for (std::size_t index = 0; index < from.size(); ++index)
            words[index] =
                static_cast<std::uint32_t>(warp.registers[static_cast<std::size_t>(from[index])][lane]);
        const std::span bytes = std::as_bytes(std::span(words)).first(from.size() * sizeof(words[0]));
        if (instruction.form->operation == PtxOperation::StoreShared)
            require(m_shared.write(sharedAddress(instruction.operands[0], warp, lane), bytes,
                                   access(warp, lane)));
        else
            require(m_memory.write(address(instruction.operands[0], warp, lane), bytes));
    }

    void shuffle(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        requireAll(active);
        const auto operand = [&](std::size_t index, std::size_t lane) {
            return value(instruction.operands[index], warp, lane);
        };
        LaneValues result;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
            if (operand(3, lane) != ptxLanes - 1 || operand(4, lane) != allLanes)
                complain("the interpreter shuffles whole warps; write 31 and 0xffffffff");
            result[lane] = operand(1, (lane ^ operand(2, lane)) % ptxLanes);
        }
        warp.registers[static_cast<std::size_t>(instruction.operands.front().registers.front())] = result;
    }

    void vote(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        requireAll(active);
        bool any = false;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
            if (value(instruction.operands[2], warp, lane) != allLanes)
                complain("the interpreter asks whole warps; write 0xffffffff");
            any = any || value(instruction.operands[1], warp, lane) != 0;
        }
        warp.registers[static_cast<std::size_t>(instruction.operands.front().registers.front())].fill(
            any ? 1 : 0);
    }

    /// Counts turns beyond the fewest of lanes that reach 16 bytes each, eight lanes a turn.
    void countConflicts(const std::array<std::uint64_t, ptxLanes>& addresses) {
        constexpr std::size_t together = 8;
        for (std::size_t first = 0; first < ptxLanes; first += together) {
            std::array<int, together> users{};
            for (std::size_t lane = first; lane < first + together; ++lane)
                ++users[addresses[lane] / 16 % together];
            m_work.bankConflicts += *std::ranges::max_element(users) - 1;
        }
    }

    void beginCopies(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        constexpr std::size_t bytes = 16;
        std::array<std::uint64_t, ptxLanes> addresses{};
        eachLane(active, [&](std::size_t lane) {
            const PtxCopy copy{.from = address(instruction.operands[1], warp, lane),
                               .to = sharedAddress(instruction.operands[0], warp, lane)};
            std::array<std::byte, bytes> ignored;
            require(m_memory.read(copy.from, ignored));
            require(m_shared.beginCopy(copy.to, bytes, access(warp, lane)));
            warp.copies[lane].open.push_back(copy);
            addresses[lane] = copy.to;
        });
        if (active == allLanes)
            countConflicts(addresses);
    }

    /// Waits until `stay` groups of the lane at most are on their way: the newest ones.
    void land(PtxWarp& warp, std::size_t lane, std::uint64_t stay) {
        std::vector<std::vector<PtxCopy>>& groups = warp.copies[lane].groups;
        while (groups.size() > stay) {
            for (const PtxCopy& copy : groups.front()) {
                std::array<std::byte, 16> bytes;
                require(m_memory.read(copy.from, bytes));
                m_shared.land(copy.to, bytes, access(warp, lane));
            }
            groups.erase(groups.begin());
        }
    }

    void loadMatrices(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        requireAll(active);
        const bool isTransposed = instruction.form->operation == PtxOperation::LoadMatricesTransposed;
        std::array<PtxMatrixRow, ptxLanes> rows;
        std::array<std::uint64_t, ptxLanes> addresses;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane) {
            addresses[lane] = sharedAddress(instruction.operands[1], warp, lane);
            require(m_shared.read(addresses[lane], rows[lane], access(warp, lane)));
        }
        countConflicts(addresses);
        const std::vector<int>& into = instruction.operands.front().registers;
        for (std::size_t index = 0; index < into.size(); ++index) {
            const PtxWords words =
                distributeMatrix(std::span(rows).subspan(8 * index).first<8>(), isTransposed);
            std::ranges::copy(words, warp.registers[static_cast<std::size_t>(into[index])].begin());
        }
    }

    template <std::size_t Count>
    [[nodiscard]] std::array<PtxWords, Count> words(const PtxWarp& warp, const PtxOperand& operand) const {
        std::array<PtxWords, Count> made;
        for (std::size_t index = 0; index < Count; ++index)
            for (std::size_t lane = 0; lane < ptxLanes; ++lane)
                made[index][lane] = static_cast<std::uint32_t>(
                    warp.registers[static_cast<std::size_t>(operand.registers[index])][lane]);
        return made;
    }

    void multiply(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        requireAll(active);
        ++m_work.products;
        const auto a = words<4>(warp, instruction.operands[1]);
        const auto b = words<2>(warp, instruction.operands[2]);
        const auto c = words<4>(warp, instruction.operands[3]);
        const auto d = instruction.form->operation == PtxOperation::MultiplyBf16 ? multiplyBf16(a, b, c)
                                                                                 : multiplyInt8(a, b, c);
        for (std::size_t index = 0; index < d.size(); ++index)
            std::ranges::copy(
                d[index],
                warp.registers[static_cast<std::size_t>(instruction.operands[0].registers[index])].begin());
    }

    void leave(PtxWarp& warp, std::uint32_t active) {
        eachLane(active, [&](std::size_t lane) {
            const PtxCopies& copies = warp.copies[lane];
            const bool isEmpty =
                copies.open.empty() &&
                std::ranges::all_of(copies.groups, [](const auto& group) { return group.empty(); });
            if (!isEmpty)
                complain("lane {} returns while copies of it are on their way; wait for them first", lane);
        });
        warp.live &= ~active;
    }

    const PtxProgram& m_program;
    const PtxEntry& m_entry;
    PtxMemory& m_memory;
    PtxGrid m_grid;
    PtxGrid m_block;
    std::span<const std::byte> m_parameters;
    PtxSharedMemory m_shared;
    std::vector<PtxWarp> m_warps;
    const PtxInstruction* m_at = nullptr;
    PtxWork m_work;
};

}  // namespace

PtxWork runPtxBlock(const PtxProgram& program, const PtxEntry& entry, PtxMemory& memory, const PtxGrid& grid,
                    const PtxGrid& block, std::span<const std::byte> parameters, std::uint32_t dynamicBytes) {
    return PtxBlock(program, entry, memory, grid, block, parameters, dynamicBytes).run();
}

PtxWork runPtxGrid(const PtxProgram& program, const PtxEntry& entry, PtxMemory& memory, const PtxGrid& grid,
                   std::span<const std::byte> parameters, std::uint32_t dynamicBytes) {
    PtxWork work;
    for (std::uint32_t z = 0; z < grid.z; ++z)
        for (std::uint32_t y = 0; y < grid.y; ++y)
            for (std::uint32_t x = 0; x < grid.x; ++x) {
                const PtxWork block = runPtxBlock(program, entry, memory, grid, {.x = x, .y = y, .z = z},
                                                  parameters, dynamicBytes);
                work.instructions += block.instructions;
                work.products += block.products;
                work.bankConflicts += block.bankConflicts;
            }
    return work;
}

}  // namespace meshreel::testing
