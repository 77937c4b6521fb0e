// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_word_channel.h"

#include <algorithm>

namespace meshreel {
namespace {

constexpr int wordTag = 0;

}  // namespace

MpiWordChannel::MpiWordChannel(MPI_Comm communicator) : m_communicator(communicator), m_heard(longestWord) {
    checkMpi(MPI_Comm_rank(m_communicator, &m_self));
    checkMpi(MPI_Comm_size(m_communicator, &m_ranks));
    listen();
}

void MpiWordChannel::listen() {
    checkMpi(MPI_Irecv(m_heard.data(), static_cast<int>(m_heard.size()), MPI_CHAR, MPI_ANY_SOURCE, wordTag,
                       m_communicator, &m_listening));
}

void MpiWordChannel::tellAll(const RankWord& word) {
    forgetSaid();
    const std::string text = encodeWord(word);
    for (int rank = 0; rank < m_ranks; ++rank) {
        const bool behind =
            std::ranges::any_of(m_sayings, [rank](const Saying& saying) { return saying.rank == rank; });
        if (rank == m_self || (word.word == Word::Alive && behind))
            continue;
        Saying& saying = m_sayings.emplace_back(Saying{.rank = rank, .text = text});
        checkMpi(MPI_Isend(saying.text.data(), static_cast<int>(saying.text.size()), MPI_CHAR, rank, wordTag,
                           m_communicator, &saying.request));
    }
}

std::vector<std::pair<int, RankWord>> MpiWordChannel::take() {
    std::vector<std::pair<int, RankWord>> words;
    while (true) {
        int arrived = 0;
        MPI_Status status;
        checkMpi(MPI_Test(&m_listening, &arrived, &status));
        if (arrived == 0)
            return words;
        int length = 0;
        checkMpi(MPI_Get_count(&status, MPI_CHAR, &length));
        words.emplace_back(status.MPI_SOURCE,
                           decodeWord(std::string(m_heard.data(), static_cast<std::size_t>(length))));
        listen();
    }
}

void MpiWordChannel::forgetSaid() {
    std::erase_if(m_sayings, [](Saying& saying) {
        int left = 0;
        checkMpi(MPI_Test(&saying.request, &left, MPI_STATUS_IGNORE));
        return left != 0;
    });
}

bool MpiWordChannel::allSaid() {
    forgetSaid();
    return m_sayings.empty();
}

void MpiWordChannel::close() {
    checkMpi(MPI_Cancel(&m_listening));
    checkMpi(MPI_Wait(&m_listening, MPI_STATUS_IGNORE));
    checkMpi(MPI_Comm_free(&m_communicator));
}

}  // namespace meshreel
