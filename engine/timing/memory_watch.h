// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace meshreel {

/// Pages of this process that are in memory, in bytes.
struct ResidentMemory {
    std::uint64_t own = 0;          ///< anonymous and shared: only ending or swapping gets them back
    std::uint64_t mappedFiles = 0;  ///< mapped from files, which the system reclaims when it needs the memory

    friend bool operator==(const ResidentMemory&, const ResidentMemory&) = default;
};

/// Returns the present values from /proc/self/status; zeros without it.
ResidentMemory residentMemory();

/// Looks at residentMemory() every few milliseconds, in a thread of its own, for the most of each.
class MemoryWatch {
  public:
    MemoryWatch();
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;

    /// Returns the maximum of each since the last call, or since the watch was made; looks once more itself.
    ResidentMemory takePeak();

    /// Returns how often its thread has looked.
    [[nodiscard]] std::uint64_t looks() const { return m_looks.load(); }

  private:
    void look();
    void run();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_quit = false;
    std::atomic<std::uint64_t> m_looks = 0;
    ResidentMemory m_peak;
    std::thread m_thread;
};

}  // namespace meshreel
