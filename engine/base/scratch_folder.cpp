// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/scratch_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "engine/base/error.h"

namespace meshreel {

std::filesystem::path temporaryFilesFolder() {
    // What fs::temp_directory_path() throws for a missing folder names no cure.
    const char* chosen = std::getenv("TMPDIR");
    const std::filesystem::path folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    std::error_code failure;
    int reason = 0;
    if (!std::filesystem::is_directory(folder, failure))
        reason = failure ? failure.value() : ENOTDIR;
    else if (::access(folder.c_str(), W_OK | X_OK) != 0)
        reason = errno;
    if (reason != 0)
        throw Error(ErrorKind::Input,
                    sentence("the folder for temporary files cannot be used ({})", std::strerror(reason)),
                    folder.string(), sentence("Set TMPDIR to a folder that you may write to"));
    return folder;
}

ScratchFolder::ScratchFolder() : m_path((temporaryFilesFolder() / "meshreel-verify-XXXXXX").string()) {
    if (::mkdtemp(m_path.data()) == nullptr)
        throw Error(ErrorKind::Input, sentence("No temporary folder can be made"), m_path,
                    sentence("Set TMPDIR to a writable folder"));
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace meshreel
