// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/standard_streams.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace meshreel {

void fillStandardStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0)
            continue;
        // The lowest number that is free is this one, as those below it are taken. Opened for reading, so
        // that writing fails.
        int filled = ::open("/dev/null", O_RDONLY);
        if (filled < 0)  // without a /dev, something else that takes no words
            filled = ::socket(AF_UNIX, SOCK_DGRAM, 0);
        if (filled != stream)
            std::abort();
    }
}

void writeRemark(std::string_view text) noexcept {
    // Standard error is not buffered, and what it could not take is not kept for later.
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace meshreel
