// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/mpi/link_requests.h"
#include "engine/mesh/mpi/rank_watch.h"

namespace meshreel {

// For the communication thread only: nothing else may see MPI.

/// Throws Error{Device} unless an MPI function returned success.
inline void checkMpi(int code) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(ErrorKind::Device,
                sentence("MPI failed: {}", std::string_view(text, static_cast<std::size_t>(length))), {},
                sentence("Check the network between the hosts"));
}

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

/// Carries words over a communicator of its own. Used by the communication thread.
class MpiWordChannel {
  public:
    /// Owns `communicator`.
    explicit MpiWordChannel(MPI_Comm communicator);

    /// To every other rank. `Alive` skips ranks that have not taken an earlier word yet.
    void tellAll(const RankWord& word);

    /// Words that came, with who sent them.
    [[nodiscard]] std::vector<std::pair<int, RankWord>> take();

    /// Whether every word that was said has left.
    [[nodiscard]] bool allSaid();

    /// Frees what MPI holds; before MPI_Finalize only.
    void close();

  private:
    struct Saying {
        int rank = 0;
        std::string text;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    void listen();
    void forgetSaid();

    MPI_Comm m_communicator;
    int m_self = 0;
    int m_ranks = 0;
    std::vector<char> m_heard;
    MPI_Request m_listening = MPI_REQUEST_NULL;
    std::list<Saying> m_sayings;  // a list: MPI reads the texts where they are
};

}  // namespace meshreel
