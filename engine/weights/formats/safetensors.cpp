// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::string_view metadataKey = "__metadata__";
constexpr std::string_view lfsPointerStart = "version https://git-lfs";
constexpr int headerDepth = 3;  // file object, tensor object, list

struct DtypeName {
    std::string_view name;
    std::size_t bytes;
    std::optional<DType> type;  // absent: a type of the format that Meshreel does not compute with
};

constexpr std::array dtypeNames = {
    DtypeName{"F64", 8, DType::F64}, DtypeName{"F32", 4, DType::F32},
    DtypeName{"F16", 2, DType::F16}, DtypeName{"BF16", 2, DType::BF16},
    DtypeName{"I64", 8, DType::I64}, DtypeName{"I32", 4, DType::I32},
    DtypeName{"U8", 1, DType::U8},   DtypeName{"BOOL", 1, DType::Bool},
    DtypeName{"U64", 8, {}},         DtypeName{"U32", 4, {}},
    DtypeName{"I16", 2, {}},         DtypeName{"U16", 2, {}},
    DtypeName{"I8", 1, {}},          DtypeName{"F8_E4M3", 1, {}},
    DtypeName{"F8_E5M2", 1, {}},     DtypeName{"F8_E8M0", 1, {}},
    DtypeName{"C64", 8, {}},
};

const DtypeName* findDtype(std::string_view name) {
    const auto* found = std::find_if(dtypeNames.begin(), dtypeNames.end(),
                                     [name](const DtypeName& dtype) { return dtype.name == name; });
    return found == dtypeNames.end() ? nullptr : found;
}

[[noreturn]] void refuseHeader(const std::string& where, Sentence message) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("The file is damaged or incomplete: download it again"));
}

/// The JSON between the length and the data.
std::string_view headerText(std::span<const std::byte> bytes, const std::string& file) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (all.starts_with(lfsPointerStart))
        throw Error(ErrorKind::Input, sentence("this is a Git LFS pointer, not the weights themselves"), file,
                    sentence("Run 'git lfs pull' in its repository, or download the file"));
    if (bytes.size() < safetensorsLengthBytes)
        refuseHeader(file, sentence("the file has {} bytes, too few for a safetensors header", bytes.size()));
    std::uint64_t length = 0;
    for (std::size_t i = safetensorsLengthBytes; i-- > 0;)
        length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    if (length > limitValue(Limit::SafetensorsHeader))
        refuseHeader(file, sentence("the header says it is {} bytes long; at most {} are allowed", length,
                                    limitValue(Limit::SafetensorsHeader)));
    if (length > bytes.size() - safetensorsLengthBytes)
        refuseHeader(file, sentence("the header says it is {} bytes long, but the file has only {} bytes",
                                    length, bytes.size()));
    const std::string_view text = all.substr(safetensorsLengthBytes, length);
    if (!text.starts_with('{'))
        refuseHeader(file, sentence("the header does not start with '{{': this is not a safetensors file"));
    return text;
}

std::optional<std::uint64_t> asCount(const json& value) {
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
        return {};
    return value.get<std::uint64_t>();
}

const json& field(const json& tensor, const char* name, const std::string& where) {
    const auto found = tensor.find(name);
    if (found == tensor.end())
        refuseHeader(where, sentence("the header gives no {}", name));
    return *found;
}

/// Extents whose product, and the number of bytes it needs, fit an int64 (zero extents counted as one).
Shape parseShape(const json& value, const std::string& where, std::size_t bytesEach) {
    if (!value.is_array())
        refuseHeader(where, sentence("the shape is not a list of numbers"));
    if (value.size() > Shape::maxRank)
        refuseHeader(where, sentence("it has {} axes; at most {} are read", value.size(), Shape::maxRank));
    std::vector<std::int64_t> extents;
    auto total = static_cast<std::int64_t>(bytesEach);
    for (const json& item : value) {
        const std::optional<std::uint64_t> extent = asCount(item);
        if (!extent)
            refuseHeader(where, sentence("the shape holds {:.40}, which is not a count", item.dump()));
        const auto factor = static_cast<std::int64_t>(std::min<std::uint64_t>(*extent, INT64_MAX));
        if (__builtin_mul_overflow(total, std::max<std::int64_t>(factor, 1), &total))
            refuseHeader(where, sentence("the shape {:.80} is larger than any memory", value.dump()));
        extents.push_back(factor);
    }
    return Shape(extents);
}

