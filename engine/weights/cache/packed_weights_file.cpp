// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/packed_weights_file.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/weights/cache/content_hash.h"
#include "engine/weights/cache/packed_weights_layout.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throwDamaged(const std::string& where, Sentence what) {
    throw Error(ErrorKind::Input, std::move(what), where,
                sentence("Clear the cache (meshreel cache clear --weights): it is made again"));
}

/// Whatever lies behind the checked prefix.
std::span<const std::byte> directoryOf(const MappedFile& map) {
    const std::string where = map.path().string();
    PackedWeightsPrefix prefix;
    if (map.bytes().size() < sizeof prefix)
        throwDamaged(where, sentence("the file of packed weights is too short"));
    std::memcpy(&prefix, map.bytes().data(), sizeof prefix);
    if (prefix.magic != packedWeightsMagic || prefix.version != packedWeightsVersion)
        throwDamaged(where, sentence("this is not a file of packed weights of this version"));
    if (prefix.fileBytes != map.bytes().size() || prefix.directoryBegin < sizeof prefix ||
        prefix.directoryBegin > prefix.fileBytes)
        throwDamaged(where, sentence("the file of packed weights is not complete"));
    const std::span<const std::byte> directory = map.bytes().subspan(prefix.directoryBegin);
    if (contentHash(directory) != prefix.directoryHash)
        throwDamaged(where, sentence("the directory of the packed weights is damaged"));
    return directory;
}

}  // namespace

std::shared_ptr<const PackedWeightsFile> PackedWeightsFile::open(const fs::path& file) {
    std::shared_ptr<PackedWeightsFile> result(new PackedWeightsFile(MappedFile::open(file)));
    result->readDirectory(directoryOf(*result->m_map));
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

}  // namespace meshreel
