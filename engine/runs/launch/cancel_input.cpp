// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/cancel_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "engine/base/system_limits.h"

namespace meshreel {
namespace {

constexpr int forEver = -1;

void waitForEither(int descriptor, int end, const std::function<void()>& onCancel) {
    std::array<pollfd, 2> events{{{descriptor, POLLIN, 0}, {end, POLLIN, 0}}};
    while (::poll(events.data(), events.size(), forEver) < 0)
        if (errno != EINTR)
            return;
    char word = 0;
    if (events[1].revents == 0 && ::read(descriptor, &word, 1) == 1)
        onCancel();
}

}  // namespace

CancelInput::CancelInput(int descriptor, std::function<void()> onCancel)
    : m_end(::eventfd(0, EFD_CLOEXEC)),
      m_thread(startThread([descriptor, end = m_end, onCancel = std::move(onCancel)] {
          waitForEither(descriptor, end, onCancel);
      })) {}

CancelInput::~CancelInput() {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(m_end, &one, sizeof one));
    m_thread.join();
    ::close(m_end);
}

}  // namespace meshreel
