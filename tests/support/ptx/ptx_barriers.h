// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_clock.h"
#include "tests/support/ptx/ptx_memory.h"
#include "tests/support/ptx/ptx_shared.h"

namespace meshreel::testing {

/// The mbarriers of a block, by their shared addresses, and the bulk copies that they wait for: a copy lands
/// when somebody waits for its barrier, and not before.
class PtxBarriers {
  public:
    PtxBarriers(PtxSharedMemory& shared, const PtxMemory& memory, std::size_t warps);

    // Return why not, or nothing.
    std::optional<std::string> begin(std::uint64_t address, std::uint32_t count, const PtxAccess& by);
    /// Arrives, and then expects so many bytes more in this phase.
    std::optional<std::string> arrive(std::uint64_t address, std::uint32_t bytes, const PtxAccess& by);
    std::optional<std::string> beginBulkCopy(std::uint64_t to, std::uint64_t from, std::uint32_t bytes,
                                             std::uint64_t barrier, const PtxAccess& by);
    /// Why a thread may not wait there.
    [[nodiscard]] std::optional<std::string> canBeUsed(std::uint64_t address, const PtxAccess& by) const;

    /// Whether the phase of this parity is over; copies have landed then that it waited for.
    bool isOver(std::uint64_t address, std::uint32_t parity);
    /// What who waited for the last phase that is over knows since.
    [[nodiscard]] const PtxClock& told(std::uint64_t address) const { return m_barriers.at(address).over; }

    [[nodiscard]] bool hasCopiesUnderWay() const { return !m_copies.empty(); }

  private:
    struct Barrier {
        std::uint32_t count = 0;
        std::uint32_t missing = 0;
        std::int64_t bytes = 0;  // expected and not come
        std::uint32_t phase = 0;
        int beganBy = 0;  // warp and time of mbarrier.init
        std::uint32_t beganAt = 0;
        PtxClock coming;
        PtxClock over;
    };
    struct BulkCopy {
        std::uint64_t to = 0;
        std::uint64_t barrier = 0;
        std::vector<std::byte> bytes;
    };

    void landCopies(std::uint64_t address);
    static void endPhaseIfComplete(Barrier& barrier);

    PtxSharedMemory& m_shared;
    const PtxMemory& m_memory;
    std::size_t m_warps;
    std::map<std::uint64_t, Barrier> m_barriers;
    std::vector<BulkCopy> m_copies;
    PtxClock m_engine;
};

}  // namespace meshreel::testing
