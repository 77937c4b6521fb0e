// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/torch_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/pickle.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

constexpr std::string_view localMagic = "PK\x03\x04";
constexpr std::string_view centralMagic = "PK\x01\x02";
constexpr std::string_view endMagic = "PK\x05\x06";
constexpr std::string_view end64Magic = "PK\x06\x06";
constexpr std::string_view locator64Magic = "PK\x06\x07";
constexpr std::size_t endBytes = 22;
constexpr std::size_t locator64Bytes = 20;
constexpr std::size_t localBytes = 30;
constexpr std::size_t centralBytes = 46;
constexpr std::size_t longestComment = 0xFFFF;
constexpr std::uint32_t inZip64 = 0xFFFFFFFF;  // the value stands in the zip64 field instead
constexpr std::uint16_t countInZip64 = 0xFFFF;
constexpr std::uint16_t zip64Field = 1;
constexpr std::uint16_t storedMethod = 0;
constexpr std::uint16_t encryptedFlag = 1;

/// A file inside a zip archive that lies there uncompressed.
struct ZipEntry {
    std::string name;
    std::size_t begin = 0;  ///< bytes from the start of the archive
    std::size_t end = 0;
};

struct ZipDirectory {
    std::uint64_t entries = 0;
    std::uint64_t begin = 0;
};

struct CentralEntry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t localHeader = 0;
};

class ArchiveReader {
  public:
    ArchiveReader(std::span<const std::byte> bytes, const std::string& file)
        : m_bytes(bytes), m_reader(bytes, file) {}

