// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_under_way.h"

#include <fmt/format.h>

#include <utility>

namespace meshreel::testing {

PtxProductsUnderWay::PtxProductsUnderWay(const PtxEntry& entry)
    : m_entry(entry), m_registers(entry.registers.size()) {}

const std::string& PtxProductsUnderWay::nameOf(int index) const {
    return m_entry.registers[static_cast<std::size_t>(index)].name;
}

std::optional<std::string> PtxProductsUnderWay::use(const PtxInstruction& instruction) {
    for (std::size_t index = 0; index < instruction.operands.size(); ++index) {
        const bool isWritten = instruction.form->slots[index].isWritten;
        for (const int each : instruction.operands[index].registers) {
            if (each < 0)
                continue;
            Register& used = at(each);
            if (used.writing > 0)
                return fmt::format("{} holds sums of products that are under way; wait for their group first",
                                   nameOf(each));
            if (isWritten && used.reading > 0)
                return fmt::format(
                    "{} is a factor of products that are under way; wait for their group first",
                    nameOf(each));
            used.isUsed = true;
            used.isWritten = used.isWritten || isWritten;
        }
    }
    return std::nullopt;
}

std::optional<std::string> PtxProductsUnderWay::canBegin(const std::vector<int>& sums,
                                                         const std::vector<int>& factors,
                                                         bool replaces) const {
    for (const std::vector<int>* registers : {&sums, &factors})
        for (const int each : *registers)
            if (at(each).isUsed)
                return fmt::format("{} was used since the last wgmma.fence; fence it first", nameOf(each));
    for (const int each : sums)
        if (!replaces && !at(each).isWritten)
            return fmt::format("it adds to {}, which nothing was written into", nameOf(each));
    for (const int each : factors)
        if (at(each).writing > 0)
            return fmt::format(
                "the factor {} holds sums of products that are under way; wait for their group "
                "first",
                nameOf(each));
    return std::nullopt;
}

void PtxProductsUnderWay::begin(const std::vector<int>& sums, const std::vector<int>& factors,
                                const std::set<std::size_t>& kilobytes, PtxSharedMemory& shared) {
    for (const int each : sums) {
        ++at(each).writing;
        at(each).isWritten = true;
        m_open.sums.push_back(each);
    }
    for (const int each : factors) {
        ++at(each).reading;
        m_open.factors.push_back(each);
    }
    for (const std::size_t each : kilobytes) {
        shared.beginProductRead(each);
        m_open.kilobytes.push_back(each);
    }
}

void PtxProductsUnderWay::fence() {
    for (Register& each : m_registers)
        each.isUsed = false;
}

void PtxProductsUnderWay::commit() {
    m_groups.push_back(std::exchange(m_open, {}));
}

void PtxProductsUnderWay::finish(std::uint64_t stay, PtxSharedMemory& shared, const PtxAccess& by) {
    while (m_groups.size() > stay) {
        for (const int each : m_groups.front().sums)
            --at(each).writing;
        for (const int each : m_groups.front().factors)
            --at(each).reading;
        for (const std::size_t each : m_groups.front().kilobytes)
            shared.finishProductRead(each, by);
        m_groups.pop_front();
    }
}

void PtxProductsUnderWay::carryOut(int line, std::uint64_t with) {
    constexpr std::uint64_t prime = 0x100000001b3ULL;  // FNV-1a
    m_carriedOut = (m_carriedOut ^ static_cast<std::uint64_t>(line)) * prime;
    m_carriedOut = (m_carriedOut ^ with) * prime;
}

}  // namespace meshreel::testing
