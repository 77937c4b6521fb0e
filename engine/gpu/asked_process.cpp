// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/asked_process.h"

#include <poll.h>
#include <unistd.h>

#include <array>

#include "engine/base/child_output.h"

namespace meshreel {
namespace {

constexpr int signalBase = 128;  // for a shell's exit codes

}  // namespace

std::optional<int> AskedProcess::Answer::signal() const {
    return status && *status > signalBase ? std::optional(*status - signalBase) : std::nullopt;
}

AskedProcess::Answer AskedProcess::answer(Clock::time_point deadline) {
    // Both pipes are emptied, so that a talkative driver does not wait for a reader.
    ChildText text;
    ChildText messages;
    std::array<pollfd, 2> pipes{pollfd{m_child.out(), POLLIN, 0}, pollfd{m_child.err(), POLLIN, 0}};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0 || ::poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) <= 0)
            break;
        for (pollfd& pipe : pipes)
            if (pipe.revents != 0 && !(&pipe == pipes.data() ? text : messages).read(pipe.fd))
                pipe.fd = -1;
    }
    std::optional<int> status = m_child.poll();
    while (!status && Clock::now() < deadline) {
        ::usleep(1000);
        status = m_child.poll();
    }
    return {.text = text.text(), .lastMessage = messages.lastLine(), .status = status};
}

}  // namespace meshreel
