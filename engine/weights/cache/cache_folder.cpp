// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/numbers.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* lockName = ".lock";

[[noreturn]] void throwUnwritable(const fs::path& folder, const std::string& reason) {
    throw Error(ErrorKind::Input, sentence("the cache cannot be written ({})", reason), folder.string(),
                sentence("Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache"));
}

}  // namespace

CacheLock::CacheLock(CacheLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

CacheLock& CacheLock::operator=(CacheLock&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

CacheLock::~CacheLock() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

CacheFolder::CacheFolder(fs::path folder, std::string extension, std::uint64_t limitBytes)
    : m_folder(std::move(folder)), m_extension(std::move(extension)), m_limitBytes(limitBytes) {}

fs::path CacheFolder::fileOf(std::string_view key) const {
    return m_folder / (nameHash(key) + m_extension);
}

void CacheFolder::markUsed(const fs::path& file) const {
    // Said outright, as most systems are mounted to keep access times roughly or not at all.
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

std::optional<CacheLock> CacheFolder::tryLock() const {
    std::error_code failure;
    fs::create_directories(m_folder, failure);
    if (failure)
        throwUnwritable(m_folder, failure.message());
    const int descriptor = ::open((m_folder / lockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0)
        throwUnwritable(m_folder, std::strerror(errno));
    std::optional<FileLock> lock = FileLock::tryTake(descriptor);
    if (!lock)
        return std::nullopt;
    removeAbandonedTemporaries(m_folder);
    return CacheLock(lock->release());
}

bool CacheFolder::makeRoom(const CacheLock& /*lock*/, std::uint64_t bytes, std::uint64_t written) const {
    std::uint64_t held = written;
    const std::vector<CacheEntry> oldestFirst = entries();
    for (const CacheEntry& entry : oldestFirst)
        held += entry.bytes;
    std::error_code failure;
    const std::uint64_t free = freeDiskSpace(m_folder);
    const auto hasRoom = [&](std::uint64_t more) { return bytes <= more || bytes - more <= free; };
    if (written + bytes > m_limitBytes || !hasRoom(held - written))
        return false;
    std::uint64_t freed = 0;
    const auto fits = [&] { return held - freed + bytes <= m_limitBytes && hasRoom(freed); };
    for (const CacheEntry& entry : oldestFirst)
        if (!fits() && fs::remove(entry.file, failure))
            freed += entry.bytes;
    return fits();
}

std::vector<CacheEntry> CacheFolder::entries() const {
    std::vector<CacheEntry> entries;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, ignored)) {
        const fs::path& file = entry.path();
        struct stat status {};
        const bool hidden = file.filename().string().starts_with('.');  // being written
        if (!hidden && file.extension() == m_extension && ::stat(file.c_str(), &status) == 0)
            entries.push_back({.file = file,
                               .bytes = static_cast<std::uint64_t>(status.st_size),
                               .lastUsed = decltype(CacheEntry::lastUsed)(
                                   std::chrono::seconds(status.st_atim.tv_sec) +
                                   std::chrono::nanoseconds(status.st_atim.tv_nsec))});
    }
    std::ranges::sort(entries, [](const CacheEntry& a, const CacheEntry& b) {
        return std::tie(a.lastUsed, a.file) < std::tie(b.lastUsed, b.file);
    });
    return entries;
}

std::size_t CacheFolder::clear() const {
    std::size_t removed = 0;
    std::error_code ignored;
    for (const CacheEntry& entry : entries())
        removed += fs::remove(entry.file, ignored) ? 1 : 0;
    if (fs::is_directory(m_folder, ignored))
        static_cast<void>(tryLock());
    return removed;
}

namespace {

constexpr const char* keyName = "key";
constexpr const char* hashName = "xxh3";

std::string hashText(const Tensor& tensor) {
    return fmt::format("{:016x}", contentHash({tensor.raw(), tensor.bytes()}));
}

std::string cachedMetadata(const SafetensorsFile& file, const char* name) {
    const auto found = file.metadata().find(name);
    return found == file.metadata().end() ? std::string() : found->second;
}

Tensor checkedTensor(const SafetensorsFile& file, const CachedTensorKind& kind) {
    Tensor tensor = file.get(kind.tensor);
    if (tensor.dtype() != DType::F32 || tensor.shape().rank() != kind.rank ||
        cachedMetadata(file, hashName) != hashText(tensor))
        throw Error(ErrorKind::Input, kind.isDamaged, file.path().string(),
                    sentence("Clear the cache ({}): it is made again", kind.clearing));
    return tensor;
}

}  // namespace

TensorCache::TensorCache(CacheFolder folder, const CachedTensorKind& kind, Warn warn)
    : m_folder(std::move(folder)), m_kind(&kind), m_warn(std::move(warn)) {}

std::optional<Tensor> TensorCache::find(const std::string& key) const {
    const fs::path entry = m_folder.fileOf(key);
    std::error_code ignored;
    if (!fs::exists(entry, ignored))
        return std::nullopt;
    try {
        const SafetensorsFile file = SafetensorsFile::open(entry);
        Tensor tensor = checkedTensor(file, *m_kind).clone();
        if (cachedMetadata(file, keyName) != key)
            return std::nullopt;
        m_folder.markUsed(entry);
        return tensor;
    } catch (const Error& failure) {
        m_warn(sentence("{}: {}", m_kind->notUsed, failure.asSentence()));
        return std::nullopt;
    }
}

void TensorCache::put(const std::string& key, const Tensor& tensor) const {
    constexpr std::uint64_t headerBytes = 4096;  // about: room is made in whole entries
    try {
        const std::optional<CacheLock> lock = m_folder.tryLock();
        if (!lock || !m_folder.makeRoom(*lock, tensor.bytes() + key.size() + headerBytes))
            return;
        writeSafetensors(m_folder.fileOf(key), std::vector<NamedTensor>{{m_kind->tensor, tensor}},
                         {{keyName, key}, {hashName, hashText(tensor)}});
    } catch (const Error& failure) {
        m_warn(sentence("{}: {}", m_kind->notKept, failure.asSentence()));
    }
}

void verifyCachedTensor(const fs::path& entry, const CachedTensorKind& kind) {
    static_cast<void>(checkedTensor(SafetensorsFile::open(entry), kind));
}

namespace {

constexpr const char* weightLimitVariable = "MESHREEL_WEIGHT_CACHE_GIB";
constexpr std::uint64_t promptLimit = 256 << 20;  // 30 to 1000 prompts of UMT5-XXL, by their length
constexpr std::uint64_t previewLimit = 4 << 20;   // about 2000 VAEs
constexpr const char* weightCacheExtension = ".packed";
constexpr std::uint64_t weightLimit = 40'000'000'000;

std::uint64_t limitFrom(std::string_view text) {
    double value = -1;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e6))
        throw Error(ErrorKind::Project, sentence("\"{}\" is not a number of GiB", text), weightLimitVariable,
                    sentence("Set it to the size that the cache of packed weights may reach"));
    return static_cast<std::uint64_t>(value * gibibyte);
}

/// Half of what is free, or held by the folder already.
std::uint64_t halfOfDisk(const fs::path& folder) {
    std::uint64_t room = freeDiskSpace(folder) / 2;
    for (const CacheEntry& entry : CacheFolder(folder, weightCacheExtension, 0).entries())
        room += entry.bytes / 2;
    return room;
}

}  // namespace

Caches userCaches() {
    const fs::path folder = userCacheFolder();
    const fs::path weights = folder / "weights";
    const char* asked = std::getenv(weightLimitVariable);
    const std::uint64_t limit =
        asked != nullptr && *asked != '\0' ? limitFrom(asked) : std::min(weightLimit, halfOfDisk(weights));
    return {.prompts = CacheFolder(folder / "prompts", ".safetensors", promptLimit),
            .weights = CacheFolder(weights, weightCacheExtension, limit),
            .previews = CacheFolder(folder / "previews", ".safetensors", previewLimit)};
}

}  // namespace meshreel
