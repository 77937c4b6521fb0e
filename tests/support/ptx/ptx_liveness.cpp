// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_liveness.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace meshreel::testing {
namespace {

using LiveSet = std::vector<bool>;

void follow(const PtxInstruction& instruction, LiveSet& live) {
    for (std::size_t index = 0; index < instruction.operands.size(); ++index)
        if (instruction.form->slots[index].isWritten && !instruction.form->slots[index].isAccumulated &&
            instruction.guard < 0)
            for (const int written : instruction.operands[index].registers)
                live[static_cast<std::size_t>(written)] = false;
    for (std::size_t index = 0; index < instruction.operands.size(); ++index)
        if (!instruction.form->slots[index].isWritten || instruction.form->slots[index].isAccumulated)
            for (const int read : instruction.operands[index].registers)
                if (read >= 0)
                    live[static_cast<std::size_t>(read)] = true;
    if (instruction.guard >= 0)
        live[static_cast<std::size_t>(instruction.guard)] = true;
}

/// Registers that wgmma adds to.
LiveSet accumulatedRegisters(const PtxEntry& entry) {
    LiveSet found(entry.registers.size(), false);
    for (const PtxInstruction& instruction : entry.instructions)
        for (std::size_t index = 0; index < instruction.operands.size(); ++index)
            if (instruction.form->slots[index].isAccumulated)
                for (const int each : instruction.operands[index].registers)
                    found[static_cast<std::size_t>(each)] = true;
    return found;
}

int wordsOf(const PtxEntry& entry, const LiveSet& live) {
    int words = 0;
    for (std::size_t index = 0; index < live.size(); ++index)
        if (live[index] && entry.registers[index].type != PtxType::Pred)
            words += ptxTypeBytes(entry.registers[index].type) == 8 ? 2 : 1;
    return words;
}

}  // namespace

PtxLiveness ptxLiveness(const PtxEntry& entry) {
    const std::size_t count = entry.instructions.size();
    // What is needed before each instruction, and after the last one nothing.
    std::vector<LiveSet> before(count + 1, LiveSet(entry.registers.size(), false));
    bool changes = true;
    while (changes) {
        changes = false;
        for (std::size_t at = count; at-- > 0;) {
            const PtxInstruction& instruction = entry.instructions[at];
            const PtxOperation operation = instruction.form->operation;
            const bool goesOn = instruction.guard >= 0 ||
                                (operation != PtxOperation::Branch && operation != PtxOperation::Return);
            LiveSet live = goesOn ? before[at + 1] : LiveSet(entry.registers.size(), false);
            if (operation == PtxOperation::Branch) {
                const LiveSet& there = before[instruction.operands.front().number];
                for (std::size_t index = 0; index < live.size(); ++index)
                    live[index] = live[index] || there[index];
            }
            follow(instruction, live);
            if (live != before[at]) {
                before[at] = std::move(live);
                changes = true;
            }
        }
    }
    PtxLiveness result;
    for (std::size_t at = 0; at < count; ++at) {
        result.words.push_back(wordsOf(entry, before[at]));
        if (result.words.back() > result.most) {
            result.most = result.words.back();
            result.line = entry.instructions[at].line;
        }
    }
    const LiveSet sums = accumulatedRegisters(entry);
    for (std::size_t index = 0; index < entry.registers.size() && result.unwritten < 0; ++index)
        if (before.front()[index] && !sums[index])
            result.unwritten = static_cast<int>(index);
    return result;
}

std::optional<PtxExcess> ptxRegisterExcess(const PtxEntry& entry, const PtxLiveness& liveness, int room) {
    constexpr int mostNamed = 255;
    const std::size_t count = entry.instructions.size();
    // The fewest that a way to each instruction leaves; 0: no way was found so far.
    std::vector<int> rooms(count + 1, 0);
    std::vector<std::pair<std::size_t, int>> open{{0, room}};
    while (!open.empty()) {
        const auto [at, has] = open.back();
        open.pop_back();
        if (at >= count || (rooms[at] != 0 && rooms[at] <= has))
            continue;
        rooms[at] = has;
        const PtxInstruction& instruction = entry.instructions[at];
        const PtxOperation operation = instruction.form->operation;
        const bool shares =
            operation == PtxOperation::GiveRegisters || operation == PtxOperation::TakeRegisters;
        const int after =
            shares ? std::min(mostNamed, static_cast<int>(instruction.operands.front().number)) : has;
        if (operation == PtxOperation::Branch)
            open.emplace_back(instruction.operands.front().number, after);
        if (instruction.guard >= 0 ||
            (operation != PtxOperation::Branch && operation != PtxOperation::Return))
            open.emplace_back(at + 1, after);
    }
    std::optional<PtxExcess> worst;
    for (std::size_t at = 0; at < count; ++at)
        if (const int live = liveness.words[at];
            rooms[at] != 0 && live > rooms[at] && (!worst || live - rooms[at] > worst->live - worst->room))
            worst = PtxExcess{.line = entry.instructions[at].line, .live = live, .room = rooms[at]};
    return worst;
}

}  // namespace meshreel::testing
