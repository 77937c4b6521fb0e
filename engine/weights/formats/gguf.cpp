// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t oldestVersion = 2;
constexpr std::uint32_t newestVersion = 3;
constexpr std::uint32_t bigEndianMask = 0xFFFF;  // a version whose bytes are swapped has none set below
constexpr int deepestList = 4;
constexpr std::size_t shownListItems = 64;
constexpr std::size_t defaultAlignment = ggufAlignment;
constexpr std::uint64_t largestAlignment = 1U << 20U;
constexpr std::string_view alignmentKey = "general.alignment";
constexpr std::string_view originalShapePrefix = "comfy.gguf.orig_shape.";

/// The type of a tensor, as the format numbers it.
struct GgufType {
    std::uint32_t number;
    StoredType type;
};
constexpr std::array ggufTypes = {
    GgufType{0, StoredType::F32},   GgufType{1, StoredType::F16},     GgufType{2, StoredType::Q4_0},
    GgufType{3, StoredType::Q4_1},  GgufType{6, StoredType::Q5_0},    GgufType{7, StoredType::Q5_1},
    GgufType{8, StoredType::Q8_0},  GgufType{12, StoredType::Q4_K},   GgufType{13, StoredType::Q5_K},
    GgufType{14, StoredType::Q6_K}, GgufType{26, StoredType::I32},    GgufType{27, StoredType::I64},
    GgufType{28, StoredType::F64},  GgufType{30, StoredType::BF16},   GgufType{10, StoredType::Q2_K},
    GgufType{11, StoredType::Q3_K}, GgufType{20, StoredType::IQ4_NL}, GgufType{23, StoredType::IQ4_XS},
};

/// Types of the format that Meshreel does not unpack, for messages and for where they end.
struct OtherType {
    std::uint32_t number;
    std::string_view name;
    std::size_t blockElements;
    std::size_t blockBytes;
};
constexpr std::array otherTypes = {
    OtherType{9, "Q8_1", 32, 36},     OtherType{15, "Q8_K", 256, 292},   OtherType{16, "IQ2_XXS", 256, 66},
    OtherType{17, "IQ2_XS", 256, 74}, OtherType{18, "IQ3_XXS", 256, 98}, OtherType{19, "IQ1_S", 256, 50},
    OtherType{21, "IQ3_S", 256, 110}, OtherType{22, "IQ2_S", 256, 82},   OtherType{24, "I8", 1, 1},
    OtherType{25, "I16", 1, 2},       OtherType{29, "IQ1_M", 256, 56},   OtherType{34, "TQ1_0", 256, 54},
    OtherType{35, "TQ2_0", 256, 66},  OtherType{39, "MXFP4", 32, 17},    OtherType{40, "NVFP4", 64, 36},
};

/// The type of a metadata value, as the format numbers it.
enum class ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// 0 for texts, lists and types that are not known.
std::size_t scalarBytes(ValueType type) {
    switch (type) {
        case ValueType::U8:
        case ValueType::I8:
        case ValueType::Bool:
            return 1;
        case ValueType::U16:
        case ValueType::I16:
            return 2;
        case ValueType::U32:
        case ValueType::I32:
        case ValueType::F32:
            return 4;
        case ValueType::U64:
        case ValueType::I64:
        case ValueType::F64:
            return 8;
        case ValueType::String:
        case ValueType::Array:
            break;
    }
    return 0;
}

struct Value {
    std::string text;
    std::vector<std::int64_t> integers;  // for an integer or a list of integers, if it is short
};

class DirectoryReader {
  public:
    DirectoryReader(std::span<const std::byte> bytes, const std::string& file)
        : m_reader(bytes, file), m_fileBytes(bytes.size()) {}

    TensorDirectory read() {
        const std::uint64_t tensorCount = readMetadata();
        // An entry takes at least its name's length, its axes, type and offset.
        constexpr std::uint64_t leastEntryBytes = 24;
        if (tensorCount > m_reader.left() / leastEntryBytes)
            m_reader.fail(sentence("the file says it holds {} tensors, more than fit into it", tensorCount));
        requireWithin(Limit::Tensors, tensorCount, m_reader.where());
        for (std::uint64_t i = 0; i < tensorCount; ++i)
            readTensor();
        placeTensors();
        m_directory.format = fmt::format("GGUF {}", m_version);
        return std::move(m_directory);
    }

