// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_program.h"
#include "tests/support/ptx/ptx_shared.h"

namespace meshreel::testing {

/// What a warp has under way of wgmma: which registers and which shared memory the products use, until their
/// group is waited for.
class PtxProductsUnderWay {
  public:
    /// `entry` outlives this.
    explicit PtxProductsUnderWay(const PtxEntry& entry);

    // Return why not, or nothing.
    /// Another instruction uses its registers: what products write nobody else may touch, and what they read
    /// nobody may write.
    std::optional<std::string> use(const PtxInstruction& instruction);
    /// A product adds to `sums`, or replaces them, and reads `factors`, if it has some in registers.
    [[nodiscard]] std::optional<std::string> canBegin(const std::vector<int>& sums,
                                                      const std::vector<int>& factors, bool replaces) const;

    void begin(const std::vector<int>& sums, const std::vector<int>& factors,
               const std::set<std::size_t>& kilobytes, PtxSharedMemory& shared);
    void fence();
    void commit();
    /// Waits until `stay` groups at most are under way: the newest ones.
    void finish(std::uint64_t stay, PtxSharedMemory& shared, const PtxAccess& by);

    [[nodiscard]] bool isEmpty() const { return m_groups.empty() && m_open.sums.empty(); }

    /// The warp carries out an instruction of its warpgroup, `with` what it is told besides. What it has
    /// carried out so far is told apart by a number.
    void carryOut(int line, std::uint64_t with);
    [[nodiscard]] std::uint64_t carriedOut() const { return m_carriedOut; }

  private:
    struct Group {
        std::vector<int> sums;
        std::vector<int> factors;
        std::vector<std::size_t> kilobytes;
    };
    struct Register {
        int writing = 0;  // products under way
        int reading = 0;
        bool isUsed = true;  // by something else, since the last wgmma.fence
        bool isWritten = false;
    };

    [[nodiscard]] const std::string& nameOf(int index) const;
    [[nodiscard]] const Register& at(int index) const { return m_registers[static_cast<std::size_t>(index)]; }
    Register& at(int index) { return m_registers[static_cast<std::size_t>(index)]; }

    const PtxEntry& m_entry;
    std::vector<Register> m_registers;
    std::deque<Group> m_groups;
    Group m_open;
    std::uint64_t m_carriedOut = 0;
};

}  // namespace meshreel::testing
