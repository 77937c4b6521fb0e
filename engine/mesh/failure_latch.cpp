// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/failure_latch.h"

#include <utility>

namespace meshreel {

bool FailureLatch::keep(const MeshFailure& failure, std::exception_ptr exception) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_exception)
            return false;
        m_exception = std::move(exception);
    }
    m_board.fail(failure);
    m_stop.request_stop();
    return true;
}

void FailureLatch::keep(const MeshFailure& failure) {
    try {
        throwForOthers(failure);
    } catch (...) {
        keep(failure, std::current_exception());
    }
}

void FailureLatch::rethrow() const {
    const std::lock_guard lock(m_mutex);
    if (m_exception)
        std::rethrow_exception(m_exception);
}

}  // namespace meshreel