    std::optional<GgufVocabulary> readVocabulary() {
        GgufVocabulary vocabulary;
        m_vocabulary = &vocabulary;
        readMetadata();
        const auto kind = m_directory.metadata.find("tokenizer.ggml.model");
        if (kind == m_directory.metadata.end() || kind->second != "t5" || vocabulary.tokens.empty())
            return std::nullopt;
        return vocabulary;
    }

  private:
    /// The number of tensors whose descriptions follow.
    std::uint64_t readMetadata() {
        m_reader.moveTo(magic.size());
        requireVersion(m_reader.number<std::uint32_t>());
        const auto tensorCount = m_reader.number<std::uint64_t>();
        const auto valueCount = m_reader.number<std::uint64_t>();
        requireWithin(Limit::MetadataEntries, valueCount, m_reader.where());
        for (std::uint64_t i = 0; i < valueCount; ++i)
            readEntry();
        return tensorCount;
    }

    void requireVersion(std::uint32_t version) {
        if ((version & bigEndianMask) == 0 && version != 0)
            throw Error(ErrorKind::Input, sentence("this GGUF file is big-endian, which is not supported"),
                        m_reader.where(), sentence("Get the little-endian file"));
        if (version < oldestVersion || version > newestVersion)
            throw Error(
                ErrorKind::Input, sentence("this is GGUF version {}", version), m_reader.where(),
                sentence(
                    "Versions 2 and 3 are read: convert the file with a newer tool, or get another one"));
        m_version = version;
    }

    /// Requires that the next bytes are in the file. A sparse one holds any number of them.
    void requireInDirectory(std::uint64_t bytes) const {
        requireWithin(Limit::GgufDirectory, m_reader.position() + bytes, m_reader.where());
    }

    std::string_view readText() {
        const std::string_view text = m_reader.text(m_reader.number<std::uint64_t>());
        requireInDirectory(0);
        return text;
    }

    std::string_view readName() {
        const std::string_view name = readText();
        requireWithin(Limit::TensorName, name.size(), m_reader.where());
        return name;
    }

    /// The number of items that a list says it has.
    std::uint64_t readCount(ValueType type) {
        const auto count = m_reader.number<std::uint64_t>();
        const std::uint64_t leastBytes = std::max<std::uint64_t>(scalarBytes(type), 1);
        if (count > m_reader.left() / leastBytes)
            m_reader.fail(
                sentence("a metadata list says it has {} items, more than fit into the file", count));
        requireInDirectory(count * leastBytes);
        return count;
    }

    void readEntry() {
        const std::string key(readName());
        const auto type = static_cast<ValueType>(m_reader.number<std::uint32_t>());
        if (m_vocabulary != nullptr && type == ValueType::Array && readVocabularyList(key))
            return;
        Value value = readValue(type, 0);
        if (m_vocabulary != nullptr)
            keepVocabularyValue(key, value);
        if (key == alignmentKey)
            readAlignment(value);
        if (key.starts_with(originalShapePrefix))
            m_originalShapes[key.substr(originalShapePrefix.size())] = std::move(value.integers);
        else if (!m_directory.metadata.emplace(key, std::move(value.text)).second)
            m_reader.fail(sentence("the metadata '{}' is given twice", excerpt(key)));
    }

    /// Reads one of the lists of a vocabulary completely; returns false for others, and reads nothing of
    /// them.
    bool readVocabularyList(std::string_view key) {
        const bool tokens = key == "tokenizer.ggml.tokens";
        const bool scores = key == "tokenizer.ggml.scores";
        const bool kinds = key == "tokenizer.ggml.token_type";
        if (!tokens && !scores && !kinds && key != "tokenizer.ggml.precompiled_charsmap")
            return false;
        const auto type = static_cast<ValueType>(m_reader.number<std::uint32_t>());
        const std::uint64_t count = readCount(type);
        requireWithin(Limit::VocabularyPieces, count, m_reader.where());
        if (tokens != (type == ValueType::String) || scores != (type == ValueType::F32))
            m_reader.fail(sentence("the metadata '{}' is a list of another type", excerpt(key)));
        for (std::uint64_t i = 0; i < count; ++i)
            if (tokens)
                m_vocabulary->tokens.emplace_back(readText());
            else if (scores)
                m_vocabulary->scores.push_back(m_reader.number<float>());
            else
                keepVocabularyNumber(kinds, readValue(type, deepestList));
        return true;
    }

