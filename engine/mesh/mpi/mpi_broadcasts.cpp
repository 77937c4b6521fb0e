// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_broadcasts.h"

#include <algorithm>
#include <utility>

namespace meshreel {
namespace {

constexpr std::size_t pieceBytes = 16UL << 20U;

}  // namespace

MpiBroadcasts::MpiBroadcasts(MPI_Comm communicator, std::size_t largestMessage)
    : m_communicator(communicator), m_buffer(std::min(pieceBytes, largestMessage)) {
    int rank = 0;
    checkMpi(MPI_Comm_rank(communicator, &rank));
    m_isRoot = rank == 0;
}

void MpiBroadcasts::add(std::shared_ptr<LinkBroadcast> broadcast) {
    m_waiting.push_back(std::move(broadcast));
    if (m_waiting.size() == 1)
        startPiece();
}

/// As much of the buffer as is carried now.
std::span<std::byte> MpiBroadcasts::piece() {
    return std::span(m_buffer).first(std::min(m_waiting.front()->size() - m_carried, m_buffer.size()));
}

void MpiBroadcasts::startPiece() {
    const std::span<std::byte> bytes = piece();
    if (m_isRoot)
        m_waiting.front()->take(m_carried, bytes);
    checkMpi(
        MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, m_communicator, &m_request));
}

bool MpiBroadcasts::test() {
    if (m_waiting.empty())
        return false;
    int done = 0;
    checkMpi(MPI_Test(&m_request, &done, MPI_STATUS_IGNORE));
    if (done == 0)
        return false;
    const std::span<std::byte> bytes = piece();
    if (!m_isRoot)
        m_waiting.front()->put(m_carried, bytes);
    m_carried += bytes.size();
    if (m_carried == m_waiting.front()->size()) {
        m_carried = 0;
        m_waiting.front()->finish();
        m_waiting.pop_front();
    }
    if (!m_waiting.empty())
        startPiece();
    return true;
}

void MpiBroadcasts::close() {
    checkMpi(MPI_Comm_free(&m_communicator));
}

}  // namespace meshreel
