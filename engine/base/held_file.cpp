// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/held_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/files.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuseHeld(const fs::path& file) {
    throw Error(ErrorKind::Input, sentence("this is neither a file nor a folder"), file.string(),
                sentence("Remove it from the folder"));
}

[[noreturn]] void throwNotOpened(const fs::path& file, int code, Links links) {
    if (links == Links::Refuse)
        requireNoLink(file);
    if (code == ENXIO)
        refuseHeld(file);
    if (code == ENOENT)
        throw Error(ErrorKind::Input, sentence("there is no such file"), file.string(),
                    sentence("Check the path"));
    throw Error(ErrorKind::Input, sentence("the file cannot be opened ({})", std::strerror(code)),
                file.string(), sentence("Check its permissions, and those of its folder"));
}

}  // namespace

HeldFile::HeldFile(fs::path file, Links links)
    : m_name(std::move(file)),
      m_descriptor(openUnlessPipe(m_name, O_RDONLY | (links == Links::Refuse ? O_NOFOLLOW : 0))) {
    if (m_descriptor < 0)
        throwNotOpened(m_name, errno, links);
    look();
}

HeldFile::HeldFile(const HeldFile& folder, const std::string& name)
    : m_name(folder.name() / name),
      m_descriptor(
          ::openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
    if (m_descriptor < 0)
        throwNotOpened(m_name, errno, Links::Follow);
    look();
    if (m_isFolder || realPath().parent_path() != folder.realPath()) {
        ::close(m_descriptor);
        throw Error(ErrorKind::Input, sentence("this frame is a link out of the folder"), m_name.string(),
                    sentence("Put a copy of the file in its place"));
    }
}

void HeldFile::look() {
    struct stat status {};
    const bool known = ::fstat(m_descriptor, &status) == 0;
    m_isFolder = known && S_ISDIR(status.st_mode);
    if (known && (m_isFolder || S_ISREG(status.st_mode)))
        return;
    ::close(m_descriptor);
    refuseHeld(m_name);
}

HeldFile::HeldFile(HeldFile&& other) noexcept
    : m_name(std::move(other.m_name)),
      m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_isFolder(other.m_isFolder) {}

HeldFile::~HeldFile() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

fs::path HeldFile::path() const {
    const fs::path same = "/proc/self/fd/" + std::to_string(m_descriptor);
    std::error_code missing;
    return fs::exists(same, missing) ? same : m_name;
}

fs::path HeldFile::realPath() const {
    constexpr std::string_view deletedMark = " (deleted)";  // the kernel's mark after names of deleted files
    std::error_code failure;
    std::string real = fs::read_symlink("/proc/self/fd/" + std::to_string(m_descriptor), failure).string();
    if (failure)
        return fs::weakly_canonical(m_name, failure);
    struct stat status {};
    if (real.ends_with(deletedMark) && ::fstat(m_descriptor, &status) == 0 && status.st_nlink == 0)
        real.resize(real.size() - deletedMark.size());
    return real;
}

Error HeldFile::asNamed(const Error& failure) const {
    Problem problem = failure.problem();
    const std::string same = path().string();
    if (problem.place.file.starts_with(same))
        problem.place.file.replace(0, same.size(), m_name.string());
    return {failure.kind(), std::move(problem)};
}

}  // namespace meshreel