    void keepVocabularyNumber(bool isKind, const Value& value) {
        const std::int64_t number = value.integers.empty() ? 0 : value.integers.front();
        if (isKind)
            m_vocabulary->kinds.push_back(static_cast<std::int32_t>(number));
        else
            m_vocabulary->charsMap.push_back(static_cast<char>(number));
    }

    void keepVocabularyValue(std::string_view key, const Value& value) {
        const auto id = [&](std::uint32_t& kept) {
            if (!value.integers.empty())
                kept = static_cast<std::uint32_t>(value.integers.front());
        };
        if (key == "tokenizer.ggml.eos_token_id")
            id(m_vocabulary->end);
        else if (key == "tokenizer.ggml.padding_token_id")
            id(m_vocabulary->padding);
        else if (key == "tokenizer.ggml.unknown_token_id")
            id(m_vocabulary->unknown);
        else if (key == "tokenizer.ggml.add_space_prefix")
            m_vocabulary->addsSpace = value.text != "false";
        else if (key == "tokenizer.ggml.remove_extra_whitespaces")
            m_vocabulary->removesSpaces = value.text != "false";
    }

    void readAlignment(const Value& value) {
        const auto alignment =
            value.integers.size() == 1 ? static_cast<std::uint64_t>(value.integers.front()) : 0;
        if (alignment > largestAlignment || !std::has_single_bit(alignment))
            m_reader.fail(sentence("{} is {}, not a power of two", alignmentKey, excerpt(value.text)));
        m_alignment = alignment;
    }

    template <typename T>
    Value scalar() {
        const T number = m_reader.number<T>();
        if constexpr (std::is_integral_v<T>)
            return {fmt::to_string(+number), {static_cast<std::int64_t>(number)}};
        else
            return {fmt::to_string(number), {}};
    }

    Value readValue(ValueType type, int depth) {
        switch (type) {
            case ValueType::U8:
                return scalar<std::uint8_t>();
            case ValueType::I8:
                return scalar<std::int8_t>();
            case ValueType::U16:
                return scalar<std::uint16_t>();
            case ValueType::I16:
                return scalar<std::int16_t>();
            case ValueType::U32:
                return scalar<std::uint32_t>();
            case ValueType::I32:
                return scalar<std::int32_t>();
            case ValueType::U64:
                return scalar<std::uint64_t>();
            case ValueType::I64:
                return scalar<std::int64_t>();
            case ValueType::F32:
                return scalar<float>();
            case ValueType::F64:
                return scalar<double>();
            case ValueType::Bool:
                return {m_reader.number<std::uint8_t>() != 0 ? "true" : "false", {}};
            case ValueType::String:
                return {std::string(readText()), {}};
            case ValueType::Array:
                return readList(depth);
        }
        m_reader.fail(
            sentence("a metadata value is of the unknown type {}", static_cast<std::uint32_t>(type)));
    }

