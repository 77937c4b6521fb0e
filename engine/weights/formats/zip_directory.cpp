// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/zip_directory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/excerpt.h"
#include "engine/weights/formats/byte_reader.h"

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

struct Directory {
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
        const Directory directory = findDirectory();
        m_reader.moveTo(directory.begin);
        if (directory.entries > m_reader.left() / centralBytes)
            m_reader.fail(
                sentence("the archive says it holds {} files, more than fit into it", directory.entries));
        std::vector<CentralEntry> central;
        for (std::uint64_t i = 0; i < directory.entries; ++i)
            central.push_back(readCentral());
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

    Directory findDirectory() {
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
        return is64 ? findDirectory64(end) : Directory{entries, begin};
    }

    Directory findDirectory64(std::size_t end) {
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

}  // namespace

bool isZip(std::span<const std::byte> bytes) {
    return bytes.size() >= localMagic.size() &&
           std::string_view(reinterpret_cast<const char*>(bytes.data()), localMagic.size()) == localMagic;
}

std::vector<ZipEntry> readZipDirectory(std::span<const std::byte> bytes, const std::string& file) {
    return ArchiveReader(bytes, file).read();
}

}  // namespace meshreel
