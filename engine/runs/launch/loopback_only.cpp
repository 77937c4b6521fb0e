// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/loopback_only.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

#include "engine/base/error.h"
#include "loopback_only_library.h"

namespace meshreel {
namespace {

constexpr const char* nameInMemory = "meshreel-loopback-only";

}  // namespace

LoopbackOnly::LoopbackOnly() : m_descriptor(::memfd_create(nameInMemory, MFD_CLOEXEC)) {
    std::span<const unsigned char> rest(loopbackOnlyLibrary);
    while (m_descriptor >= 0 && !rest.empty()) {
        const ssize_t written = ::write(m_descriptor, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    if (rest.empty())
        return;
    const int reason = errno;
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    throw Error(ErrorKind::Resources, sentence("mpirun could not be prepared ({})", std::strerror(reason)),
                {}, sentence("Close other programs or raise the limit on open files (ulimit -n)"));
}

LoopbackOnly::~LoopbackOnly() {
    ::close(m_descriptor);
}

std::string LoopbackOnly::path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), m_descriptor);
}

bool LoopbackOnly::isIn(pid_t process) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);)
        if (line.find(nameInMemory) != std::string::npos)
            return true;
    return false;
}

}  // namespace meshreel
