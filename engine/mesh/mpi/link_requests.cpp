// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/link_requests.h"

#include <algorithm>
#include <utility>

namespace meshreel {

LinkTransfer::LinkTransfer(std::vector<LinkMessage> messages)
    : m_messages(std::move(messages)), m_open(m_messages.size()) {}

LinkTransfer::End LinkTransfer::await(std::chrono::milliseconds stallTimeout) {
    std::unique_lock lock(m_mutex);
    while (m_open > 0 && !m_failed) {
        const std::size_t before = m_open;
        const bool moved =
            m_changed.wait_for(lock, stallTimeout, [&] { return m_open != before || m_failed; });
        if (!moved)
            return End::Stalled;
    }
    return m_open == 0 ? End::Done : End::Failed;
}

bool LinkTransfer::finished() const {
    const std::lock_guard lock(m_mutex);
    return m_open == 0;
}

void LinkTransfer::awaitRelease() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_open == 0 || m_released; });
}

bool LinkTransfer::messageDone() {
    const std::lock_guard lock(m_mutex);
    --m_open;
    m_changed.notify_all();
    return m_open == 0;
}

void LinkTransfer::fail() {
    const std::lock_guard lock(m_mutex);
    m_failed = true;
    m_changed.notify_all();
}

void LinkTransfer::release() {
    const std::lock_guard lock(m_mutex);
    m_released = true;
    m_changed.notify_all();
}

bool LinkBroadcast::await() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_state != State::Underway; });
    return m_state == State::Done;
}

void LinkBroadcast::end(State state) {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        m_state = state;
    m_changed.notify_all();
}

void LinkBroadcast::fail() {
    end(State::Failed);
}

void LinkBroadcast::finish() {
    end(State::Done);
}

void LinkBroadcast::take(std::size_t offset, std::span<std::byte> piece) const {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        std::ranges::copy(m_bytes.subspan(offset, piece.size()), piece.begin());
}

void LinkBroadcast::put(std::size_t offset, std::span<const std::byte> piece) {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        std::ranges::copy(piece, m_bytes.subspan(offset).begin());
}

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
