// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/link_broadcast.h"

#include <algorithm>

namespace meshreel {

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

}  // namespace meshreel
