// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_messages.h"

#include <algorithm>

namespace meshreel {

void MpiMessages::post(const std::shared_ptr<LinkTransfer>& transfer) {
    for (const LinkMessage& message : transfer->messages()) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (message.isSend)
            checkMpi(MPI_Isend(message.data, message.bytes, MPI_BYTE, message.peer, message.tag,
                               m_communicator, &request));
        else
            checkMpi(MPI_Irecv(message.data, message.bytes, MPI_BYTE, message.peer, message.tag,
                               m_communicator, &request));
        m_requests.push_back(request);
        m_messages.push_back({transfer, message});
    }
}

bool MpiMessages::test() {
    if (m_requests.empty())
        return false;
    const auto count = static_cast<int>(m_requests.size());
    std::vector<int> done(m_requests.size());
    std::vector<MPI_Status> statuses(m_requests.size());
    int completed = 0;
    checkMpi(MPI_Testsome(count, m_requests.data(), &completed, done.data(), statuses.data()));
    if (completed <= 0)
        return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
        int cancelled = 0;
        checkMpi(MPI_Test_cancelled(&statuses[i], &cancelled));
        if (cancelled == 0)
            m_messages[static_cast<std::size_t>(done[i])].transfer->messageDone();
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if (m_requests[i] != MPI_REQUEST_NULL) {
            m_requests[kept] = m_requests[i];
            if (kept != i)
                m_messages[kept] = std::move(m_messages[i]);
            ++kept;
        }
    m_requests.resize(kept);
    m_messages.resize(kept);
    return true;
}

void MpiMessages::withdrawReceives() {
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if (!m_messages[i].message.isSend)
            checkMpi(MPI_Cancel(&m_requests[i]));
}

bool MpiMessages::receiving() const {
    return std::ranges::any_of(m_messages, [](const OnItsWay& each) { return !each.message.isSend; });
}

bool MpiMessages::isInert(const LinkTransfer& transfer, const std::function<bool(int)>& isQuiet) const {
    return std::ranges::none_of(m_messages, [&](const OnItsWay& each) {
        return each.transfer.get() == &transfer && !(each.message.isSend && isQuiet(each.message.peer));
    });
}

void MpiMessages::close() {
    checkMpi(MPI_Comm_free(&m_communicator));
}

}  // namespace meshreel
