// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <thread>

#include "engine/base/stop_token.h"

namespace meshreel {

/// While it exists, the first Ctrl-C (SIGINT) or SIGTERM requests a stop; the second one kills the process,
/// as it would without this object. A hang-up (SIGHUP) acts as SIGTERM, and stays ignored under nohup. A
/// SIGTERM also kills the process when it has not ended after `endLimitSeconds`, whatever it is waiting for:
/// files get their names only when they are complete. At most one may exist at a time.
class Interrupt {
  public:
    /// With `onTerminate`, a SIGTERM or SIGHUP calls it from a thread instead of requesting a stop: an MPI
    /// rank may get the signal from someone other than the user.
    explicit Interrupt(std::function<void()> onTerminate = {});
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static constexpr unsigned endLimitSeconds = 4;

    [[nodiscard]] StopToken token() const { return m_source.get_token(); }
    void requestStop() { m_source.request_stop(); }

  private:
    void waitForSignal();

    std::function<void()> m_onTerminate;
    StopSource m_source;
    int m_readEnd = -1;
    std::thread m_waiter;
};

}  // namespace meshreel