SafetensorsEntry parseEntry(const std::string& name, const json& tensor, const std::string& file,
                            std::size_t dataBegin, std::size_t fileBytes) {
    const std::string where = tensorPlace(file, name);
    if (!tensor.is_object())
        refuseHeader(where, sentence("the header describes it by something else than an object"));
    const json& dtype = field(tensor, "dtype", where);
    if (!dtype.is_string())
        refuseHeader(where, sentence("the dtype is not a text"));
    const DtypeName* known = findDtype(dtype.get_ref<const std::string&>());
    const std::size_t bytesEach = known == nullptr ? 1 : known->bytes;
    Shape shape = parseShape(field(tensor, "shape", where), where, bytesEach);

    const json& offsets = field(tensor, "data_offsets", where);
    if (!offsets.is_array() || offsets.size() != 2 || !asCount(offsets[0]) || !asCount(offsets[1]))
        refuseHeader(where, sentence("data_offsets is not a pair of counts"));
    const std::uint64_t begin = *asCount(offsets[0]);
    const std::uint64_t end = *asCount(offsets[1]);
    if (begin > end)
        refuseHeader(where, sentence("its data begins at {} but ends at {}", begin, end));
    const std::size_t dataBytes = fileBytes - dataBegin;
    if (end > dataBytes)
        refuseHeader(
            where, sentence("its data ends at byte {}, but the file holds only {} bytes of data (truncated)",
                            end, dataBytes));
    const std::uint64_t needed = static_cast<std::uint64_t>(shape.elements()) * bytesEach;
    if (known != nullptr && end - begin != needed)
        refuseHeader(where, sentence("shape {} of {} needs {} bytes, but data_offsets [{}, {}] hold {}",
                                     shape.text(), known->name, needed, begin, end, end - begin));
    return {name, dtype.get<std::string>(), std::move(shape), dataBegin + begin, dataBegin + end};
}

std::map<std::string, std::string> parseMetadata(const json& value, const std::string& file) {
    std::map<std::string, std::string> metadata;
    if (!value.is_object())
        refuseHeader(file, sentence("__metadata__ is not an object"));
    requireWithin(Limit::MetadataEntries, value.size(), file);
    for (const auto& [key, text] : value.items()) {
        if (!text.is_string())
            refuseHeader(file, sentence("the metadata '{:.80}' is not a text", key));
        metadata.emplace(key, text.get<std::string>());
    }
    return metadata;
}

/// The format wants the data of all tensors to follow one another, in any order, up to the end of the file.
void checkCoverage(const std::vector<SafetensorsEntry>& entries, const std::string& file,
                   std::size_t dataBegin, std::size_t fileBytes) {
    std::vector<const SafetensorsEntry*> byPlace;
    byPlace.reserve(entries.size());
    for (const SafetensorsEntry& entry : entries)
        byPlace.push_back(&entry);
    std::sort(byPlace.begin(), byPlace.end(), [](const auto* a, const auto* b) {
        return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    std::size_t covered = dataBegin;
    for (const SafetensorsEntry* entry : byPlace) {
        const std::size_t begin = entry->begin - dataBegin;
        const std::size_t endBefore = covered - dataBegin;
        if (begin < endBefore)
            refuseHeader(tensorPlace(file, entry->name),
                         sentence("its data begins at {}, inside the tensor before it, which ends at {}",
                                  begin, endBefore));
        if (begin > endBefore)
            refuseHeader(
                tensorPlace(file, entry->name),
                sentence("its data begins at {}, behind a hole after the tensor before it, which ends at {}",
                         begin, endBefore));
        covered = entry->end;
    }
    if (covered != fileBytes)
        refuseHeader(file, sentence("{} bytes follow the last tensor, which no tensor describes",
                                    fileBytes - covered));
}

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

std::optional<DType> dtypeFromSafetensors(std::string_view name) {
    const DtypeName* known = findDtype(name);
    return known == nullptr ? std::nullopt : known->type;
}

std::string tensorPlace(std::string_view file, std::string_view tensor) {
    constexpr std::size_t longest = 200;
    return fmt::format("{}, tensor '{}'", file, excerpt(tensor, longest));
}

SafetensorsHeader parseSafetensorsHeader(std::span<const std::byte> bytes, const std::string& file) {
    const std::string_view text = headerText(bytes, file);
    const json object = parseJsonObject(text, file + " (header)", headerDepth);
    const std::size_t dataBegin = safetensorsLengthBytes + text.size();
    SafetensorsHeader header;
    requireWithin(Limit::Tensors, object.size(), file);
    for (const auto& [name, value] : object.items()) {
        requireWithin(Limit::TensorName, name.size(), file);
        if (name == metadataKey)
            header.metadata = parseMetadata(value, file);
        else
            header.entries.push_back(parseEntry(name, value, file, dataBegin, bytes.size()));
    }
    checkCoverage(header.entries, file, dataBegin, bytes.size());
    std::sort(header.entries.begin(), header.entries.end(),
              [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
    return header;
}

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
    return mappedTensor(m_map, tensorData(*entry), entry->shape, *type, where);
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
        m_map->prefetch(tensorData(*entry));
}

void SafetensorsFile::release(std::string_view name) const {
    if (const SafetensorsEntry* entry = find(name))
        m_map->release(tensorData(*entry));
}

}  // namespace meshreel
