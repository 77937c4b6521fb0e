// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <thread>

#include "engine/base/stop_token.h"

namespace meshreel {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM requests a stop; the second one kills the process, as
/// it would have without this object. At most one lives at a time.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    [[nodiscard]] StopToken token() const { return m_source.get_token(); }

  private:
    StopSource m_source;
    int m_readEnd = -1;
    std::thread m_waiter;
};

}  // namespace meshreel
