// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// Stages of shared memory that some warps fill and others read, one after the other and round again. Each
/// has two mbarriers: all who fill it arrive at `full` when it is there, all who read it at `free` when they
/// have read it.
class PtxRing {
  public:
    /// Registers that say whose turn it is: the stage, and the parity of the phase that is waited for.
    struct Turn {
        std::string stage;
        std::string parity;
    };

    /// `fillers` and `readers` arrive at a stage each time. The name is that of registers.
    PtxRing(PtxWriter& ptx, std::string name, std::size_t stages, std::size_t fillers, std::size_t readers);

    [[nodiscard]] std::size_t stages() const { return m_stages; }
    /// Of its barriers.
    [[nodiscard]] std::size_t bytes() const { return 2 * m_stages * barrierBytes; }

    /// Finds the barriers, from the register `place` plus `offset` on, and sets them up where `isFirst`, in
    /// one thread. All others come behind a barrier of the block.
    void begin(const std::string& place, std::size_t offset, const std::string& isFirst);

    /// Who fills finds every stage free at first.
    Turn turnOfFiller();
    /// Who reads begins with a stage.
    Turn turnOfReader(std::size_t stage = 0);
    /// So many stages on.
    void next(const Turn& turn, std::size_t stages = 1);

    void waitUntilFull(const Turn& turn);
    void waitUntilFree(const Turn& turn);
    /// Where `predicate`; everywhere when it is empty.
    void tellFull(const Turn& turn, const std::string& predicate = {});
    void tellFree(const Turn& turn, const std::string& predicate);
    /// Returns a register with the address of a stage's barrier `full`, for bulk copies.
    std::string fullBarrier(const Turn& turn);

  private:
    static constexpr std::size_t barrierBytes = 8;

    void findBarrier(const Turn& turn, std::size_t offset);
    void wait(const Turn& turn, std::size_t offset);
    void arrive(const Turn& turn, std::size_t offset, const std::string& predicate);
    [[nodiscard]] std::size_t offsetOfFree() const { return m_stages * barrierBytes; }

    PtxWriter& m_ptx;
    std::string m_name;
    std::size_t m_stages;
    std::size_t m_fillers;
    std::size_t m_readers;
    std::string m_barriers;
    std::string m_barrier;
    std::string m_hasCome;
    std::string m_wraps;
};

/// How warps fill a ring by cp.async, `ahead` stages of which are on their way at a time. cp.async writes as
/// threads do, and wgmma reads as the copy engine does: each thread that copied waits for its part, makes it
/// visible (fence.proxy.async) and arrives.
class PtxRingFiller {
  public:
    /// `ahead` is below the ring's stages.
    PtxRingFiller(PtxWriter& ptx, PtxRing& ring, std::size_t ahead);

    /// Waits for the next stage; the oldest one that is on its way is told before, so that nobody who reads
    /// it waits for that. Then the caller copies into turn().
    void beginStage();
    void closeStage();
    /// Tells of all stages that are still on their way.
    void finish();

    [[nodiscard]] const PtxRing::Turn& turn() const { return m_turn; }

  private:
    void tellOldest(std::size_t stay);

    PtxWriter& m_ptx;
    PtxRing& m_ring;
    std::size_t m_ahead;
    PtxRing::Turn m_turn;
    PtxRing::Turn m_oldest;
    std::string m_begun;
    std::string m_isFull;
};

}  // namespace meshreel
