// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace meshreel {

/// A piece of a transfer that one message carries. `data` is read or written until the message is done.
struct LinkMessage {
    bool isSend = false;
    int peer = 0;  ///< rank
    int tag = 0;
    std::byte* data = nullptr;
    int bytes = 0;
};

/// The messages of one transfer, shared by the device thread that waits for them and the communication thread
/// that carries them.
class LinkTransfer {
  public:
    explicit LinkTransfer(std::vector<LinkMessage> messages);

    [[nodiscard]] const std::vector<LinkMessage>& messages() const { return m_messages; }

    // The device thread's side.
    enum class End { Done, Failed, Stalled };

    /// Until all messages are done, fail() is called, or no message was done for `stallTimeout`.
    [[nodiscard]] End await(std::chrono::milliseconds stallTimeout);
    [[nodiscard]] bool finished() const;
    void awaitRelease();

    // The communication thread's side.
    /// True when it was the last.
    bool messageDone();
    void fail();
    /// The memory of messages that are not done is touched no more.
    void release();

  private:
    std::vector<LinkMessage> m_messages;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_open;
    bool m_failed = false;
    bool m_released = false;
};

}  // namespace meshreel
