// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "engine/mesh/mpi/mpi_calls.h"
#include "engine/mesh/mpi/mpi_words.h"

namespace meshreel {

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
