// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/excerpt.h"
#include "engine/base/strings.h"
#include "engine/weights/mapped_tensor.h"

namespace meshreel {
namespace {

[[noreturn]] void throwMissing(const SafetensorsFile& file, std::string_view name) {
    const std::vector<std::string> names = file.names();
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view nearest = nearestName(name, candidates);
    throw Error(ErrorKind::Input, sentence("the file holds no such tensor"),
                tensorPlace(file.path().string(), name),
                nearest.empty() ? sentence("Check that this is the weights file of this model")
                                : sentence("The nearest name is '{}'", excerpt(nearest)));
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& file) {
    std::shared_ptr<const MappedFile> map = MappedFile::open(file);
    SafetensorsHeader header = parseSafetensorsHeader(map->bytes(), file.string());
    return {std::move(map), std::move(header)};
}

std::span<const std::byte> SafetensorsFile::headerBytes() const {
    std::size_t begin = m_map->bytes().size();
    for (const SafetensorsEntry& entry : m_header.entries)
        begin = std::min(begin, entry.begin);
    return m_map->bytes().first(begin);
}

std::vector<std::string> SafetensorsFile::names() const {
    std::vector<std::string> names;
    for (const SafetensorsEntry& entry : m_header.entries)
        names.push_back(entry.name);
    return names;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
    const auto entry =
        std::lower_bound(m_header.entries.begin(), m_header.entries.end(), name,
                         [](const SafetensorsEntry& a, std::string_view b) { return a.name < b; });
    return entry == m_header.entries.end() || entry->name != name ? nullptr : &*entry;
}

Tensor SafetensorsFile::get(std::string_view name) const {
    const SafetensorsEntry* entry = find(name);
    if (entry == nullptr)
        throwMissing(*this, name);
    const std::string where = tensorPlace(path().string(), name);
    const std::optional<DType> type = dtypeFromSafetensors(entry->dtype);
    if (!type)
        throw Error(ErrorKind::Input, sentence("its type {:.40} is not supported", entry->dtype), where,
                    sentence("Use a checkpoint in F32, F16 or BF16"));
    m_map->throwIfShrunk();
    return mappedTensor(m_map, dataOf(*entry), entry->shape, *type, where);
}

Tensor SafetensorsFile::get(std::string_view name, const Shape& expected) const {
    require(name, expected);
    return get(name);
}

void SafetensorsFile::require(std::string_view name, const Shape& expected) const {
    const SafetensorsEntry* entry = find(name);
    if (entry == nullptr)
        throwMissing(*this, name);
    if (entry->shape != expected)
        throw Error(ErrorKind::Input,
                    sentence("its shape is {}, but {} was expected", entry->shape.text(), expected.text()),
                    tensorPlace(path().string(), name),
                    sentence("The weights and config.json are of different models"));
}

void SafetensorsFile::prefetch(std::string_view name) const {
    if (const SafetensorsEntry* entry = find(name))
        m_map->prefetch(dataOf(*entry));
}

void SafetensorsFile::release(std::string_view name) const {
    if (const SafetensorsEntry* entry = find(name))
        m_map->release(dataOf(*entry));
}

}  // namespace meshreel
