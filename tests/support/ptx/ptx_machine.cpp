// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/ptx/ptx_arithmetic.h"
#include "tests/support/ptx/ptx_barriers.h"
#include "tests/support/ptx/ptx_clock.h"
#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_products.h"
#include "tests/support/ptx/ptx_shared.h"
#include "tests/support/ptx/ptx_under_way.h"

namespace meshreel::testing {
namespace {

using LaneValues = PtxLaneValues;
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

/// What a warp waits for.
enum class PtxWait : std::uint8_t { Nothing, Barrier, Phase, Registers };

struct PtxWarp {
    PtxWarp(int number, const PtxEntry& entry, std::size_t warps)
        : index(number),
          registers(entry.registers.size()),
          clock(warps),
          registersOfThread(entry.sharedOutRegisters),
          products(entry) {}

    int index;
    std::vector<LaneValues> registers;
    std::array<std::uint32_t, ptxLanes> next{};  ///< instruction of each lane
    std::uint32_t live = allLanes;               ///< lanes that have not returned
    std::array<PtxCopies, ptxLanes> copies;
    PtxClock clock;
    std::uint32_t time = 1;
    std::uint32_t warpEpoch = 0;
    PtxWait waits = PtxWait::Nothing;
    std::uint64_t waitsFor = 0;  ///< the barrier, or the mbarrier's address
    std::uint32_t parity = 0;
    int registersOfThread;
    int wantedRegisters = 0;
    PtxProductsUnderWay products;
};

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
          m_shared(entry.takesDynamicBytes ? ptxDynamicBegin : 0, entry.sharedBytes + dynamicBytes,
                   entry.threads / ptxLanes),
          m_barriers(m_shared, memory, entry.threads / ptxLanes) {
        if (entry.sharedBytes + dynamicBytes > program.sharedBytes)
            throw PtxComplaint(
                program.file, 1,
                fmt::format("{} takes {} bytes of shared memory, and a block has {}; take smaller "
                            "tiles or fewer stages",
                            entry.name, entry.sharedBytes + dynamicBytes, program.sharedBytes));
        if (parameters.size() != entry.parameterBytes)
            throw PtxComplaint(program.file, 1,
                               fmt::format("{} takes {} bytes of parameters, and the launch gives {}",
                                           entry.name, entry.parameterBytes, parameters.size()));
        const std::size_t warps = entry.threads / ptxLanes;
        for (std::size_t index = 0; index < warps; ++index)
            m_warps.emplace_back(static_cast<int>(index), entry, warps);
    }

