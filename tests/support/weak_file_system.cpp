// SPDX-License-Identifier: GPL-3.0-or-later

// A library for LD_PRELOAD: files below a folder lie on a file system that lacks calls, as NFS, sshfs,
// Lustre, 9p, FUSE, exFAT and SMB lack some. What it refuses stands in variables:
//   WEAK_FILE_SYSTEM_UNDER=/tmp/x        the folder; empty: everywhere
//   WEAK_FILE_SYSTEM=flock=ENOLCK,link=EPERM,…
//   WEAK_FILE_SYSTEM_LOG=/tmp/y          gets a line with the name of each call that was refused
// Names are those of the calls; fsync_folder is fsync of a folder, lock is fcntl with a lock. renameat2 is
// refused with flags only.

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr std::array<std::pair<std::string_view, int>, 11> errors{{{"EINVAL", EINVAL},
                                                                   {"ENOSYS", ENOSYS},
                                                                   {"EOPNOTSUPP", EOPNOTSUPP},
                                                                   {"ENOLCK", ENOLCK},
                                                                   {"EPERM", EPERM},
                                                                   {"ENODEV", ENODEV},
                                                                   {"EACCES", EACCES},
                                                                   {"EBADF", EBADF},
                                                                   {"EIO", EIO},
                                                                   {"ESTALE", ESTALE},
                                                                   {"EWOULDBLOCK", EWOULDBLOCK}}};

/// The errno that the variable gives a call; 0 when it is not refused.
int errorOf(std::string_view call) {
    const char* const wanted = std::getenv("WEAK_FILE_SYSTEM");
    std::string_view rest = wanted == nullptr ? "" : wanted;
    while (!rest.empty()) {
        const std::string_view rule = rest.substr(0, rest.find(','));
        rest.remove_prefix(rule.size() == rest.size() ? rule.size() : rule.size() + 1);
        const std::size_t equals = rule.find('=');
        if (equals == std::string_view::npos || rule.substr(0, equals) != call)
            continue;
        for (const auto& [name, code] : errors)
            if (rule.substr(equals + 1) == name)
                return code;
        std::fprintf(stderr, "weak_file_system: no error for \"%.*s\"\n", static_cast<int>(rule.size()),
                     rule.data());
        std::abort();
    }
    return 0;
}

bool isUnder(std::string_view path) {
    const char* const folder = std::getenv("WEAK_FILE_SYSTEM_UNDER");
    return folder == nullptr || path.starts_with(folder);
}

std::string pathOf(int descriptor) {
    std::array<char, PATH_MAX> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
    return length < 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(length));
}

/// A path of a call as an absolute one.
std::string pathAt(int folder, const char* path) {
    if (path[0] == '/')
        return path;
    std::array<char, PATH_MAX> here{};
    const std::string start =
        folder == AT_FDCWD ? std::string(::getcwd(here.data(), here.size())) : pathOf(folder);
    return start + "/" + path;
}

void note(std::string_view call) {
    const char* const file = std::getenv("WEAK_FILE_SYSTEM_LOG");
    const int log = file == nullptr ? -1 : ::open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log < 0)
        return;
    const std::string line = std::string(call) + "\n";
    static_cast<void>(!::write(log, line.data(), line.size()));
    ::close(log);
}

/// Sets errno where the call is to be refused.
bool isRefused(std::string_view call, const std::string& path) {
    const int before = errno;
    const int code = errorOf(call);
    const bool refused = code != 0 && isUnder(path);
    if (refused)
        note(call);
    errno = refused ? code : before;
    return refused;
}

bool isRefused(std::string_view call, int descriptor) {
    return errorOf(call) != 0 && isRefused(call, pathOf(descriptor));
}

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned int flags) noexcept {
    if (flags != 0 && isRefused("renameat2", pathAt(toFolder, to)))
        return -1;
    return next<decltype(&renameat2)>("renameat2")(fromFolder, from, toFolder, to, flags);
}

int flock(int descriptor, int operation) noexcept {
    return isRefused("flock", descriptor) ? -1 : next<decltype(&flock)>("flock")(descriptor, operation);
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void* const argument = va_arg(list, void*);
    va_end(list);
    const bool locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
                       command == F_OFD_SETLKW || command == F_GETLK || command == F_OFD_GETLK;
    if (locks && isRefused("lock", descriptor))
        return -1;
    return next<int (*)(int, int, ...)>("fcntl64")(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

int fsync(int descriptor) {
    struct stat status {};
    const bool folder = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    if (isRefused(folder ? "fsync_folder" : "fsync", descriptor))
        return -1;
    return next<decltype(&fsync)>("fsync")(descriptor);
}

int fdatasync(int descriptor) {
    return isRefused("fsync", descriptor) ? -1 : next<decltype(&fdatasync)>("fdatasync")(descriptor);
}

int link(const char* from, const char* to) noexcept {
    return isRefused("link", pathAt(AT_FDCWD, to)) ? -1 : next<decltype(&link)>("link")(from, to);
}

int symlink(const char* from, const char* to) noexcept {
    return isRefused("symlink", pathAt(AT_FDCWD, to)) ? -1 : next<decltype(&symlink)>("symlink")(from, to);
}

void* mmap(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) noexcept {
    if (descriptor >= 0 && (flags & MAP_ANONYMOUS) == 0 && isRefused("mmap", descriptor))
        return MAP_FAILED;
    return next<decltype(&mmap)>("mmap")(address, length, protection, flags, descriptor, offset);
}

void* mmap64(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) noexcept
    __attribute__((alias("mmap")));

int chmod(const char* path, mode_t mode) noexcept {
    return isRefused("chmod", pathAt(AT_FDCWD, path)) ? -1 : next<decltype(&chmod)>("chmod")(path, mode);
}

int fchmodat(int folder, const char* path, mode_t mode, int flags) noexcept {
    if (isRefused("chmod", pathAt(folder, path)))
        return -1;
    return next<decltype(&fchmodat)>("fchmodat")(folder, path, mode, flags);
}

int fchmod(int descriptor, mode_t mode) noexcept {
    return isRefused("chmod", descriptor) ? -1 : next<decltype(&fchmod)>("fchmod")(descriptor, mode);
}

int utimensat(int folder, const char* path, const struct timespec* times, int flags) noexcept {
    if (isRefused("utimens", pathAt(folder, path)))
        return -1;
    return next<decltype(&utimensat)>("utimensat")(folder, path, times, flags);
}

int futimens(int descriptor, const struct timespec* times) noexcept {
    return isRefused("utimens", descriptor) ? -1 : next<decltype(&futimens)>("futimens")(descriptor, times);
}

ssize_t copy_file_range(int from, off64_t* fromAt, int to, off64_t* toAt, size_t length, unsigned int flags) {
    if (isRefused("copy_file_range", to))
        return -1;
    return next<decltype(&copy_file_range)>("copy_file_range")(from, fromAt, to, toAt, length, flags);
}

ssize_t sendfile(int to, int from, off_t* offset, size_t count) noexcept {
    return isRefused("sendfile", to) ? -1 : next<decltype(&sendfile)>("sendfile")(to, from, offset, count);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (isRefused("fallocate", descriptor))
        return errno;
    return next<decltype(&posix_fallocate)>("posix_fallocate")(descriptor, offset, length);
}

int statvfs(const char* path, struct statvfs* answer) noexcept {
    if (isRefused("statvfs", pathAt(AT_FDCWD, path)))
        return -1;
    return next<decltype(&statvfs)>("statvfs")(path, answer);
}

}  // extern "C"
