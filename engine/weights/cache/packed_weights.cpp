// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/packed_weights.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/write_failure.h"
#include "engine/weights/cache/fingerprint.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// The first bytes of a file of packed weights, little endian. Data follows at multiples of
/// packedDataAlignment, then the directory, a JSON object up to the end of the file:
/// {"key": text, "tensors": {name: {"format": text, "begin": n, "bytes": n, "hash": n}}}.
struct Prefix {
    std::array<char, 8> magic = {};
    std::uint64_t version = 0;
    std::uint64_t fileBytes = 0;
    std::uint64_t directoryBegin = 0;
    std::uint64_t directoryHash = 0;  ///< contentHash of the directory
};
static_assert(std::is_trivially_copyable_v<Prefix> && sizeof(Prefix) == 40);

constexpr std::array<char, 8> prefixMagic = {'M', 'R', 'P', 'A', 'C', 'K', 'E', 'D'};
constexpr std::uint64_t prefixVersion = 1;

[[noreturn]] void throwDamaged(const std::string& where, Sentence what) {
    throw Error(ErrorKind::Input, std::move(what), where,
                sentence("Clear the cache (meshreel cache clear --weights): it is made again"));
}

/// Whatever lies behind the checked prefix.
std::span<const std::byte> findDirectory(const MappedFile& map) {
    const std::string where = map.path().string();
    Prefix prefix;
    if (map.bytes().size() < sizeof prefix)
        throwDamaged(where, sentence("the file of packed weights is too short"));
    std::memcpy(&prefix, map.bytes().data(), sizeof prefix);
    if (prefix.magic != prefixMagic || prefix.version != prefixVersion)
        throwDamaged(where, sentence("this is not a file of packed weights of this version"));
    if (prefix.fileBytes != map.bytes().size() || prefix.directoryBegin < sizeof prefix ||
        prefix.directoryBegin > prefix.fileBytes)
        throwDamaged(where, sentence("the file of packed weights is not complete"));
    const std::span<const std::byte> directory = map.bytes().subspan(prefix.directoryBegin);
    if (contentHash(directory) != prefix.directoryHash)
        throwDamaged(where, sentence("the directory of the packed weights is damaged"));
    return directory;
}

Sentence fix() {
    return sentence("Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache");
}

[[noreturn]] void throwWriteError(const fs::path& file) {
    throw Error(saysFull(errno) ? ErrorKind::Resources : ErrorKind::Input,
                sentence("the packed weights could not be written ({})", std::strerror(errno)), file.string(),
                fix());
}

TemporaryBeside temporaryFor(const fs::path& file) {
    try {
        return {file, TemporaryBeside::Kind::File};
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), failure.where(), fix());
    }
}

}  // namespace

std::shared_ptr<const PackedWeightsFile> PackedWeightsFile::open(const fs::path& file) {
    std::shared_ptr<PackedWeightsFile> result(new PackedWeightsFile(MappedFile::open(file)));
    result->readDirectory(findDirectory(*result->m_map));
    return result;
}

void PackedWeightsFile::readDirectory(std::span<const std::byte> directory) {
    const std::string where = m_map->path().string();
    const nlohmann::json object =
        parseJsonObject({reinterpret_cast<const char*>(directory.data()), directory.size()}, where);
    try {
        object.at("key").get_to(m_key);
        for (const auto& [name, described] : object.at("tensors").items()) {
            const auto begin = described.at("begin").get<std::uint64_t>();
            const auto bytes = described.at("bytes").get<std::uint64_t>();
            if (begin % packedDataAlignment != 0 || begin > m_map->bytes().size() ||
                bytes > m_map->bytes().size() - begin)
                throwDamaged(where, sentence("the packed '{}' lies outside its file", name));
            Entry& entry = m_entries[name];
            described.at("format").get_to(entry.format);
            described.at("hash").get_to(entry.hash);
            entry.bytes = m_map->bytes().subspan(begin, bytes);
        }
    } catch (const nlohmann::json::exception& failure) {
        throwDamaged(where, sentence("the directory of the packed weights is malformed: {}", failure.what()));
    }
}

void PackedWeightsFile::check(const std::string& name, const Entry& entry) const {
    m_map->throwIfShrunk();
    if (contentHash(entry.bytes) != entry.hash)
        throwDamaged(m_map->path().string(), sentence("the packed '{}' is damaged", name));
    entry.checked = true;
}

std::optional<StoredTensor> PackedWeightsFile::find(std::string_view name) const {
    const auto found = m_entries.find(name);
    if (found == m_entries.end())
        return std::nullopt;
    const Entry& entry = found->second;
    if (!entry.checked)
        check(found->first, entry);
    return StoredTensor{
        .format = entry.format,
        .bytes = Tensor::view(entry.bytes.data(), {static_cast<std::int64_t>(entry.bytes.size())}, DType::U8,
                              m_map)};
}