    std::vector<ZipEntry> read() {
        const ZipDirectory directory = findDirectory();
        requireWithin(Limit::Tensors, directory.entries, m_reader.where());
        m_reader.moveTo(directory.begin);
        if (directory.entries > m_reader.left() / centralBytes)
            m_reader.fail(
                sentence("the archive says it holds {} files, more than fit into it", directory.entries));
        std::vector<CentralEntry> central;
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            central.push_back(readCentral());
            requireWithin(Limit::TorchDirectory, m_reader.position() - directory.begin, m_reader.where());
        }
        std::vector<ZipEntry> entries;
        for (CentralEntry& entry : central)
            if (!entry.name.ends_with('/'))
                entries.push_back(place(std::move(entry)));
        requireDisjoint(entries);
        return entries;
    }

  private:
    [[nodiscard]] std::string_view textAt(std::size_t position, std::size_t length) const {
        return {reinterpret_cast<const char*>(m_bytes.data()) + position, length};
    }

    void requireMagic(std::string_view magic, Sentence otherwise) {
        if (m_reader.text(magic.size()) != magic)
            m_reader.fail(std::move(otherwise));
    }

    /// The end record is the last thing of the archive but for a comment.
    std::size_t findEnd() {
        if (m_bytes.size() < endBytes)
            m_reader.fail(sentence("the archive is too short"));
        const std::size_t last = m_bytes.size() - endBytes;
        const std::size_t first = last - std::min(last, longestComment);
        for (std::size_t at = last + 1; at-- > first;)
            if (textAt(at, endMagic.size()) == endMagic)
                return at;
        m_reader.fail(sentence("the archive has no directory (truncated)"));
    }

    ZipDirectory findDirectory() {
        const std::size_t end = findEnd();
        m_reader.moveTo(end + endMagic.size());
        const auto disk = m_reader.number<std::uint16_t>();
        const auto directoryDisk = m_reader.number<std::uint16_t>();
        m_reader.number<std::uint16_t>();  // entries on this disk
        const auto entries = m_reader.number<std::uint16_t>();
        m_reader.number<std::uint32_t>();  // bytes of the directory
        const auto begin = m_reader.number<std::uint32_t>();
        const bool is64 = entries == countInZip64 || begin == inZip64;
        if (!is64 && (disk != 0 || directoryDisk != 0))
            m_reader.fail(sentence("the archive is one of several parts"));
        return is64 ? findDirectory64(end) : ZipDirectory{entries, begin};
    }

    ZipDirectory findDirectory64(std::size_t end) {
        if (end < locator64Bytes)
            m_reader.fail(sentence("the zip64 archive is too short"));
        m_reader.moveTo(end - locator64Bytes);
        requireMagic(locator64Magic, sentence("the archive has no zip64 locator where it should be"));
        m_reader.number<std::uint32_t>();  // disk
        m_reader.moveTo(m_reader.number<std::uint64_t>());
        requireMagic(end64Magic, sentence("the archive has no zip64 end record where it should be"));
        constexpr std::uint64_t skipped =
            8 + 2 + 2 + 4 + 4 + 8;  // size, versions, disks, entries on this disk
        m_reader.take(skipped);
        const auto entries = m_reader.number<std::uint64_t>();
        m_reader.number<std::uint64_t>();  // bytes of the directory
        return {entries, m_reader.number<std::uint64_t>()};
    }

    CentralEntry readCentral() {
        requireMagic(centralMagic, sentence("the archive has no directory entry where it should be"));
        m_reader.take(4);  // versions
        const auto flags = m_reader.number<std::uint16_t>();
        const auto method = m_reader.number<std::uint16_t>();
        m_reader.take(4 + 4);  // time, checksum
        const auto packed = m_reader.number<std::uint32_t>();
        const auto size = m_reader.number<std::uint32_t>();
        const auto nameLength = m_reader.number<std::uint16_t>();
        const auto extraLength = m_reader.number<std::uint16_t>();
        const auto commentLength = m_reader.number<std::uint16_t>();
        m_reader.take(2 + 2 + 4);  // disk, attributes
        const auto local = m_reader.number<std::uint32_t>();
        requireWithin(Limit::TensorName, nameLength, m_reader.where());
        CentralEntry entry{
            .name = std::string(m_reader.text(nameLength)), .size = size, .localHeader = local};
        std::uint64_t packed64 = packed;
        readZip64(m_reader.take(extraLength), entry, packed64);
        m_reader.take(commentLength);
        const bool encrypted = (flags & encryptedFlag) != 0;
        if (encrypted || method != storedMethod || packed64 != entry.size)
            throw Error(
                ErrorKind::Input,
                encrypted ? sentence("'{}' is encrypted in the archive", excerpt(entry.name))
                          : sentence("'{}' is compressed in the archive", excerpt(entry.name)),
                m_reader.where(),
                sentence("PyTorch stores weights uncompressed: get the original file, or unpack and pack it "
                         "without compression"));
        return entry;
    }

    /// Values that do not fit 32 bits follow one another in the field of number 1.
    void readZip64(std::span<const std::byte> extra, CentralEntry& entry, std::uint64_t& packed) const {
        ByteReader fields(extra, m_reader.where());
        while (fields.left() >= 4) {
            const auto number = fields.number<std::uint16_t>();
            ByteReader field(fields.take(fields.number<std::uint16_t>()), m_reader.where());
            if (number != zip64Field)
                continue;
            for (std::uint64_t* value : {&entry.size, &packed, &entry.localHeader})
                if (*value == inZip64)
                    *value = field.number<std::uint64_t>();
        }
    }

    ZipEntry place(CentralEntry entry) {
        if (entry.localHeader > m_bytes.size() || m_bytes.size() - entry.localHeader < localBytes)
            m_reader.fail(
                sentence("'{}' lies behind the end of the archive (truncated)", excerpt(entry.name)));
        m_reader.moveTo(entry.localHeader);
        requireMagic(localMagic, sentence("the archive has no file header where it should be"));
        constexpr std::uint64_t untilName = localBytes - localMagic.size() - 4;
        m_reader.take(untilName);
        const auto nameLength = m_reader.number<std::uint16_t>();
        const auto extraLength = m_reader.number<std::uint16_t>();
        if (m_reader.text(nameLength) != entry.name)
            m_reader.fail(sentence("'{}' has another name in its own header", excerpt(entry.name)));
        m_reader.take(extraLength);
        const std::size_t begin = m_reader.position();
        m_reader.take(entry.size);
        return {std::move(entry.name), begin, m_reader.position()};
    }

    void requireDisjoint(std::vector<ZipEntry>& entries) const {
        std::ranges::sort(entries, {}, &ZipEntry::begin);
        for (std::size_t i = 1; i < entries.size(); ++i)
            if (entries[i].begin < entries[i - 1].end + localBytes)
                m_reader.fail(sentence("'{}' and '{}' overlap in the archive", excerpt(entries[i - 1].name),
                                       excerpt(entries[i].name)));
        std::ranges::sort(entries, {}, &ZipEntry::name);
        const auto twice = std::ranges::adjacent_find(entries, {}, &ZipEntry::name);
        if (twice != entries.end())
            m_reader.fail(sentence("'{}' is in the archive twice", excerpt(twice->name)));
    }

    std::span<const std::byte> m_bytes;
    ByteReader m_reader;
};

