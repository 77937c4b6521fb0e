// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace meshreel {

/// A thread that does what it is given, in order, beside the thread that gives it. add() and finish() belong
/// to one thread. Nobody waits in add(): what waits for its turn must be small, or share memory that is held
/// anyway.
class BackgroundWork {
  public:
    BackgroundWork();

    /// Drops what has not begun, and waits for what has.
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    /// Rethrows what earlier work threw; nothing is done after that.
    void add(std::function<void()> work);

    /// Given and not done.
    [[nodiscard]] std::size_t left() const;

    /// Returns when all is done. Rethrows as add().
    void finish();

  private:
    void loop();
    void throwIfFailed() const;  // call with the lock held

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_waiting;
    bool m_works = false;
    bool m_quit = false;
    std::exception_ptr m_failure;
    std::thread m_thread;  // last: it uses the others
};

}  // namespace meshreel
