// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/base/write_failure.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throwWriteError(const fs::path& file, int code) {
    throw writeFailure(sentence("the file could not be written ({})", std::strerror(code)), file.string(),
                       code);
}

class FileDescriptor {
  public:
    FileDescriptor(const fs::path& path, int flags) : m_fd(::open(path.c_str(), flags | O_CLOEXEC)) {}
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

void writeAll(int descriptor, const fs::path& path, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            throwWriteError(path, errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Through another descriptor than those that it was written through.
int syncNamed(const fs::path& path) {
    const FileDescriptor file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0)
        return errno;
    // Whoever may write into the folder can have put a pipe there meanwhile.
    return S_ISREG(status.st_mode) ? syncDescriptor(file.get()) : ENXIO;
}

fs::path folderOf(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

constexpr std::string_view temporaryMark = ".part";

/// What stands before the thread's number, and behind it, in a temporary name. A disk that takes the name of
/// `path` takes the temporary one, too: of a long name the end is left out.
std::pair<std::string, std::string> aroundNumber(const fs::path& path) {
    constexpr std::size_t numberDigits = 10;
    const std::string name = path.filename().string();
    std::string behind = std::string(temporaryMark) + path.extension().string();
    const std::size_t most = std::max(nameBytesOnAnyDisk, name.size());
    const std::size_t rest = 2 + numberDigits + behind.size();
    const std::string stem = path.stem().string();
    const std::size_t room = most > rest ? most - rest : 1;
    const std::size_t kept = stem.size() <= room ? stem.size() : characterBegin(stem, room);
    return {"." + stem.substr(0, kept) + ".", std::move(behind)};
}

fs::path temporaryName(const fs::path& path) {
    const auto [before, behind] = aroundNumber(path);
    return path.parent_path() / (before + std::to_string(::gettid()) + behind);
}

/// Returns the thread that made `name` out of `path`; 0 when the name has another form.
pid_t findWriter(const std::string& name, const fs::path& path) {
    const auto [before, behind] = aroundNumber(path);
    if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
        return 0;
    pid_t writer = 0;
    const char* const end = name.data() + name.size() - behind.size();
    const auto [read, failure] = std::from_chars(name.data() + before.size(), end, writer);
    return failure == std::errc() && read == end ? writer : 0;
}

/// If no lock shows whether a temporary is in use: how long it must have been unchanged.
constexpr time_t unseenSeconds = 3600;

/// Made by a thread that is dead. That its number is in use proves nothing: it may be another's by now, or
/// one of another container; so a temporary counts as abandoned, too, when nobody holds its lock, some time
/// after it was last written to (between being made and being locked lies a moment). Without locks of the
/// file system nobody is seen at work, and everybody is given longer.
bool isAbandoned(const fs::path& temporary, pid_t writer) {
    constexpr time_t settledSeconds = 10;
    const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    const std::optional<FileLock> lock = descriptor < 0 ? std::nullopt : FileLock::tryTake(descriptor);
    if (!lock || ::fstat(lock->descriptor(), &status) != 0)
        return false;
    const time_t quiet = ::time(nullptr) - status.st_mtime;
    if (!lock->isOfFileSystem())
        return quiet > unseenSeconds;
    const bool isDead = ::kill(writer, 0) != 0 && errno == ESRCH;
    return isDead || quiet > settledSeconds;
}

/// Makes a temporary and its descriptor.
int makeTemporary(const fs::path& temporary, TemporaryBeside::Kind kind) {
    constexpr mode_t fileMode = 0666;  // minus the umask
    constexpr mode_t folderMode = 0777;
    if (kind == TemporaryBeside::Kind::File)
        return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, fileMode);
    if (::mkdir(temporary.c_str(), folderMode) != 0)
        return -1;
    return ::open(temporary.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int renameErrno(const fs::path& from, const fs::path& to) {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Afterwards what was at `folder` before has a hidden name, which is `temporary` or begins with it. 0, or an
/// errno, and then nothing has changed. On a disk that exchanges no names, a moment passes without `folder`.
int moveIntoPlace(const fs::path& temporary, const fs::path& folder) {
    if (!fs::exists(fs::symlink_status(folder)))
        return renameErrno(temporary, folder);
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0)
        return 0;
    if (!lacksCall(errno))
        return errno;
    const fs::path before = temporary.string() + ".old";
    if (const int code = renameErrno(folder, before); code != 0)
        return code;
    const int code = renameErrno(temporary, folder);
    std::error_code ignored;
    if (code != 0)
        fs::rename(before, folder, ignored);
    else
        fs::remove_all(before, ignored);
    return code;
}

}  // namespace

bool isTemporaryName(const std::string& name) {
    static const RegularExpression form(R"(\..+\.\d+\.part(\.[^.]+)?)");
    return form.match(name).has_value();
}

TemporaryBeside::TemporaryBeside(const fs::path& path, Kind kind)
    : m_target(path), m_path(temporaryName(path)) {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);  // from a predecessor with this thread's number; a link itself is
                                      // removed
    m_descriptor = makeTemporary(m_path, kind);
    if (m_descriptor < 0)
        throwWriteError(path, errno);
    ::flock(m_descriptor, LOCK_EX | LOCK_NB);  // where the disk knows locks
}

TemporaryBeside::~TemporaryBeside() {
    std::error_code ignored;
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
    ::close(m_descriptor);
}

void TemporaryBeside::putIntoPlace() {
    if (fs::is_directory(fs::symlink_status(m_path))) {
        // What was there before keeps the hidden name, and the destructor removes it.
        if (const int code = moveIntoPlace(m_path, m_target); code != 0)
            throw Error(ErrorKind::Input,
                        sentence("the folder could not be put into place ({})", std::strerror(code)),
                        m_target.string(), sentence("Remove what lies there or choose another name"));
        return;
    }
    if (const int code = syncNamed(m_path); code != 0)
        throwWriteError(m_target, code);
    if (const int code = renameErrno(m_path, m_target); code != 0)
        throwWriteError(m_target, code);
    m_path.clear();
    if (const int code = syncFolder(folderOf(m_target)); code != 0)
        throwWriteError(m_target, code);
}

void removeAbandonedBeside(const fs::path& path) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folderOf(path), ignored))
        if (const pid_t writer = findWriter(entry.path().filename().string(), path);
            writer > 0 && isAbandoned(entry.path(), writer))
            fs::remove_all(entry.path(), ignored);
}