/// Whether the bytes start as a zip archive does.
bool isZip(std::span<const std::byte> bytes) {
    return bytes.size() >= localMagic.size() &&
           std::string_view(reinterpret_cast<const char*>(bytes.data()), localMagic.size()) == localMagic;
}

/// The files of a zip or zip64 archive, sorted by name. Nothing is unpacked: archives with compressed or
/// encrypted entries, with entries that overlap or are given twice, and archives in several parts are
/// refused. Throws Error{Input} at `file`.
std::vector<ZipEntry> readZipDirectory(std::span<const std::byte> bytes, const std::string& file) {
    return ArchiveReader(bytes, file).read();
}

using Kind = Pickle::Kind;
using Node = Pickle::Node;

/// The number that PyTorch wrote in front of its old form, as the pickle of a Python long.
constexpr std::string_view oldFormStart = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

struct TorchType {
    std::string_view storage;  ///< class of a typed storage; empty without one
    std::string_view dtype;
    StoredType type;
    std::string_view name = {};  ///< for a type that is not read, in safetensors' spelling
    std::size_t bytes = 0;       ///< of its elements
};
constexpr std::array torchTypes = {
    TorchType{"torch.DoubleStorage", "torch.float64", StoredType::F64},
    TorchType{"torch.FloatStorage", "torch.float32", StoredType::F32},
    TorchType{"torch.HalfStorage", "torch.float16", StoredType::F16},
    TorchType{"torch.BFloat16Storage", "torch.bfloat16", StoredType::BF16},
    TorchType{"torch.LongStorage", "torch.int64", StoredType::I64},
    TorchType{"torch.IntStorage", "torch.int32", StoredType::I32},
    TorchType{"torch.ByteStorage", "torch.uint8", StoredType::U8},
    TorchType{"torch.BoolStorage", "torch.bool", StoredType::Bool},
    TorchType{"torch.Float8_e4m3fnStorage", "torch.float8_e4m3fn", StoredType::F8E4M3},
    TorchType{"torch.Float8_e5m2Storage", "torch.float8_e5m2", StoredType::F8E5M2},
    TorchType{"torch.CharStorage", "torch.int8", StoredType::I8},
    TorchType{"torch.ShortStorage", "torch.int16", StoredType::Other, "I16", 2},
    TorchType{"torch.QInt8Storage", "torch.qint8", StoredType::Other, "QINT8", 1},
    TorchType{"torch.QUInt8Storage", "torch.quint8", StoredType::Other, "QUINT8", 1},
    TorchType{"torch.QInt32Storage", "torch.qint32", StoredType::Other, "QINT32", 4},
    TorchType{"torch.ComplexFloatStorage", "torch.complex64", StoredType::Other, "C64", 8},
    TorchType{"torch.ComplexDoubleStorage", "torch.complex128", StoredType::Other, "C128", 16},
    TorchType{"", "torch.uint16", StoredType::Other, "U16", 2},
    TorchType{"", "torch.uint32", StoredType::Other, "U32", 4},
    TorchType{"", "torch.uint64", StoredType::Other, "U64", 8},
    TorchType{"", "torch.float8_e4m3fnuz", StoredType::Other, "F8_E4M3FNUZ", 1},
    TorchType{"", "torch.float8_e5m2fnuz", StoredType::Other, "F8_E5M2FNUZ", 1},
    TorchType{"", "torch.float8_e8m0fnu", StoredType::Other, "F8_E8M0", 1},
    TorchType{"", "torch.float4_e2m1fn_x2", StoredType::Other, "F4", 1},
};
constexpr std::array untypedStorages = {std::string_view("torch.UntypedStorage"),
                                        std::string_view("torch.storage.UntypedStorage")};

constexpr std::string_view rebuildTensor = "torch._utils._rebuild_tensor";
constexpr std::string_view rebuildTensor2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuildTensor3 = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view rebuildParameter = "torch._utils._rebuild_parameter";
/// Its arguments begin like those of rebuildTensor2.
constexpr std::string_view rebuildQuantised = "torch._utils._rebuild_qtensor";
/// PyTorch's own functions that make tensors; those that are not named above are not read.
constexpr std::string_view rebuildPrefix = "torch._utils._rebuild_";
constexpr std::array plainGlobals = {std::string_view("collections.OrderedDict"),
                                     std::string_view("torch.per_tensor_affine"),
                                     std::string_view("torch.per_channel_affine"),
                                     std::string_view("torch.Size"),
                                     std::string_view("torch.device"),
                                     std::string_view("torch.serialization._get_layout")};

