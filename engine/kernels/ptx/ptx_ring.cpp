// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_ring.h"

#include <utility>

namespace meshreel {

PtxRing::PtxRing(PtxWriter& ptx, std::string name, std::size_t stages, std::size_t fillers,
                 std::size_t readers)
    : m_ptx(ptx), m_name(std::move(name)), m_stages(stages), m_fillers(fillers), m_readers(readers) {}

void PtxRing::begin(const std::string& place, std::size_t offset, const std::string& isFirst) {
    m_barriers = m_ptx.add("u32", m_name + "Barriers");
    m_barrier = m_ptx.add("u32", m_name + "Barrier");
    m_hasCome = m_ptx.add("pred", m_name + "HasCome");
    m_wraps = m_ptx.add("pred", m_name + "Wraps");
    m_ptx.write("add.u32", {m_barriers, place, offset});
    for (std::size_t stage = 0; stage < m_stages; ++stage) {
        m_ptx.writeIf(isFirst, "mbarrier.init.shared.b64", {at(m_barriers, stage * barrierBytes), m_fillers});
        m_ptx.writeIf(isFirst, "mbarrier.init.shared.b64",
                      {at(m_barriers, offsetOfFree() + stage * barrierBytes), m_readers});
    }
}

PtxRing::Turn PtxRing::turnOfFiller() {
    Turn turn{.stage = m_ptx.add("u32", m_name + "Filled"), .parity = m_ptx.add("u32", m_name + "Parity")};
    m_ptx.write("mov.u32", {turn.stage, 0});
    // Of the phase before the first one, which is over.
    m_ptx.write("mov.u32", {turn.parity, 1});
    return turn;
}

PtxRing::Turn PtxRing::turnOfReader(std::size_t stage) {
    Turn turn{.stage = m_ptx.add("u32", m_name + "Read"), .parity = m_ptx.add("u32", m_name + "Parity")};
    m_ptx.write("mov.u32", {turn.stage, stage});
    m_ptx.write("mov.u32", {turn.parity, 0});
    return turn;
}

void PtxRing::next(const Turn& turn, std::size_t stages) {
    m_ptx.write("add.u32", {turn.stage, turn.stage, stages});
    m_ptx.write("setp.ge.u32", {m_wraps, turn.stage, m_stages});
    m_ptx.writeIf(m_wraps, "sub.u32", {turn.stage, turn.stage, m_stages});
    m_ptx.writeIf(m_wraps, "xor.b32", {turn.parity, turn.parity, 1});
}

void PtxRing::findBarrier(const Turn& turn, std::size_t offset) {
    m_ptx.write("mad.lo.u32", {m_barrier, turn.stage, barrierBytes, m_barriers});
    if (offset != 0)
        m_ptx.write("add.u32", {m_barrier, m_barrier, offset});
}

void PtxRing::wait(const Turn& turn, std::size_t offset) {
    findBarrier(turn, offset);
    const std::string again = m_ptx.newLabel(m_name + "Wait");
    m_ptx.label(again);
    m_ptx.write("mbarrier.try_wait.parity.shared.b64", {m_hasCome, at(m_barrier), turn.parity});
    m_ptx.writeUnless(m_hasCome, "bra", {again});
}

void PtxRing::waitUntilFull(const Turn& turn) {
    wait(turn, 0);
}

void PtxRing::waitUntilFree(const Turn& turn) {
    wait(turn, offsetOfFree());
}

void PtxRing::arrive(const Turn& turn, std::size_t offset, const std::string& predicate) {
    findBarrier(turn, offset);
    if (predicate.empty())
        m_ptx.write("mbarrier.arrive.shared.b64", {"_", at(m_barrier)});
    else
        m_ptx.writeIf(predicate, "mbarrier.arrive.shared.b64", {"_", at(m_barrier)});
}

void PtxRing::tellFull(const Turn& turn, const std::string& predicate) {
    arrive(turn, 0, predicate);
}

void PtxRing::tellFree(const Turn& turn, const std::string& predicate) {
    arrive(turn, offsetOfFree(), predicate);
}

std::string PtxRing::fullBarrier(const Turn& turn) {
    findBarrier(turn, 0);
    return m_barrier;
}

PtxRingFiller::PtxRingFiller(PtxWriter& ptx, PtxRing& ring, std::size_t ahead)
    : m_ptx(ptx),
      m_ring(ring),
      m_ahead(ahead),
      m_turn(ring.turnOfFiller()),
      m_oldest(ring.turnOfFiller()),
      m_begun(ptx.add("u32", "begun")),
      m_isFull(ptx.add("pred", "isFull")) {
    m_ptx.write("mov.u32", {m_begun, 0});
}

/// Of all but `stay` stages one is told.
void PtxRingFiller::tellOldest(std::size_t stay) {
    const std::string none = m_ptx.newLabel("noneIsFull");
    m_ptx.write("setp.gt.u32", {m_isFull, m_begun, stay});
    m_ptx.writeUnless(m_isFull, "bra.uni", {none});
    m_ptx.write("cp.async.wait_group", {stay});
    m_ptx.write("fence.proxy.async.shared::cta");
    m_ring.tellFull(m_oldest);
    m_ring.next(m_oldest);
    m_ptx.label(none);
}

void PtxRingFiller::beginStage() {
    tellOldest(m_ahead - 1);
    m_ring.waitUntilFree(m_turn);
}

void PtxRingFiller::closeStage() {
    m_ptx.write("cp.async.commit_group");
    m_ring.next(m_turn);
    m_ptx.write("add.u32", {m_begun, m_begun, 1});
}

void PtxRingFiller::finish() {
    for (std::size_t stay = m_ahead; stay-- > 0;)
        tellOldest(stay);
}

}  // namespace meshreel