    PtxWork run() {
        while (std::ranges::any_of(m_warps, [](const PtxWarp& warp) { return warp.live != 0; })) {
            bool goesOn = false;
            for (PtxWarp& warp : m_warps) {
                if (warp.live == 0 || !canGoOn(warp))
                    continue;
                goesOn = true;
                warp.waits = PtxWait::Nothing;
                while (warp.live != 0 && warp.waits == PtxWait::Nothing)
                    step(warp);
            }
            if (!goesOn)
                passBarrier();
        }
        m_at = nullptr;
        requireSameProducts();
        if (m_barriers.hasCopiesUnderWay())
            complain("the block ends while a cp.async.bulk is on its way; wait for its mbarrier first");
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

    bool canGoOn(const PtxWarp& warp) {
        switch (warp.waits) {
            case PtxWait::Nothing:
                return true;
            case PtxWait::Barrier:
                return false;
            case PtxWait::Phase:
                return m_barriers.isOver(warp.waitsFor, warp.parity);
            case PtxWait::Registers:
                return m_freeRegisters >= warp.wantedRegisters;
        }
        return true;
    }

    /// Nobody goes on by himself: either all meet at a barrier, or the block hangs.
    void passBarrier() {
        for (const PtxWarp& warp : m_warps)
            if (warp.live != 0 && warp.waits == PtxWait::Registers)
                complain("the block hangs: warp {} waits for registers that nobody gives", warp.index);
        for (const PtxWarp& warp : m_warps)
            if (warp.live != 0 && warp.waits == PtxWait::Phase)
                complain("the block hangs: warp {} waits for a phase of the mbarrier at {} that nobody ends",
                         warp.index, warp.waitsFor);
        PtxClock all(m_warps.size());
        for (PtxWarp& warp : m_warps) {
            if (warp.live == 0)
                complain("warp {} has returned while others wait at a barrier; let all of them pass it",
                         warp.index);
            if (warp.waitsFor != m_warps.front().waitsFor)
                complain("warps wait at the barriers {} and {}, and none can go on", m_warps.front().waitsFor,
                         warp.waitsFor);
            warp.clock.seen[static_cast<std::size_t>(warp.index)] = warp.time;
            all.join(warp.clock);
        }
        for (PtxWarp& warp : m_warps) {
            warp.clock = all;
            warp.waits = PtxWait::Nothing;
            ++warp.time;
            ++warp.warpEpoch;
        }
    }

    /// wgmma and setmaxnreg are instructions of four warps: all of them carry out the same ones.
    void requireSameProducts() const {
        constexpr std::size_t together = 4;
        for (std::size_t index = 0; index < m_warps.size(); ++index) {
            const std::size_t first = index / together * together;
            if (m_warps[index].products.carriedOut() != m_warps[first].products.carriedOut())
                complain("the warps {} and {} of a warpgroup carry out different products", first, index);
        }
    }

    void step(PtxWarp& warp) {
        std::uint32_t at = std::numeric_limits<std::uint32_t>::max();
        if (areTogether(warp))
            at = warp.next.front();
        else
            eachLane(warp.live, [&](std::size_t lane) { at = std::min(at, warp.next[lane]); });
        const PtxInstruction& instruction = m_entry.instructions[at];
        m_at = &instruction;
        constexpr std::int64_t most = 8'000'000;
        if (++m_work.instructions > most)
            complain("the block does not end; look at the condition of its loop");
        std::uint32_t here = 0;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            here |= static_cast<std::uint32_t>(warp.next[lane] == at) << lane;
        here &= warp.live;
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            warp.next[lane] += here >> lane & 1U;
        std::uint32_t active = here;
        if (instruction.guard >= 0) {
            const LaneValues& guard = warp.registers[static_cast<std::size_t>(instruction.guard)];
            std::uint32_t holds = 0;
            for (std::size_t lane = 0; lane < ptxLanes; ++lane)
                holds |= static_cast<std::uint32_t>(guard[lane] != 0) << lane;
            active &= instruction.guardIsNegated ? ~holds : holds;
        }
        if (active == 0)
            return;
        if (!isOfProducts(instruction.form->operation))
            require(warp.products.use(instruction));
        carryOut(warp, instruction, active);
    }

    /// All lanes at one instruction.
    static bool areTogether(const PtxWarp& warp) {
        std::uint32_t apart = 0;
        for (const std::uint32_t next : warp.next)
            apart |= next ^ warp.next.front();
        return warp.live == allLanes && apart == 0;
    }

    static bool isOfProducts(PtxOperation operation) {
        return operation == PtxOperation::MultiplyGroupBf16 || operation == PtxOperation::MultiplyGroupInt8;
    }

    /// Lanes that meet: all of the warp.
    void requireAll(std::uint32_t active) const {
        if (active != allLanes)
            complain("only the lanes {:#010x} come here, and all of a warp must", active);
    }

    [[nodiscard]] PtxAccess access(const PtxWarp& warp, std::size_t lane) const {
        return {.warp = warp.index,
                .lane = static_cast<int>(lane),
                .time = warp.time,
                .warpEpoch = warp.warpEpoch,
                .clock = &warp.clock};
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
                warp.waits = PtxWait::Barrier;
                warp.waitsFor = instruction.operands.front().number;
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
            case PtxOperation::BeginBarrier:
                return eachLane(active, [&](std::size_t lane) {
                    require(m_barriers.begin(
                        sharedAddress(instruction.operands[0], warp, lane),
                        static_cast<std::uint32_t>(value(instruction.operands[1], warp, lane)),
                        access(warp, lane)));
                });
            case PtxOperation::ArriveAtBarrier:
            case PtxOperation::ArriveExpecting:
                return eachLane(active, [&](std::size_t lane) { arrive(warp, instruction, lane); });
            case PtxOperation::TryWait:
                return tryWait(warp, instruction, active);
            case PtxOperation::CopyBulk:
                return eachLane(active, [&](std::size_t lane) {
                    const auto address32 = [&](std::size_t index) {
                        return sharedAddress(instruction.operands[index], warp, lane);
                    };
                    require(m_barriers.beginBulkCopy(
                        address32(0), address(instruction.operands[1], warp, lane),
                        static_cast<std::uint32_t>(value(instruction.operands[2], warp, lane)), address32(3),
                        access(warp, lane)));
                });
            case PtxOperation::FenceProxy:
                return fenceProxy(warp, active);
            case PtxOperation::FenceProducts:
                requireGroup(warp, instruction, active);
                return warp.products.fence();
            case PtxOperation::CommitProducts:
                requireGroup(warp, instruction, active);
                return warp.products.commit();
            case PtxOperation::WaitForProducts:
                requireGroup(warp, instruction, active);
                return warp.products.finish(instruction.operands.front().number, m_shared, access(warp, 0));
            case PtxOperation::MultiplyGroupBf16:
            case PtxOperation::MultiplyGroupInt8:
                return multiplyGroup(warp, instruction, active);
            case PtxOperation::GiveRegisters:
            case PtxOperation::TakeRegisters:
                return shareRegisters(warp, instruction, active);
            case PtxOperation::Branch:
                return eachLane(active, [&](std::size_t lane) {
                    warp.next[lane] = static_cast<std::uint32_t>(instruction.operands.front().number);
                });
            case PtxOperation::Return:
                return leave(warp, active);
            default:
                return compute(warp, instruction, active);
        }
    }

