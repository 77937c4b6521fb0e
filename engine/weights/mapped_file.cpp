// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// A guarded map, as the signal handler reads it: only atomics.
struct Slot {
    std::atomic<std::uintptr_t> begin = 0;
    std::atomic<std::uintptr_t> end = 0;  ///< 0: free
    std::atomic<bool> lost = false;
    // Under the mutex:
    const fs::path* path = nullptr;
    int descriptor = -1;
};

constexpr std::size_t mostMaps = 4096;
constexpr std::size_t unguarded = mostMaps;
constexpr std::size_t copied = mostMaps + 1;  // into memory of its own, as the file cannot be mapped

// Signals have one handler in a process, and so has what it looks into.
std::array<Slot, mostMaps> slots;
std::mutex slotsMutex;
std::atomic<std::uintptr_t> pageBytes = 0;
struct sigaction handlerBefore {};

Slot* slotAt(std::uintptr_t address) {
    for (Slot& slot : slots)
        if (address < slot.end.load() && address >= slot.begin.load())
            return &slot;
    return nullptr;
}

/// Puts zeros where the page is gone; a fault of any other kind comes again with the handler before this one.
void onBusError(int signal, siginfo_t* info, void* /*context*/) {
    const int errorBefore = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    Slot* slot = info->si_code > 0 ? slotAt(address) : nullptr;
    void* page = reinterpret_cast<void*>(address / pageBytes.load() * pageBytes.load());
    if (slot != nullptr && ::mmap(page, pageBytes.load(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                                  -1, 0) != MAP_FAILED)
        slot->lost = true;
    else
        ::sigaction(signal, &handlerBefore, nullptr);
    if (info->si_code <= 0)  // sent by a process: it does not come again by itself
        ::raise(signal);
    errno = errorBefore;
}

void installHandler() {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handlerBefore);
}

bool isShorter(const Slot& slot) {
    struct stat status {};
    return ::fstat(slot.descriptor, &status) == 0 &&
           static_cast<std::uintptr_t>(status.st_size) < slot.end.load() - slot.begin.load();
}

/// Guards `map`, the file at `path` under its descriptor, until unguardMap(); all three outlast that. The
/// place among the slots, or `unguarded` where none is free.
std::size_t guardMap(std::span<const std::byte> map, const fs::path& path, int descriptor) {
    static std::once_flag installed;
    std::call_once(installed, installHandler);
    const std::lock_guard lock(slotsMutex);
    const auto free = std::ranges::find_if(slots, [](const Slot& slot) { return slot.end == 0; });
    if (free == slots.end())
        return unguarded;
    free->path = &path;
    free->descriptor = descriptor;
    free->lost = false;
    free->begin = reinterpret_cast<std::uintptr_t>(map.data());
    free->end = reinterpret_cast<std::uintptr_t>(map.data()) + map.size();
    return static_cast<std::size_t>(free - slots.begin());
}

void unguardMap(std::size_t place) {
    if (place >= mostMaps)
        return;
    const std::lock_guard lock(slotsMutex);
    slots[place].end = 0;
    slots[place].path = nullptr;
}

enum class Rounding : std::uint8_t { Inward, Outward };

// madvise wants whole pages.
std::span<const std::byte> wholePages(std::span<const std::byte> part, Rounding rounding) {
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(part.data());
    const bool inward = rounding == Rounding::Inward;
    const std::uintptr_t begin = (address + (inward ? page - 1 : 0)) / page * page;
    const std::uintptr_t end = (address + part.size() + (inward ? 0 : page - 1)) / page * page;
    return {part.data() + static_cast<std::ptrdiff_t>(begin - address), end > begin ? end - begin : 0};
}

// Only advice: a kernel that declines costs time or memory, never a result.
void advise(std::span<const std::byte> part, Rounding rounding, int advice) {
    const std::span<const std::byte> pages = wholePages(part, rounding);
    ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), advice);
}

int openForReading(const fs::path& file) {
    const int descriptor = openUnlessPipe(file, O_RDONLY);
    if (descriptor < 0 && errno == ENOENT)
        throw Error(ErrorKind::Input, sentence("there is no such file"), file.string(),
                    sentence("Check the path"));
    if (descriptor < 0)
        throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(errno)),
                    file.string(), sentence("Check its permissions"));
    return descriptor;
}

std::size_t sizeOfRegularFile(int descriptor, const fs::path& file) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        throw Error(ErrorKind::Input, sentence("this is not a file"), file.string(),
                    sentence("Check the path"));
    return static_cast<std::size_t>(status.st_size);
}

/// Whether it is the file system, or how it is mounted, that maps no files, rather than memory that lacks.
bool isNotMappable(int code) {
    return code == ENODEV || code == EACCES || code == EPERM || code == EINVAL || code == ENOSYS ||
           code == EOPNOTSUPP;
}