    Value readList(int depth) {
        if (depth >= deepestList)
            m_reader.fail(sentence("metadata lists are nested deeper than {} levels", deepestList));
        const auto type = static_cast<ValueType>(m_reader.number<std::uint32_t>());
        const std::uint64_t count = readCount(type);
        const std::size_t itemBytes = scalarBytes(type);
        const std::size_t end = m_reader.position() + count * itemBytes;
        Value list;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i == shownListItems && itemBytes > 0) {
                m_reader.moveTo(end);
                break;
            }
            Value item = readValue(type, depth + 1);
            if (i >= shownListItems)
                continue;
            list.text += (i == 0 ? "" : ", ") + item.text;
            list.integers.insert(list.integers.end(), item.integers.begin(), item.integers.end());
        }
        list.text = fmt::format("[{}{}]", list.text,
                                count > shownListItems ? fmt::format(", … {} in all", count) : "");
        return list;
    }

    void readTensor() {
        FileTensor tensor;
        tensor.name = readName();
        const auto axes = m_reader.number<std::uint32_t>();
        if (axes > Shape::maxRank)
            failAt(tensor, sentence("it has {} axes; at most {} are read", axes, Shape::maxRank));
        std::vector<std::int64_t> extents;
        std::int64_t total = 1;
        for (std::uint32_t axis = 0; axis < axes; ++axis) {
            const auto extent = m_reader.number<std::uint64_t>();
            if (extent > std::numeric_limits<std::int64_t>::max() ||
                __builtin_mul_overflow(total, std::max<std::int64_t>(static_cast<std::int64_t>(extent), 1),
                                       &total))
                failAt(tensor, sentence("its shape is larger than any memory"));
            extents.insert(extents.begin(), static_cast<std::int64_t>(extent));
        }
        const std::int64_t rowElements = extents.empty() ? 1 : extents.back();
        tensor.shape = Shape(extents);
        setType(tensor, m_reader.number<std::uint32_t>(), rowElements);
        tensor.begin = m_reader.number<std::uint64_t>();
        m_directory.tensors.push_back(std::move(tensor));
    }

    void setType(FileTensor& tensor, std::uint32_t number, std::int64_t rowElements) {
        const auto known = std::ranges::find(ggufTypes, number, &GgufType::number);
        if (known == ggufTypes.end()) {
            const auto other = std::ranges::find(otherTypes, number, &OtherType::number);
            tensor.typeName =
                other == otherTypes.end() ? fmt::format("number {}", number) : std::string(other->name);
            return;
        }
        const StoredTypeInfo& info = storedTypeInfo(known->type);
        tensor.type = known->type;
        tensor.typeName = info.name;
        if (static_cast<std::uint64_t>(rowElements) % info.blockElements != 0)
            failAt(tensor, sentence("its rows of {} elements are no whole number of {} blocks of {}",
                                    rowElements, info.name, info.blockElements));
    }

    /// Offsets count from the first aligned byte behind the directory; tensors do not overlap.
    void placeTensors() {
        const std::uint64_t dataBegin = (m_reader.position() + m_alignment - 1) / m_alignment * m_alignment;
        for (FileTensor& tensor : m_directory.tensors) {
            const std::optional<std::size_t> size = byteSize(tensor);
            if (tensor.begin % m_alignment != 0)
                failAt(tensor, sentence("its offset {} is not a multiple of the alignment {}", tensor.begin,
                                        m_alignment));
            const std::uint64_t room = m_fileBytes < dataBegin ? 0 : m_fileBytes - dataBegin;
            const std::uint64_t needed = size.value_or(room + 1);
            if (m_fileBytes < dataBegin || tensor.begin > room || needed > room - tensor.begin)
                failAt(tensor, sentence("its {} bytes at {} do not fit into the {} bytes of data (truncated)",
                                        needed, tensor.begin, room));
            tensor.begin += dataBegin;
            tensor.end = tensor.begin + needed;
            restoreShape(tensor);
        }
        requireDisjoint();
        std::ranges::sort(m_directory.tensors, {}, &FileTensor::name);
        const auto twice = std::ranges::adjacent_find(m_directory.tensors, {}, &FileTensor::name);
        if (twice != m_directory.tensors.end())
            failAt(*twice, sentence("it is given twice"));
    }

    /// Returns nothing when it is not a whole number of blocks, or more than a file can hold. The size of an
    /// unknown type is not known either: it is refused when it is read.
    static std::optional<std::size_t> byteSize(const FileTensor& tensor) {
        const auto elements = static_cast<std::uint64_t>(tensor.shape.elements());
        if (tensor.type != StoredType::Other)
            return storedBytes(tensor.type, elements);
        const auto other = std::ranges::find(otherTypes, tensor.typeName, &OtherType::name);
        if (other == otherTypes.end())
            return 0;
        std::size_t bytes = 0;
        if (elements % other->blockElements != 0 ||
            __builtin_mul_overflow(elements / other->blockElements, other->blockBytes, &bytes))
            return std::nullopt;
        return bytes;
    }

    void restoreShape(FileTensor& tensor) {
        const auto original = m_originalShapes.find(tensor.name);
        if (original == m_originalShapes.end())
            return;
        std::int64_t total = 1;
        for (const std::int64_t extent : original->second)
            if (extent < 0 || __builtin_mul_overflow(total, extent, &total))
                failAt(tensor, sentence("the shape that the metadata gives for it is no shape"));
        if (total != tensor.shape.elements())
            failAt(tensor, sentence("the metadata gives it the shape {}, but it is stored as {}",
                                    Shape(original->second).text(), tensor.shape.text()));
        tensor.shape = Shape(original->second);
    }

    void requireDisjoint() {
        std::ranges::sort(m_directory.tensors, {}, &FileTensor::begin);
        const FileTensor* before = nullptr;
        for (const FileTensor& tensor : m_directory.tensors) {
            if (tensor.begin == tensor.end)
                continue;
            if (before != nullptr && tensor.begin < before->end)
                failAt(tensor, sentence("its data begins inside that of '{}'", excerpt(before->name)));
            before = &tensor;
        }
    }

    [[noreturn]] void failAt(const FileTensor& tensor, Sentence message) const {
        throw Error(ErrorKind::Input, std::move(message), tensorPlace(m_reader.where(), tensor.name),
                    sentence("The file is damaged or incomplete: download it again"));
    }

    ByteReader m_reader;
    std::size_t m_fileBytes;
    std::uint32_t m_version = 0;
    std::uint64_t m_alignment = defaultAlignment;
    std::map<std::string, std::vector<std::int64_t>> m_originalShapes;
    TensorDirectory m_directory;
    GgufVocabulary* m_vocabulary = nullptr;  ///< filled if one is wanted
};

