// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/base/error.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr mode_t newFileMode = 0644;

[[noreturn]] void refuseLink(const fs::path& file) {
    throw Error(
        ErrorKind::Input, sentence("this is a link, and files of a run are not opened through links"),
        file.string(),
        sentence("Put the file itself in its place, or remove the link; think twice if the folder came "
                 "from somebody else"));
}

[[noreturn]] void refuseOddFile(const fs::path& file) {
    throw Error(ErrorKind::Input, sentence("this is neither a file nor a folder"), file.string(),
                sentence("Remove it from the folder"));
}

[[noreturn]] void throwNotOpened(const fs::path& file, int code) {
    throw Error(ErrorKind::Input, sentence("the file cannot be opened ({})", std::strerror(code)),
                file.string(), sentence("Check its permissions, and those of its folder"));
}

}  // namespace

int openUnlessPipe(const fs::path& file, int flags) {
    const int plain = flags | O_CLOEXEC | O_NOCTTY;
    const int descriptor = ::open(file.c_str(), plain | O_NONBLOCK, newFileMode);
    if (descriptor < 0 && errno == EWOULDBLOCK)  // a lease: pipes give ENXIO or are opened
        return ::open(file.c_str(), plain, newFileMode);
    return descriptor;
}

int openPlainFile(const fs::path& file, int flags) {
    const int descriptor = openUnlessPipe(file, flags | O_NOFOLLOW);
    const int code = errno;
    if (descriptor < 0 && (code == ELOOP || code == EMLINK))
        refuseLink(file);
    if (descriptor < 0 && (code == ENXIO || code == EISDIR))
        refuseOddFile(file);
    if (descriptor < 0)
        throwNotOpened(file, code);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        refuseOddFile(file);
    }
    return descriptor;
}

void requireNoLink(const fs::path& file) {
    std::error_code missing;
    if (fs::is_symlink(fs::symlink_status(file, missing)))
        refuseLink(file);
}

void requirePlainFiles(const fs::path& folder) {
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, failure);  // does not follow links to folders
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        std::error_code gone;  // somebody else's temporary
        const fs::file_status status = entry->symlink_status(gone);
        if (fs::is_symlink(status))
            refuseLink(entry->path());
        if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
            refuseOddFile(entry->path());
    }
    if (failure)
        throw Error(ErrorKind::Input, sentence("the folder cannot be read ({})", failure.message()),
                    folder.string(), sentence("Check its permissions"));
}

}  // namespace meshreel