void PackedWeightsFile::verify() const {
    for (const auto& [name, entry] : m_entries)
        check(name, entry);
}

/// Writes a file of packed weights tensor by tensor, holding none of them, under a temporary name; finish()
/// gives it its own. Unfinished, nothing is left. One writer at a time for a file.
class PackedWeightStore::Writer {
  public:
    /// Throws Error{Resources} (disk full) or Error{Input} (folder missing or not writable), as do all
    /// others.
    Writer(std::filesystem::path file, std::string key);
    ~Writer() = default;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Bytes written so far.
    [[nodiscard]] std::uint64_t bytes() const { return m_end; }

    void add(const std::string& name, const std::string& format, std::span<const std::byte> bytes);
    void finish();

  private:
    void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);

    std::filesystem::path m_file;
    TemporaryBeside m_temporary;
    std::uint64_t m_end = 0;
    nlohmann::json m_directory;
};

PackedWeightStore::Writer::Writer(fs::path file, std::string key)
    : m_file(std::move(file)),
      m_temporary(temporaryFor(m_file)),
      m_end(packedDataAlignment),
      m_directory{{"key", std::move(key)}, {"tensors", nlohmann::json::object()}} {}

void PackedWeightStore::Writer::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(m_temporary.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throwWriteError(m_file);
        offset += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void PackedWeightStore::Writer::add(const std::string& name, const std::string& format,
                                    std::span<const std::byte> bytes) {
    writeAt(m_end, bytes);
    m_directory["tensors"][name] = {
        {"format", format}, {"begin", m_end}, {"bytes", bytes.size()}, {"hash", contentHash(bytes)}};
    m_end = (m_end + bytes.size() + packedDataAlignment - 1) / packedDataAlignment * packedDataAlignment;
}

void PackedWeightStore::Writer::finish() {
    const std::string directory = m_directory.dump();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(directory));
    const Prefix prefix{.magic = prefixMagic,
                        .version = prefixVersion,
                        .fileBytes = m_end + bytes.size(),
                        .directoryBegin = m_end,
                        .directoryHash = contentHash(bytes)};
    writeAt(m_end, bytes);
    writeAt(0, std::as_bytes(std::span(&prefix, 1)));
    m_temporary.putIntoPlace();
}

PackedWeightStore::PackedWeightStore(CacheFolder folder, std::string key, Warn warn)
    : m_folder(std::move(folder)), m_key(std::move(key)), m_warn(std::move(warn)) {
    openExisting();
}

PackedWeightStore::~PackedWeightStore() = default;

void PackedWeightStore::openExisting() {
    const fs::path file = m_folder.fileOf(m_key);
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return;
    try {
        auto opened = PackedWeightsFile::open(file);
        if (opened->key() != m_key)
            throw Error(ErrorKind::Input, sentence("the packed weights are of another model"), file.string());
        m_file = std::move(opened);
        m_folder.markUsed(file);
    } catch (const Error& failure) {
        m_warn(sentence("Packed weights in the cache are not used and made again: {}", failure.asSentence()));
    }
}

void PackedWeightStore::startCollecting() {
    m_collecting = true;
    try {
        m_lock = m_folder.tryLock();
        if (m_lock)
            m_writer = std::make_unique<Writer>(m_folder.fileOf(m_key), m_key);
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
}

void PackedWeightStore::giveUp(const Sentence& why) {
    m_writer.reset();
    m_lock.reset();
    m_warn(sentence("Packed weights are not kept: {}", why));
}

std::optional<StoredTensor> PackedWeightStore::find(std::string_view name) {
    if (!m_file || m_damaged)
        return std::nullopt;
    try {
        return m_file->find(name);
    } catch (const Error& failure) {
        m_damaged = true;
        m_warn(sentence("Packed weights in the cache are not used and made again by the next run: {}",
                        failure.asSentence()));
        return std::nullopt;
    }
}

void PackedWeightStore::put(const std::string& name, const std::string& format,
                            std::span<const std::byte> bytes) {
    if (!m_file && !m_collecting)
        startCollecting();
    if (!m_writer)
        return;
    try {
        if (m_folder.makeRoom(*m_lock, bytes.size(), m_writer->bytes()))
            m_writer->add(name, format, bytes);
        else
            giveUp(sentence("they are larger than the cache may grow, or than the disk has room for"));
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
}

void PackedWeightStore::finish() {
    std::error_code ignored;
    if (m_damaged)
        fs::remove(m_folder.fileOf(m_key), ignored);
    if (!m_writer)
        return;
    try {
        m_writer->finish();
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
    m_writer.reset();
    m_lock.reset();
}

}  // namespace meshreel
