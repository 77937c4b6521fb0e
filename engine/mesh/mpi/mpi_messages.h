// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/mesh/mpi/link_transfer.h"
#include "engine/mesh/mpi/mpi_calls.h"

namespace meshreel {

/// The messages of transfers that are on their way, over a communicator of their own. Used by the
/// communication thread.
class MpiMessages {
  public:
    /// Owns `communicator`.
    explicit MpiMessages(MPI_Comm communicator) : m_communicator(communicator) {}

    void post(const std::shared_ptr<LinkTransfer>& transfer);

    /// Moves what can be moved; true when a message was done.
    bool test();

    /// Takes back the receives that no send has met; the others go on.
    void withdrawReceives();

    [[nodiscard]] bool empty() const { return m_requests.empty(); }
    [[nodiscard]] bool receiving() const;

    /// Whether MPI will not touch the transfer's memory any more, given which ranks receive nothing more.
    [[nodiscard]] bool isInert(const LinkTransfer& transfer, const std::function<bool(int)>& isQuiet) const;

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    struct OnItsWay {
        std::shared_ptr<LinkTransfer> transfer;
        LinkMessage message;
    };

    MPI_Comm m_communicator;
    std::vector<MPI_Request> m_requests;
    std::vector<OnItsWay> m_messages;  // as m_requests
};

}  // namespace meshreel