/// A copy in memory, for munmap(2).
std::span<const std::byte> readWhole(int descriptor, std::size_t size, const fs::path& file) {
    const Sentence cure =
        sentence("Copy it to a disk of this machine: where it lies, files cannot be mapped");
    if (size > availableMemory())
        throw Error(ErrorKind::Resources,
                    sentence("{} have to be read into memory at once, and {} are available",
                             formatBytes(size), formatBytes(availableMemory())),
                    file.string(), cure);
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(ErrorKind::Resources,
                    sentence("{} bytes cannot be mapped into memory ({})", size, std::strerror(errno)),
                    file.string(), cure);
    const std::span<std::byte> bytes(static_cast<std::byte*>(memory), size);
    for (std::size_t done = 0; done < size;) {
        const ssize_t got = ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            const int code = got < 0 ? errno : EIO;
            ::munmap(memory, size);
            throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(code)),
                        file.string(),
                        sentence("Leave it alone while Meshreel runs; restore it and start again"));
        }
        done += static_cast<std::size_t>(got);
    }
    ::mprotect(memory, size, PROT_READ);
    return bytes;
}

void checkBooleans(std::span<const std::byte> bytes, const std::string& where) {
    const auto wrong = std::ranges::find_if(bytes, [](std::byte value) { return value > std::byte{1}; });
    if (wrong != bytes.end())
        throw Error(ErrorKind::Input,
                    sentence("a BOOL is neither 0 nor 1 but {}", std::to_integer<int>(*wrong)), where,
                    sentence("The file is damaged: download it again"));
}

}  // namespace

void prefetchPages(std::span<const std::byte> part) {
    advise(part, Rounding::Outward, MADV_WILLNEED);
}

std::shared_ptr<const MappedFile> MappedFile::open(const fs::path& file) {
    std::shared_ptr<MappedFile> mapped(new MappedFile(file));
    const std::size_t size = sizeOfRegularFile(mapped->m_descriptor, file);
    if (size == 0)
        return mapped;
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, mapped->m_descriptor, 0);
    if (memory == MAP_FAILED && isNotMappable(errno)) {
        mapped->m_bytes = readWhole(mapped->m_descriptor, size, file);
        mapped->m_guard = copied;
        return mapped;
    }
    if (memory == MAP_FAILED)
        throw Error(ErrorKind::Resources,
                    sentence("{} bytes cannot be mapped into memory ({})", size, std::strerror(errno)),
                    file.string(), sentence("Raise the limit on address space (ulimit -v)"));
    mapped->m_bytes = {static_cast<const std::byte*>(memory), size};
    mapped->m_guard = guardMap(mapped->m_bytes, mapped->m_path, mapped->m_descriptor);
    return mapped;
}

MappedFile::MappedFile(fs::path file)
    : m_path(std::move(file)), m_descriptor(openForReading(m_path)), m_guard(unguarded) {}

MappedFile::~MappedFile() {
    unguardMap(m_guard);
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    ::close(m_descriptor);
}

void MappedFile::throwIfShrunk() const {
    const std::size_t size = sizeOfRegularFile(m_descriptor, m_path);
    if (size < m_bytes.size())
        throw Error(ErrorKind::Input,
                    sentence("the file shrank from {} to {} bytes while it was in use", m_bytes.size(), size),
                    m_path.string(),
                    sentence("Leave it alone while Meshreel runs; restore it and start again"));
}

void MappedFile::prefetch(std::span<const std::byte> part) const {
    prefetchPages(part);
}

void MappedFile::release(std::span<const std::byte> part) const {
    if (m_guard != copied)  // whose pages would come back as zeros
        advise(part, Rounding::Inward, MADV_DONTNEED);
}

void throwIfPagesWereLost() {
    const std::lock_guard lock(slotsMutex);
    for (const Slot& slot : slots)
        if (slot.path != nullptr && (slot.lost || isShorter(slot)))
            throw Error(ErrorKind::Input, sentence("the file was cut short while it was in use"),
                        slot.path->string(),
                        sentence("Leave it alone while Meshreel runs; restore it and start again"));
}

Tensor mappedTensor(const std::shared_ptr<const MappedFile>& map, std::span<const std::byte> data,
                    const Shape& shape, DType type, const std::string& where) {
    if (type == DType::Bool)
        checkBooleans(data, where);
    if (reinterpret_cast<std::uintptr_t>(data.data()) % byteSize(type) == 0)
        return Tensor::view(data.data(), shape, type, map);
    Tensor aligned = Tensor::empty(shape, type);
    std::memcpy(aligned.raw(), data.data(), data.size());
    return aligned;
}

}  // namespace meshreel
