// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace meshreel::testing {

/// While it lives, connects to everything that listens on a host as soon as it does, and again every half
/// second: says nothing, begins to speak Open MPI's two protocols and stops in the middle, speaks them whole
/// under wrong names, speaks another one, or noise. It hangs up on nobody. The first port that it finds gets
/// several hundred connections more, which stay open.
class Strangers {
  public:
    /// `enter` brings the calling thread to the host, whose address is `address`.
    Strangers(std::function<void()> enter, std::string address);
    ~Strangers();
    Strangers(const Strangers&) = delete;
    Strangers& operator=(const Strangers&) = delete;

    /// Connections so far that were taken.
    [[nodiscard]] int connections() const { return m_connections; }
    /// Sockets that were found listening.
    [[nodiscard]] int listeners() const { return m_listeners; }

  private:
    void connectTo(const std::string& words, int port);
    void roam();

    std::string m_address;
    std::vector<int> m_held;
    std::atomic<int> m_connections = 0;
    std::atomic<int> m_listeners = 0;
    std::atomic<bool> m_ended = false;
    std::thread m_thread;  // last: it uses the rest
};

}  // namespace meshreel::testing
