// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/locked_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "engine/base/error.h"

namespace meshreel {
namespace fs = std::filesystem;

LockedFolder::LockedFolder(const fs::path& parent)
    : m_path((parent / (std::string(prefix) + "XXXXXX")).string()) {
    if (::mkdtemp(m_path.data()) == nullptr)
        throw Error(ErrorKind::Input,
                    sentence("the folder for temporary files cannot be used ({})", std::strerror(errno)),
                    parent.string(), sentence("Set TMPDIR to a folder that you may write to"));
    m_lock = tryLock(m_path);
}

LockedFolder::~LockedFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

void LockedFolder::removeForsaken(const fs::path& parent) {
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
        if (!entry.path().filename().string().starts_with(prefix))
            continue;
        struct stat info {};
        const bool isOwn =
            ::lstat(entry.path().c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
        // A young one may be about to be locked.
        if (!isOwn || std::time(nullptr) - info.st_mtime < youngSeconds)
            continue;
        if (const std::optional<FileLock> lock = tryLock(entry.path()))
            fs::remove_all(entry.path(), failure);
    }
}

std::optional<FileLock> LockedFolder::tryLock(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return descriptor < 0 ? std::nullopt : FileLock::tryTake(descriptor);
}

}  // namespace meshreel