class DirectoryWriter {
  public:
    template <typename T>
    void number(T value) {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }

    void text(std::string_view value) {
        number<std::uint64_t>(value.size());
        m_bytes.append(value);
    }

    void pad() {
        m_bytes.append((defaultAlignment - m_bytes.size() % defaultAlignment) % defaultAlignment, '\0');
    }

    std::string& bytes() { return m_bytes; }

  private:
    std::string m_bytes{magic};
};

std::uint64_t padded(std::uint64_t size) {
    return (size + defaultAlignment - 1) / defaultAlignment * defaultAlignment;
}

std::uint32_t ggufNumber(StoredType type) {
    const auto found = std::ranges::find(ggufTypes, type, &GgufType::type);
    if (found == ggufTypes.end())
        throw Error(ErrorKind::Project, sentence("GGUF has no type {}", storedTypeInfo(type).name), {},
                    sentence("Choose another type or another format"));
    return found->number;
}

}  // namespace

bool isGguf(std::span<const std::byte> bytes) {
    return bytes.size() >= magic.size() &&
           std::string_view(reinterpret_cast<const char*>(bytes.data()), magic.size()) == magic;
}

TensorDirectory readGgufDirectory(std::span<const std::byte> bytes, const std::string& file) {
    return DirectoryReader(bytes, file).read();
}

std::optional<GgufVocabulary> readGgufVocabulary(std::span<const std::byte> bytes, const std::string& file) {
    return DirectoryReader(bytes, file).readVocabulary();
}

std::string ggufHead(std::span<const StoredSpec> tensors,
                     const std::map<std::string, std::string>& metadata) {
    DirectoryWriter writer;
    writer.number(newestVersion);
    writer.number<std::uint64_t>(tensors.size());
    writer.number<std::uint64_t>(metadata.size());
    for (const auto& [key, value] : metadata) {
        writer.text(key);
        writer.number(ValueType::String);
        writer.text(value);
    }
    std::uint64_t offset = 0;
    for (const StoredSpec& tensor : tensors) {
        writer.text(tensor.name);
        writer.number(static_cast<std::uint32_t>(tensor.shape.rank()));
        for (std::size_t axis = tensor.shape.rank(); axis-- > 0;)
            writer.number(static_cast<std::uint64_t>(tensor.shape[axis]));
        writer.number(ggufNumber(tensor.type));
        writer.number(offset);
        offset = padded(offset + tensor.bytes());
    }
    writer.pad();
    return std::move(writer.bytes());
}

void writeGguf(const std::filesystem::path& file, std::span<const GgufTensor> tensors,
               const std::map<std::string, std::string>& metadata) {
    std::vector<StoredSpec> specs;
    for (const GgufTensor& tensor : tensors)
        specs.push_back({tensor.name, tensor.type, tensor.shape});
    std::string bytes = ggufHead(specs, metadata);
    for (const GgufTensor& tensor : tensors) {
        bytes.resize(padded(bytes.size()));
        bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
    writeFileAtomically(file, bytes);
}

}  // namespace meshreel
