// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "engine/base/error.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throwWriteError(const fs::path& file, int code) {
    const std::string reason = std::strerror(code);
    if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        throw Error(ErrorKind::Resources, sentence("the file could not be written ({})", reason),
                    file.string(),
                    sentence("Free some space or choose another disk; what was written before is kept"));
    throw Error(ErrorKind::Input, sentence("the file could not be written ({})", reason), file.string(),
                sentence("Choose a folder that exists and that you may write to"));
}

class FileDescriptor {
  public:
    FileDescriptor(const fs::path& path, int flags) : m_fd(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    ~FileDescriptor() {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool valid() const { return m_fd >= 0; }

  private:
    int m_fd;
};

void writeAll(const fs::path& path, std::string_view bytes) {
    const FileDescriptor out(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!out.valid())
        throwWriteError(path, errno);
    while (!bytes.empty()) {
        const ssize_t written = ::write(out.get(), bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            throwWriteError(path, errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void syncPath(const fs::path& path, int flags) {
    const FileDescriptor file(path, flags);
    if (!file.valid() || ::fsync(file.get()) != 0)
        throwWriteError(path, errno);
}

/// ".NAME.PID.part" with or without an extension: what temporaryBeside makes.
bool isTemporary(const std::string& name) {
    static const std::regex form(R"(\..+\.\d+\.part(\.[^.]+)?)");
    return std::regex_match(name, form);
}

void removeQuietly(const fs::path& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
}

}  // namespace

fs::path temporaryBeside(const fs::path& path) {
    return path.parent_path() / ("." + path.stem().string() + "." + std::to_string(::getpid()) + ".part" +
                                 path.extension().string());
}

void removeAbandonedTemporaries(const fs::path& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (isTemporary(entry.path().filename().string()))
            fs::remove_all(entry.path(), ignored);
}

void writeFileAtomically(const fs::path& file, const std::function<void(const fs::path&)>& write) {
    const fs::path temporary = temporaryBeside(file);
    try {
        write(temporary);
        syncPath(temporary, O_RDONLY);
        if (::rename(temporary.c_str(), file.c_str()) != 0)
            throwWriteError(file, errno);
    } catch (const Error& failure) {
        removeQuietly(temporary);
        if (failure.where() == temporary.string())
            throw Error(failure.kind(), failure.message(), file.string(), failure.hint());
        throw;
    } catch (...) {
        removeQuietly(temporary);
        throw;
    }
    syncPath(file.has_parent_path() ? file.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
}

void writeFileAtomically(const fs::path& file, std::string_view bytes) {
    writeFileAtomically(file, [bytes](const fs::path& temporary) { writeAll(temporary, bytes); });
}

std::string readFile(const fs::path& file) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure))
        throw Error(
            ErrorKind::Input,
            fs::exists(file, failure) ? sentence("this is not a file") : sentence("there is no such file"),
            file.string(), sentence("Check the path"));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(errno)),
                    file.string(), sentence("Check its permissions"));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace meshreel
