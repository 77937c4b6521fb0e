// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/key_source.h"

namespace meshreel {

std::span<const std::int64_t> KeySource::next(std::int64_t most) {
    m_rows.clear();
    for (; m_next < m_problem->keys && std::ssize(m_rows) < most; ++m_next)
        if (m_problem->keep == nullptr || m_problem->keep[m_next] != 0)
            m_rows.push_back(m_next);
    return m_rows;
}

}  // namespace meshreel
