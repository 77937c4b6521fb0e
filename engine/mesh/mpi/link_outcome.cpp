// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/link_outcome.h"

#include <utility>

#include "engine/mesh/mpi/link_broadcast.h"

namespace meshreel {

bool LinkOutcome::settle(const MeshFailure& failure, bool meshKnows) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_failure)
            return false;
        m_failure = failure;
        m_failedAt = Clock::now();
    }
    {
        // Before the waits end, so that the mesh learns the reason from here.
        const std::lock_guard lock(m_listenerMutex);
        if (m_observer)
            m_observer(failure);
        if (m_listener && !meshKnows)
            m_listener(failure);
    }
    const std::lock_guard lock(m_mutex);
    for (const auto& transfer : std::exchange(m_transfers, {}))
        transfer->fail();
    for (const auto& broadcast : std::exchange(m_broadcasts, {}))
        broadcast->fail();
    return true;
}

std::optional<MeshFailure> LinkOutcome::failure() const {
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

std::optional<LinkOutcome::Clock::time_point> LinkOutcome::failedAt() const {
    const std::lock_guard lock(m_mutex);
    return m_failure ? std::optional(m_failedAt) : std::nullopt;
}

bool LinkOutcome::admit(const std::shared_ptr<LinkTransfer>& transfer) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_transfers.insert(transfer);
    return !m_failure;
}

bool LinkOutcome::admit(const std::shared_ptr<LinkBroadcast>& broadcast) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_broadcasts.insert(broadcast);
    return !m_failure;
}

void LinkOutcome::dismiss(const std::shared_ptr<LinkTransfer>& transfer) {
    const std::lock_guard lock(m_mutex);
    m_transfers.erase(transfer);
}

void LinkOutcome::dismiss(const std::shared_ptr<LinkBroadcast>& broadcast) {
    const std::lock_guard lock(m_mutex);
    m_broadcasts.erase(broadcast);
}

void LinkOutcome::setListener(Listener listener) {
    const std::lock_guard lock(m_listenerMutex);
    m_listener = std::move(listener);
}

void LinkOutcome::setObserver(Listener observer) {
    const std::lock_guard lock(m_listenerMutex);
    m_observer = std::move(observer);
}

}  // namespace meshreel