void removeAbandonedTemporaries(const fs::path& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (!isTemporaryName(entry.path().filename().string()))
            continue;
        // Without locks of the disk, nobody knows whether a program of another machine is writing it.
        const FileDescriptor file(entry.path(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        struct stat status {};
        const bool isUnseen = file.valid() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 &&
                              errno != EWOULDBLOCK && ::fstat(file.get(), &status) == 0;
        if (!isUnseen || ::time(nullptr) - status.st_mtime > unseenSeconds)
            fs::remove_all(entry.path(), ignored);
    }
}

void writeFileAtomically(const fs::path& file, const std::function<void(const fs::path&)>& write) {
    removeAbandonedBeside(file);
    TemporaryBeside temporary(file, TemporaryBeside::Kind::File);
    try {
        write(temporary.path());
        temporary.putIntoPlace();
    } catch (const Error& failure) {
        if (failure.where() == temporary.path().string())
            throw Error(failure.kind(), failure.message(), file.string(), failure.hint());
        throw;
    }
}

void writeFileAtomically(const fs::path& file, std::string_view bytes) {
    TemporaryBeside temporary(file, TemporaryBeside::Kind::File);
    writeAll(temporary.descriptor(), file, bytes);
    temporary.putIntoPlace();
}

void writeFolderAtomically(const fs::path& folder, const std::function<void(const fs::path&)>& write) {
    removeAbandonedBeside(folder);
    TemporaryBeside temporary(folder, TemporaryBeside::Kind::Folder);
    write(temporary.path());
    temporary.putIntoPlace();
}

std::string readFile(const fs::path& file) {
    return readFile(file, Limit::Text);
}

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

void appendToFile(const fs::path& file, std::string_view bytes) {
    constexpr mode_t forAll = 0666;  // less the umask
    // Does not wait: a named pipe may have replaced a run's file.
    const int descriptor =
        ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, forAll);
    if (descriptor < 0 && (errno == ELOOP || errno == EMLINK))
        refuseLink(file);
    if (descriptor < 0 && (errno == ENXIO || errno == EISDIR))
        refuseOddFile(file);
    if (descriptor < 0)
        throwWriteError(file, errno);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        refuseOddFile(file);
    }
    const off_t end = ::lseek(descriptor, 0, SEEK_END);
    try {
        writeAll(descriptor, file, bytes);
        if (const int code = syncDescriptor(descriptor); code != 0)
            throwWriteError(file, code);
    } catch (...) {
        static_cast<void>(::ftruncate(descriptor, end));
        ::close(descriptor);
        throw;
    }
    ::close(descriptor);
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
        std::error_code gone;  // another process's temporary
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

fs::path temporaryFilesFolder() {
    // What fs::temp_directory_path() throws for a missing folder names no fix.
    const char* chosen = std::getenv("TMPDIR");
    const fs::path folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    std::error_code failure;
    int reason = 0;
    if (!fs::is_directory(folder, failure))
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
    fs::remove_all(m_path, ignored);
}

}  // namespace meshreel
