// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/mesh/mpi/link_broadcast.h"
#include "engine/mesh/mpi/mpi_calls.h"

namespace meshreel {

/// Carries broadcasts one after another, piece by piece, over a communicator of their own. Used by the
/// communication thread. MPI sees a buffer of its own only: a broadcast cannot be withdrawn, and who waits
/// for it has to be free to leave when the ranks give up.
class MpiBroadcasts {
  public:
    /// Owns `communicator`; no message is longer than `largestMessage` bytes.
    MpiBroadcasts(MPI_Comm communicator, std::size_t largestMessage);

    void add(std::shared_ptr<LinkBroadcast> broadcast);

    /// True when a piece has been carried.
    bool test();

    [[nodiscard]] bool empty() const { return m_waiting.empty(); }

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    void startPiece();
    [[nodiscard]] std::span<std::byte> piece();

    MPI_Comm m_communicator;
    bool m_isRoot = false;
    std::vector<std::byte> m_buffer;
    std::deque<std::shared_ptr<LinkBroadcast>> m_waiting;  // the first is being carried
    std::size_t m_carried = 0;                             // bytes of the first
    MPI_Request m_request = MPI_REQUEST_NULL;
};

}  // namespace meshreel
