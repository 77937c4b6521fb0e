// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/asked_process.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/child_output.h"

namespace meshreel {
namespace {

constexpr int signalBase = 128;                     // for a shell's exit codes
constexpr std::chrono::milliseconds mostWait{100};  // before a stop is seen

/// How long to wait at once until the deadline; below 1: it has passed.
int waitUntil(AskedProcess::Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - AskedProcess::Clock::now());
    return static_cast<int>(std::min(left, mostWait).count());
}

}  // namespace

std::optional<int> AskedProcess::Answer::signal() const {
    return status && *status > signalBase ? std::optional(*status - signalBase) : std::nullopt;
}

AskedProcess::Answer AskedProcess::answer(Clock::time_point deadline, const StopToken& stop) {
    // Both pipes are emptied, so that a talkative driver does not wait for a reader.
    ChildText text;
    ChildText messages;
    std::array<pollfd, 2> pipes{pollfd{m_child.out(), POLLIN, 0}, pollfd{m_child.err(), POLLIN, 0}};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        throwIfStopped(stop);
        const int wait = waitUntil(deadline);
        if (wait < 1)
            break;
        const int ready = ::poll(pipes.data(), pipes.size(), wait);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready == 0 && m_child.poll())
            break;  // what it started holds the pipes
        if (ready <= 0)
            continue;
        for (pollfd& pipe : pipes)
            if (pipe.revents != 0 && !(&pipe == pipes.data() ? text : messages).read(pipe.fd))
                pipe.fd = -1;
    }
    std::optional<int> status = m_child.poll();
    while (!status && Clock::now() < deadline) {
        throwIfStopped(stop);
        ::usleep(1000);
        status = m_child.poll();
    }
    // What it wrote last may still lie there.
    if (status && pipes[0].fd >= 0)
        text.drain(pipes[0].fd);
    if (status && pipes[1].fd >= 0)
        messages.drain(pipes[1].fd);
    return {.text = text.text(), .lastMessage = messages.lastLine(), .status = status};
}

}  // namespace meshreel
