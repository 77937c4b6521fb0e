// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/folder_swap.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// After an exchange `temporary` holds what was at `folder` before.
int moveIntoPlace(const fs::path& temporary, const fs::path& folder) {
    if (!fs::exists(fs::symlink_status(folder)))
        return ::rename(temporary.c_str(), folder.c_str());
    return ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE);
}

}  // namespace

void writeFolderAtomically(const fs::path& folder, const std::function<void(const fs::path&)>& write) {
    removeAbandonedBeside(folder);
    const TemporaryBeside temporary(folder, TemporaryBeside::Kind::Folder);
    write(temporary.path());
    if (moveIntoPlace(temporary.path(), folder) != 0)
        throw Error(ErrorKind::Input,
                    sentence("the folder could not be put into place ({})", std::strerror(errno)),
                    folder.string(), sentence("Remove what lies there or choose another name"));
}

}  // namespace meshreel
