// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/socket_guard.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/launch/socket_guard_library.h"
#include "engine/mesh/mpi/connection_gate.h"
#include "engine/mesh/mpi/socket_calls.h"
#include "socket_guard_bytes.h"

namespace meshreel {
namespace {

constexpr const char* nameOfLibrary = "meshreel-socket-guard";
constexpr const char* nameOfSecret = "meshreel-run-secret";
constexpr const char* preloadVariable = "LD_PRELOAD";

[[noreturn]] void throwNoRoom() {
    throw Error(ErrorKind::Resources, sentence("mpirun could not be prepared ({})", std::strerror(errno)), {},
                sentence("Close other programs or raise the limit on open files (ulimit -n)"));
}

/// A file without a name that holds the bytes.
int makeFile(const char* name, std::span<const unsigned char> bytes, unsigned int flags) {
    const int file = ::memfd_create(name, flags);
    std::span<const unsigned char> rest = bytes;
    while (file >= 0 && !rest.empty()) {
        const ssize_t written = ::write(file, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    if (rest.empty())
        return file;
    const int reason = errno;
    if (file >= 0)
        ::close(file);
    errno = reason;
    throwNoRoom();
}

std::string makeSecret() {
    std::array<unsigned char, MESHREEL_SECRET_BYTES> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throwNoRoom();
    std::string text;
    for (const unsigned char byte : bytes)
        text += fmt::format("{:02x}", byte);
    return text;
}

std::span<const unsigned char> bytesOf(const std::string& text) {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

/// The library before what is loaded anyhow.
std::string preloadWith(const std::string& library) {
    const std::string others = ownPreload();
    return library + (others.empty() ? "" : ":") + others;
}

}  // namespace

SocketGuard::SocketGuard() : m_library(makeFile(nameOfLibrary, socketGuardLibrary, MFD_CLOEXEC)) {
    try {
        m_secret = makeFile(nameOfSecret, bytesOf(makeSecret()), MFD_CLOEXEC);
    } catch (...) {
        ::close(m_library);
        throw;
    }
}

SocketGuard::~SocketGuard() {
    ::close(m_library);
    ::close(m_secret);
}

std::vector<std::string> SocketGuard::variables(Reach reach) const {
    const auto path = [](int file) { return fmt::format("/proc/{}/fd/{}", ::getpid(), file); };
    std::vector<std::string> variables{fmt::format("{}={}", preloadVariable, preloadWith(path(m_library))),
                                       fmt::format("{}={}", MESHREEL_SECRET_FILE_VARIABLE, path(m_secret))};
    if (reach == Reach::ThisMachine)
        variables.push_back(fmt::format("{}=1", MESHREEL_LOOPBACK_VARIABLE));
    return variables;
}

// It keeps the file of the secret mapped.
bool SocketGuard::isIn(pid_t process) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);)
        if (line.find(nameOfSecret) != std::string::npos)
            return true;
    return false;
}

std::string ownPreload() {
    const char* list = std::getenv(preloadVariable);
    std::string libraries = list == nullptr ? "" : list;
    std::ranges::replace(libraries, ' ', ':');
    return libraries;
}

std::string runSecret() {
    const char* secret = std::getenv(MESHREEL_SECRET_VARIABLE);
    return secret == nullptr ? "" : secret;
}

void leaveSocketGuard() {
    for (const char* variable :
         {MESHREEL_SECRET_VARIABLE, MESHREEL_SECRET_FILE_VARIABLE, MESHREEL_LOOPBACK_VARIABLE})
        ::unsetenv(variable);
}

void enterSocketGuard(const std::string& secret) {
    constexpr unsigned int forTheNextProgram = 0;
    const int library = makeFile(nameOfLibrary, socketGuardLibrary, forTheNextProgram);
    ::setenv(preloadVariable, preloadWith(fmt::format("/proc/self/fd/{}", library)).c_str(), 1);
    if (secret.empty())
        ::unsetenv(MESHREEL_SECRET_VARIABLE);
    else
        ::setenv(MESHREEL_SECRET_VARIABLE, secret.c_str(), 1);
}

}  // namespace meshreel
