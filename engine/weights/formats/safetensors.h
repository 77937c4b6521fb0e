// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

/// One tensor of a safetensors file, checked: begin <= end <= size of the file, and end - begin is what dtype
/// and shape need (for the dtypes whose size is known).
struct SafetensorsEntry {
    std::string name;
    std::string dtype;  ///< in the file's spelling; may be one that Meshreel cannot read
    Shape shape;
    std::size_t begin = 0;  ///< bytes from the start of the file
    std::size_t end = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  ///< sorted by name
    std::map<std::string, std::string> metadata;
};

/// Bytes in front of the header: its length, little endian.
inline constexpr std::size_t safetensorsLengthBytes = 8;

/// Reads and checks the header of a whole safetensors file: 8 bytes of length, a JSON object {name: {dtype,
/// shape, data_offsets}, "__metadata__": {text: text}}, then data without holes or overlaps up to the end of
/// the file. Throws Error{Input} whose `where` starts with `file` and, where one is at fault, names the
/// tensor.
SafetensorsHeader parseSafetensorsHeader(std::span<const std::byte> bytes, const std::string& file);

/// Returns nothing for a dtype that Meshreel cannot compute with.
std::optional<DType> dtypeFromSafetensors(std::string_view name);

/// "FILE, tensor 'NAME'", NAME cut to a readable length: the `where` of errors about one tensor.
std::string tensorPlace(std::string_view file, std::string_view tensor);

using SafetensorsMetadata = std::map<std::string, std::string>;

/// A safetensors file mapped into memory. Tensors handed out keep the map alive, so they may outlive this
/// object.
class SafetensorsFile {
  public:
    /// Checks the whole header (see parseSafetensorsHeader). Throws Error{Input}.
    static SafetensorsFile open(const std::filesystem::path& file);

    [[nodiscard]] const std::filesystem::path& path() const { return m_map->path(); }
    [[nodiscard]] const SafetensorsMetadata& metadata() const { return m_header.metadata; }

    [[nodiscard]] std::size_t fileBytes() const { return m_map->bytes().size(); }

    /// Returns the length and the JSON in front of the data.
    [[nodiscard]] std::span<const std::byte> headerBytes() const;

    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

    /// Shape, dtype and place in the file; nullptr when there is none of that name.
    [[nodiscard]] const SafetensorsEntry* find(std::string_view name) const;

    /// Returns a read-only view into the map (a copy where the file does not align the data to its type;
    /// never write through it). Throws Error{Input} for a missing name (with the nearest one) or a dtype that
    /// Meshreel cannot read.
    [[nodiscard]] Tensor get(std::string_view name) const;

    /// Returns the tensor, whose shape must be `expected`; otherwise throws Error{Input} with both shapes.
    [[nodiscard]] Tensor get(std::string_view name, const Shape& expected) const;

    /// Throws what get(name, expected) throws for a tensor that is missing or of another shape; reads
    /// nothing.
    void require(std::string_view name, const Shape& expected) const;

    /// MappedFile::prefetch and MappedFile::release of a tensor's bytes; nothing for a name that is not
    /// there.
    void prefetch(std::string_view name) const;
    void release(std::string_view name) const;

  private:
    [[nodiscard]] std::span<const std::byte> tensorData(const SafetensorsEntry& entry) const {
        return m_map->bytes().subspan(entry.begin, entry.end - entry.begin);
    }

    SafetensorsFile(std::shared_ptr<const MappedFile> map, SafetensorsHeader header)
        : m_map(std::move(map)), m_header(std::move(header)) {}

    std::shared_ptr<const MappedFile> m_map;
    SafetensorsHeader m_header;
};

using NamedTensor = std::pair<std::string, Tensor>;

/// Writes the file atomically. The bytes depend only on the arguments: tensors are in order of falling
/// alignment, then name, as the reference implementation writes them. Throws Error{Internal} for a name given
/// twice, and what writeFileAtomically() throws.
void writeSafetensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                      const SafetensorsMetadata& metadata = {});

}  // namespace meshreel