constexpr std::array readFunctions = {rebuildTensor, rebuildTensor2, rebuildTensor3, rebuildQuantised};

/// Where a training script keeps the weights beside other things.
/// Where averages stand beside what they average, people use the averages.
constexpr std::array containerKeys = {std::string_view("state_dict"), std::string_view("ema"),
                                      std::string_view("model_ema"),  std::string_view("generator_ema"),
                                      std::string_view("generator"),  std::string_view("model"),
                                      std::string_view("module"),     std::string_view("model_state_dict"),
                                      std::string_view("params_ema"), std::string_view("params")};

bool isAllowed(std::string_view global) {
    return global.starts_with(rebuildPrefix) ||
           std::ranges::find(plainGlobals, global) != plainGlobals.end() ||
           std::ranges::find(untypedStorages, global) != untypedStorages.end() ||
           std::ranges::any_of(torchTypes, [global](const TorchType& type) {
               return type.storage == global || type.dtype == global;
           });
}

[[noreturn]] void refuseTorchFile(const std::string& where, Sentence message) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("The file is damaged or no checkpoint: get it again, or as safetensors"));
}

/// The files of the archive lie in one folder named as the saved file was.
class Archive {
  public:
    Archive(std::span<const std::byte> bytes, const std::string& file)
        : m_bytes(bytes), m_file(file), m_entries(readZipDirectory(bytes, file)) {
        for (const ZipEntry& entry : m_entries)
            if (entry.name.ends_with("/data.pkl"))
                m_folder = entry.name.substr(0, entry.name.size() - std::string_view("data.pkl").size());
        if (m_folder.empty())
            refuseTorchFile(file, sentence("the archive holds no data.pkl: it is not a PyTorch checkpoint"));
    }

    [[nodiscard]] const ZipEntry* find(const std::string& name) const {
        const auto found = std::ranges::lower_bound(m_entries, m_folder + name, {}, &ZipEntry::name);
        return found == m_entries.end() || found->name != m_folder + name ? nullptr : &*found;
    }

    [[nodiscard]] std::span<const std::byte> bytes(const ZipEntry& entry) const {
        return m_bytes.subspan(entry.begin, entry.end - entry.begin);
    }

    [[nodiscard]] std::span<const std::byte> pickle() const {
        const auto bytes = this->bytes(*find("data.pkl"));
        requireWithin(Limit::TorchPickle, bytes.size(), m_file);
        return bytes;
    }

    void requireLittleEndian() const {
        const ZipEntry* order = find("byteorder");
        if (order == nullptr)
            return;
        const auto text = bytes(*order);
        if (std::string_view(reinterpret_cast<const char*>(text.data()), text.size()) != "little")
            refuseTorchFile(m_file, sentence("its numbers are not little-endian"));
    }

  private:
    std::span<const std::byte> m_bytes;
    std::string m_file;
    std::vector<ZipEntry> m_entries;
    std::string m_folder;
};

/// A row of the table, as far as tensors need it.
struct ElementType {
    StoredType type = StoredType::U8;
    std::string_view name;
    std::size_t bytes = 1;
};

struct Storage {
    ElementType element;
    bool typed = true;
    const ZipEntry* entry = nullptr;
};

class StateReader {
  public:
    StateReader(const Archive& archive, Pickle pickle, std::string file)
        : m_archive(archive), m_pickle(std::move(pickle)), m_file(std::move(file)) {}

    std::vector<FileTensor> read() {
        const Node* state = &m_pickle.node(m_pickle.root);
        requireDict(*state);
        if (!holdsTensors(*state))
            for (const std::string_view key : containerKeys)
                if (const Node* inner = value(*state, key);
                    inner != nullptr && inner->kind == Kind::Dict && holdsTensors(*inner)) {
                    state = inner;
                    break;
                }
        std::vector<FileTensor> tensors;
        forEachItem(*state, [&](const Node& key, const Node& item) {
            if (key.kind != Kind::Text || !isTensor(item))
                return;
            // One text and one tensor may stand for any number of both.
            requireWithin(Limit::TensorName, key.text.size(), m_file);
            requireWithin(Limit::Tensors, tensors.size() + 1, m_file);
            tensors.push_back(readTensor(key.text, item));
        });
        if (tensors.empty())
            refuseTorchFile(m_file, sentence("its pickle holds no tensors by name"));
        std::ranges::sort(tensors, {}, &FileTensor::name);
        const auto twice = std::ranges::adjacent_find(tensors, {}, &FileTensor::name);
        if (twice != tensors.end())
            refuseTorchFile(tensorPlace(m_file, twice->name), sentence("it is given twice"));
        return tensors;
    }

