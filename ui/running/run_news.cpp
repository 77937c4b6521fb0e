// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_news.h"

#include <utility>

namespace meshreel {

void Mailbox::post(const std::function<void(RunNews&)>& change) {
    bool announce = false;
    {
        const std::lock_guard lock(m_mutex);
        change(m_news);
        announce = !std::exchange(m_announced, true);
    }
    if (announce)
        emit newsArrived();
}

RunNews Mailbox::take() {
    const std::lock_guard lock(m_mutex);
    m_announced = false;
    return std::exchange(m_news, {});
}

}  // namespace meshreel
