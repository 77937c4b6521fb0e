// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/check_levels.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "engine/base/paths.h"
#include "engine/runs/launch/child_process.h"

namespace meshreel {

namespace {

constexpr int pollMilliseconds = 100;

/// Appends what there is to read now; false at the end of the stream.
bool readSome(int stream, std::string& text) {
    constexpr std::size_t blockSize = 4096;
    std::array<char, blockSize> block{};
    const ssize_t count = ::read(stream, block.data(), block.size());
    if (count > 0)
        text.append(block.data(), static_cast<std::size_t>(count));
    return count > 0;
}

}  // namespace

std::vector<IsaLevel> narrowerLevels() {
    const char* limited = std::getenv(isaVariable);
    if (limited != nullptr && *limited != '\0')
        return {};
    std::vector<IsaLevel> levels = offeredIsaLevels();
    levels.erase(levels.begin());
    return levels;
}

std::string outputAtLevel(IsaLevel level, const std::vector<std::string>& arguments, const StopToken& stop) {
    std::vector<std::string> line{(executableFolder() / "meshreel").string()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    line.push_back(fmt::format("--isa={}", nameOf(level)));
    ChildProcess child(line);
    std::string out;
    std::string err;
    std::array<pollfd, 2> streams{pollfd{.fd = child.out(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = child.err(), .events = POLLIN, .revents = 0}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        throwIfStopped(stop);
        ::poll(streams.data(), streams.size(), pollMilliseconds);
        for (std::size_t index = 0; index < streams.size(); ++index)
            if (streams[index].revents != 0 && !readSome(streams[index].fd, index == 0 ? out : err))
                streams[index].fd = -1;  // poll leaves it out
    }
    while (!child.poll())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fmt::print(stderr, "{}", err);
    return out;
}

}  // namespace meshreel