  private:
    void requireDict(const Node& node) const {
        if (node.kind != Kind::Dict)
            refuseTorchFile(m_file, sentence("its pickle is not a dictionary of tensors"));
    }

    template <typename Use>
    void forEachItem(const Node& dict, const Use& use) const {
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2)
            use(m_pickle.node(dict.items[i]), m_pickle.node(dict.items[i + 1]));
    }

    [[nodiscard]] const Node* value(const Node& dict, std::string_view name) const {
        const Node* found = nullptr;
        forEachItem(dict, [&](const Node& key, const Node& item) {
            if (key.kind == Kind::Text && key.text == name)
                found = &item;
        });
        return found;
    }

    [[nodiscard]] bool holdsTensors(const Node& dict) const {
        bool holds = false;
        forEachItem(dict, [&](const Node&, const Node& item) { holds = holds || isTensor(item); });
        return holds;
    }

    [[nodiscard]] std::string_view calledName(const Node& call) const {
        return m_pickle.node(call.items[0]).text;
    }

    [[nodiscard]] bool isTensor(const Node& node) const {
        return node.kind == Kind::Call && calledName(node).starts_with(rebuildPrefix);
    }

    [[nodiscard]] const Node& argument(const Node& call, std::size_t index, Kind kind,
                                       const std::string& where) const {
        const Node& arguments = m_pickle.node(call.items[1]);
        if (index >= arguments.items.size() || m_pickle.node(arguments.items[index]).kind != kind)
            refuseTorchFile(where,
                            sentence("argument {} of {} is not what it should be", index, calledName(call)));
        return m_pickle.node(arguments.items[index]);
    }

    [[nodiscard]] std::vector<std::int64_t> integers(const Node& tuple, const std::string& where) const {
        if (tuple.items.size() > Shape::maxRank)
            refuseTorchFile(
                where, sentence("it has {} axes; at most {} are read", tuple.items.size(), Shape::maxRank));
        std::vector<std::int64_t> values;
        for (const Pickle::Index item : tuple.items) {
            const Node& node = m_pickle.node(item);
            if (node.kind != Kind::Integer || node.integer < 0)
                refuseTorchFile(where, sentence("its shape or strides hold something else than counts"));
            values.push_back(node.integer);
        }
        return values;
    }

    FileTensor readTensor(const std::string& name, const Node& node) const {
        const std::string where = tensorPlace(m_file, name);
        const Node* call = &node;
        if (calledName(*call) == rebuildParameter) {
            call = &argument(*call, 0, Kind::Call, where);
            if (!isTensor(*call) || calledName(*call) == rebuildParameter)
                refuseTorchFile(where, sentence("the parameter holds no tensor"));
        }
        if (std::ranges::find(readFunctions, calledName(*call)) == readFunctions.end())
            throw Error(
                ErrorKind::Input,
                sentence("it is made by {}, which Meshreel does not read", excerpt(calledName(*call))), where,
                useReadableType());
        Storage storage = readStorage(argument(*call, 0, Kind::Persistent, where), where);
        if (calledName(*call) == rebuildTensor3) {
            constexpr std::size_t dtypeArgument = 6;
            storage.element = typeOf(argument(*call, dtypeArgument, Kind::Global, where).text, where);
        } else if (!storage.typed) {
            refuseTorchFile(where, sentence("its storage has no type"));
        }
        const std::int64_t offset = argument(*call, 1, Kind::Integer, where).integer;
        return place({.name = name,
                      .shape = Shape(integers(argument(*call, 2, Kind::Tuple, where), where)),
                      .type = storage.element.type,
                      .typeName = std::string(storage.element.name),
                      .strides = integers(argument(*call, 3, Kind::Tuple, where), where)},
                     storage, offset, where);
    }

    static ElementType typeOf(std::string_view global, const std::string& where) {
        for (const TorchType& row : torchTypes)
            if (row.storage == global || row.dtype == global)
                return row.type == StoredType::Other ? ElementType{row.type, row.name, row.bytes}
                                                     : ElementType{row.type, storedTypeInfo(row.type).name,
                                                                   storedTypeInfo(row.type).blockBytes};
        refuseTorchFile(where, sentence("its type {} is not known", global));
    }

    /// ("storage", class, key, device, number of elements).
    Storage readStorage(const Node& persistent, const std::string& where) const {
        constexpr std::size_t parts = 5;
        const Node& id = m_pickle.node(persistent.items[0]);
        if (id.kind != Kind::Tuple || id.items.size() != parts)
            refuseTorchFile(where, sentence("its storage is not described by five parts"));
        const auto part = [&](std::size_t index, Kind kind) -> const Node& {
            const Node& node = m_pickle.node(id.items[index]);
            if (node.kind != kind)
                refuseTorchFile(
                    where, sentence("part {} of its storage's description is not what it should be", index));
            return node;
        };
        if (part(0, Kind::Text).text != "storage")
            refuseTorchFile(where, sentence("it refers to something else than a storage"));
        Storage storage;
        const std::string& className = part(1, Kind::Global).text;
        storage.typed = std::ranges::find(untypedStorages, className) == untypedStorages.end();
        if (storage.typed)
            storage.element = typeOf(className, where);
        const std::string& key = part(2, Kind::Text).text;
        requireWithin(Limit::TensorName, key.size(), where);
        storage.entry = m_archive.find("data/" + key);
        if (storage.entry == nullptr)
            refuseTorchFile(where, sentence("its storage data/{} is not in the archive", excerpt(key)));
        return storage;
    }

    /// The tensor lies within its storage and has at most as many elements: a few bytes cannot be spread into
    /// an endless tensor by strides of nothing.
    static FileTensor place(FileTensor tensor, const Storage& storage, std::int64_t offset,
                            const std::string& where) {
        const ZipEntry& entry = *storage.entry;
        const std::size_t rank = tensor.shape.rank();
        if (tensor.strides.size() != rank || offset < 0)
            refuseTorchFile(where, sentence("its shape, strides and offset do not fit together"));
        const std::size_t elementBytes = storage.element.bytes;
        const auto held = static_cast<std::int64_t>((entry.end - entry.begin) / elementBytes);
        std::int64_t elements = 1;
        std::int64_t last = offset;
        bool overflow = false;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            std::int64_t reach = 0;
            overflow = overflow || __builtin_mul_overflow(elements, tensor.shape[axis], &elements) ||
                       __builtin_mul_overflow(std::max<std::int64_t>(tensor.shape[axis] - 1, 0),
                                              tensor.strides[axis], &reach) ||
                       __builtin_add_overflow(last, reach, &last);
        }
        if (overflow || elements > held || (elements > 0 && last >= held) || offset > held)
            refuseTorchFile(where,
                            sentence("shape {} at element {} does not lie in its storage of {} elements",
                                     tensor.shape.text(), offset, held));
        tensor.begin = entry.begin + static_cast<std::size_t>(offset) * elementBytes;
        const std::int64_t reached = elements == 0 ? 0 : last - offset + 1;
        tensor.end = tensor.begin + static_cast<std::size_t>(reached) * elementBytes;
        if (isRowMajor(tensor))
            tensor.strides.clear();
        return tensor;
    }

    static bool isRowMajor(const FileTensor& tensor) {
        std::int64_t expected = 1;
        for (std::size_t axis = tensor.shape.rank(); axis-- > 0;) {
            if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected)
                return tensor.shape.elements() == 0;
            expected *= tensor.shape[axis];
        }
        return true;
    }

    const Archive& m_archive;
    Pickle m_pickle;
    std::string m_file;
};

}  // namespace

bool isTorchFile(std::span<const std::byte> bytes) {
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                                 std::min(bytes.size(), oldFormStart.size()));
    return isZip(bytes) || start == oldFormStart;
}

TensorDirectory readTorchDirectory(std::span<const std::byte> bytes, const std::string& file) {
    if (!isZip(bytes))
        throw Error(ErrorKind::Input,
                    sentence("this file is in the form that PyTorch wrote before version 1.6"), file,
                    sentence("Get the weights as safetensors, or load and save them with a newer PyTorch"));
    const Archive archive(bytes, file);
    archive.requireLittleEndian();
    StateReader state(archive, readPickle(archive.pickle(), file + " (data.pkl)", isAllowed), file);
    return {.format = "PyTorch", .tensors = state.read(), .metadata = {}};
}

}  // namespace meshreel
