// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>

namespace meshreel {

/// Bytes of rank 0 on their way to every rank; shared by the thread that waits and the communication thread.
class LinkBroadcast {
  public:
    explicit LinkBroadcast(std::span<std::byte> bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }

    /// False when the ranks gave up; the bytes are touched no more in either case.
    [[nodiscard]] bool await();
    void fail();

    // The communication thread's side. All do nothing once it failed.
    void take(std::size_t offset, std::span<std::byte> piece) const;  ///< into `piece`
    void put(std::size_t offset, std::span<const std::byte> piece);
    void finish();

  private:
    enum class State { Underway, Done, Failed };

    void end(State state);

    std::span<std::byte> m_bytes;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    State m_state = State::Underway;
};

}  // namespace meshreel
