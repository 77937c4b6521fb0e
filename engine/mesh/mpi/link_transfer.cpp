// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/link_transfer.h"

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

}  // namespace meshreel
