// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/background.h"

namespace meshreel {

Background::~Background() {
    m_pool.clear();
    m_pool.waitForDone();
}

}  // namespace meshreel

#include "moc_background.cpp"