    template <typename Work>
    static void eachLane(std::uint32_t active, const Work& work) {
        for (std::size_t lane = 0; lane < ptxLanes; ++lane)
            if ((active >> lane & 1U) != 0)
                work(lane);
    }

    void compute(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) const {
        constexpr std::size_t most = 4;
        std::array<LaneValues, most> ofNoRegister;
        std::array<const LaneValues*, most> in{};
        LaneValues& into =
            warp.registers[static_cast<std::size_t>(instruction.operands.front().registers.front())];
        in.fill(&into);
        for (std::size_t index = 0; index + 1 < instruction.operands.size(); ++index) {
            const PtxOperand& operand = instruction.operands[index + 1];
            if (operand.kind == PtxOperand::Kind::Registers) {
                in[index] = &warp.registers[static_cast<std::size_t>(operand.registers.front())];
                continue;
            }
            for (std::size_t lane = 0; lane < ptxLanes; ++lane)
                ofNoRegister[index][lane] = value(operand, warp, lane);
            in[index] = &ofNoRegister[index];
        }
        LaneValues made;
        computePtx(*instruction.form, in, made);
        if (active == allLanes)
            into = made;
        else
            eachLane(active, [&](std::size_t lane) { into[lane] = made[lane]; });
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

    // ---- mbarriers, and what the copy engine sees ----

    void arrive(PtxWarp& warp, const PtxInstruction& instruction, std::size_t lane) {
        const bool expects = instruction.form->operation == PtxOperation::ArriveExpecting;
        const auto bytes =
            static_cast<std::uint32_t>(expects ? value(instruction.operands[2], warp, lane) : 0);
        require(
            m_barriers.arrive(sharedAddress(instruction.operands[1], warp, lane), bytes, access(warp, lane)));
        // What comes later is not told by this.
        ++warp.time;
    }

    void tryWait(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        const auto into = static_cast<std::size_t>(instruction.operands[0].registers.front());
        eachLane(active, [&](std::size_t lane) {
            const std::uint64_t barrier = sharedAddress(instruction.operands[1], warp, lane);
            const auto parity = static_cast<std::uint32_t>(value(instruction.operands[2], warp, lane));
            require(m_barriers.canBeUsed(barrier, access(warp, lane)));
            const bool isOver = m_barriers.isOver(barrier, parity);
            warp.registers[into][lane] = isOver ? 1 : 0;
            if (isOver) {
                warp.clock.join(m_barriers.told(barrier));
                return;
            }
            warp.waits = PtxWait::Phase;
            warp.waitsFor = barrier;
            warp.parity = parity;
        });
        ++warp.warpEpoch;
    }

    void fenceProxy(PtxWarp& warp, std::uint32_t active) const {
        if (active != allLanes)
            complain("the interpreter makes writes of whole warps visible; let all lanes come here");
        PtxClock& clock = warp.clock;
        for (std::size_t index = 0; index < clock.seen.size(); ++index)
            clock.fenced[index] = std::max(clock.fenced[index], clock.seen[index]);
        clock.fenced[static_cast<std::size_t>(warp.index)] = warp.time;
        ++warp.time;
    }

    // ---- Products of four warps ----

    void requireGroup(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active,
                      std::uint64_t with = 0) const {
        requireAll(active);
        warp.products.carryOut(instruction.line, with);
    }

    /// The one value that all lanes have.
    [[nodiscard]] std::uint64_t sameValue(const PtxOperand& operand, const PtxWarp& warp) const {
        const std::uint64_t first = value(operand, warp, 0);
        for (std::size_t lane = 1; lane < ptxLanes; ++lane)
            if (value(operand, warp, lane) != first)
                complain("lanes give different values where the warp has one");
        return first;
    }

    void multiplyGroup(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        const std::vector<int>& sums = instruction.operands[0].registers;
        const PtxOperand& left = instruction.operands[1];
        const bool isInt8 = instruction.form->operation == PtxOperation::MultiplyGroupInt8;
        const bool isOfRegisters = left.registers.size() > 1;
        const std::uint64_t leftAt = isOfRegisters ? 0 : sameValue(left, warp);
        const std::uint64_t rightAt = sameValue(instruction.operands[2], warp);
        const bool replaces = sameValue(instruction.operands[3], warp) == 0;
        requireGroup(warp, instruction, active, leftAt * 31 + rightAt * 2 + (replaces ? 1 : 0));
        ++m_work.products;
        const std::vector<int> inRegisters = isOfRegisters ? left.registers : std::vector<int>();
        require(warp.products.canBegin(sums, inRegisters, replaces));
        const auto numberAt = [&](std::size_t index) { return instruction.operands[index].number; };
        if (!isInt8 && !isOfRegisters && numberAt(6) != 0)
            complain("the interpreter does not transpose the left factor; write 0");
        const bool isTransposed = !isInt8 && numberAt(isOfRegisters ? 6 : 7) != 0;

        PtxSlice a;
        PtxSlice b;
        std::set<std::size_t> kilobytes;
        const PtxAccess by = access(warp, 0);
        constexpr std::size_t rowsOfWarp = 16;
        const std::size_t columns = sums.size() * 2;
        if (isOfRegisters) {
            const auto factors = words<4>(warp, left);
            a = sliceOfRegisters(factors);
        } else {
            require(PtxDescribedMatrix::check(leftAt, false));
            require(readSlice(m_shared, {leftAt, false},
                              rowsOfWarp * (static_cast<std::size_t>(warp.index) % 4), rowsOfWarp, false, by,
                              a, kilobytes));
        }
        require(PtxDescribedMatrix::check(rightAt, isTransposed));
        require(readSlice(m_shared, {rightAt, isTransposed}, 0, columns, isTransposed, by, b, kilobytes));

        std::vector<PtxWords> made(sums.size());
        if (!replaces)
            for (std::size_t index = 0; index < sums.size(); ++index)
                for (std::size_t lane = 0; lane < ptxLanes; ++lane)
                    made[index][lane] = static_cast<std::uint32_t>(
                        warp.registers[static_cast<std::size_t>(sums[index])][lane]);
        multiplySlices(a, b, {.columns = columns, .isInt8 = isInt8}, replaces, made);
        for (std::size_t index = 0; index < sums.size(); ++index) {
            const auto at = static_cast<std::size_t>(sums[index]);
            std::ranges::copy(made[index], warp.registers[at].begin());
        }
        warp.products.begin(sums, inRegisters, kilobytes, m_shared);
    }

    void shareRegisters(PtxWarp& warp, const PtxInstruction& instruction, std::uint32_t active) {
        requireAll(active);
        const int wanted = static_cast<int>(instruction.operands.front().number);
        const bool gives = instruction.form->operation == PtxOperation::GiveRegisters;
        if (gives != (wanted < warp.registersOfThread) && wanted != warp.registersOfThread)
            complain("a thread has {} registers here, and the text says {}", warp.registersOfThread, wanted);
        const int more = wanted - warp.registersOfThread;
        if (more > m_freeRegisters) {
            warp.waits = PtxWait::Registers;
            warp.wantedRegisters = more;
            for (std::uint32_t& next : warp.next)
                --next;
            return;
        }
        requireGroup(warp, instruction, active);
        m_freeRegisters -= more;
        warp.registersOfThread = wanted;
    }

    void leave(PtxWarp& warp, std::uint32_t active) {
        if (!warp.products.isEmpty())
            complain("warp {} returns while products of it are under way; wait for them first", warp.index);
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
    PtxBarriers m_barriers;
    int m_freeRegisters = 0;  // of each thread of a warp, that setmaxnreg shares out
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
