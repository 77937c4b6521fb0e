// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/background_work.h"

#include <utility>

#include "engine/base/system.h"

namespace meshreel {

BackgroundWork::BackgroundWork() : m_thread(startThread([this] { loop(); })) {}

BackgroundWork::~BackgroundWork() {
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void BackgroundWork::add(std::function<void()> work) {
    {
        const std::lock_guard lock(m_mutex);
        throwIfFailed();
        m_waiting.push_back(std::move(work));
    }
    m_changed.notify_all();
}

std::size_t BackgroundWork::left() const {
    const std::lock_guard lock(m_mutex);
    return m_waiting.size() + (m_works ? 1 : 0);
}

void BackgroundWork::finish() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_waiting.empty() && !m_works; });
    throwIfFailed();
}

void BackgroundWork::loop() {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_quit || !m_waiting.empty(); });
        if (m_quit)
            return;
        {
            const std::function<void()> work = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_works = true;
            lock.unlock();
            std::exception_ptr failure;
            try {
                work();
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            m_failure = failure;
        }
        m_works = false;
        if (m_failure)
            m_waiting.clear();
        m_changed.notify_all();
        if (m_failure)
            return;
    }
}

void BackgroundWork::throwIfFailed() const {
    if (m_failure)
        std::rethrow_exception(m_failure);
}

}  // namespace meshreel
