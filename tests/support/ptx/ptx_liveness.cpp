// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_liveness.h"

#include <cstddef>
#include <vector>

namespace meshreel::testing {
namespace {

using LiveSet = std::vector<bool>;

void follow(const PtxInstruction& instruction, LiveSet& live) {
    for (std::size_t index = 0; index < instruction.operands.size(); ++index)
        if (instruction.form->slots[index].isWritten && instruction.guard < 0)
            for (const int written : instruction.operands[index].registers)
                live[static_cast<std::size_t>(written)] = false;
    for (std::size_t index = 0; index < instruction.operands.size(); ++index)
        if (!instruction.form->slots[index].isWritten)
            for (const int read : instruction.operands[index].registers)
                if (read >= 0)
                    live[static_cast<std::size_t>(read)] = true;
    if (instruction.guard >= 0)
        live[static_cast<std::size_t>(instruction.guard)] = true;
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
    for (std::size_t at = 0; at < count; ++at)
        if (const int words = wordsOf(entry, before[at]); words > result.most) {
            result.most = words;
            result.line = entry.instructions[at].line;
        }
    for (std::size_t index = 0; index < entry.registers.size() && result.unwritten < 0; ++index)
        if (before.front()[index])
            result.unwritten = static_cast<int>(index);
    return result;
}

}  // namespace meshreel::testing
