// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/disk_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "engine/base/files.h"

namespace meshreel {
namespace fs = std::filesystem;

bool lacksCall(int code) {
    return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP || code == EPERM || code == ENOTTY;
}

int syncDescriptor(int descriptor) {
    int result = 0;
    do
        result = ::fsync(descriptor);
    while (result != 0 && errno == EINTR);
    // EBADF: drives that sync only what is open for writing, EROFS: what is not to be written to at all.
    const bool cannot = result != 0 && (lacksCall(errno) || errno == EBADF || errno == EROFS);
    return result == 0 || cannot ? 0 : errno;
}

int syncFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;  // it may be written to, not listed
    const int code = syncDescriptor(descriptor);
    ::close(descriptor);
    return code;
}

int renameToFree(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return 0;
    if (!lacksCall(errno))
        return errno;
    if (::link(from.c_str(), to.c_str()) == 0) {
        ::unlink(from.c_str());
        return 0;
    }
    if (!lacksCall(errno) && errno != EMLINK)
        return errno;
    if (fs::exists(fs::symlink_status(to)))
        return EEXIST;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

namespace {

int copyBlocks(int source, int target) {
    constexpr std::size_t blockBytes = 1 << 20;
    std::vector<char> block(blockBytes);
    for (;;) {
        const ssize_t got = ::read(source, block.data(), block.size());
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)  // a network drive reports a full disk only now
            return syncDescriptor(target);
        for (ssize_t done = 0; done < got;) {
            const ssize_t written =
                ::write(target, block.data() + done, static_cast<std::size_t>(got - done));
            if (written < 0 && errno != EINTR)
                return errno;
            done += std::max<ssize_t>(written, 0);
        }
    }
}

}  // namespace

int copyRest(int source, const fs::path& target) {
    constexpr mode_t forAll = 0666;  // less the umask
    const int out =
        ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, forAll);
    if (out < 0)
        return errno;
    const int code = copyBlocks(source, out);
    ::close(out);
    return code;
}

std::error_code copyContent(const fs::path& from, const fs::path& to) {
    const int source = openUnlessPipe(from, O_RDONLY);
    int code = source < 0 ? errno : 0;
    struct stat status {};
    if (code == 0 && ::fstat(source, &status) != 0)
        code = errno;
    if (code == 0 && !S_ISREG(status.st_mode))
        code = EINVAL;
    if (code == 0)
        code = copyRest(source, to);
    if (source >= 0)
        ::close(source);
    return {code, std::generic_category()};
}

}  // namespace meshreel
