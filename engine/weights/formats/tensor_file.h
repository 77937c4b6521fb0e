// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

/// A tensor of a file, without its values.
struct TensorSpec {
    std::string name;
    DType dtype = DType::F32;
    Shape shape;

    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(shape.elements()) * byteSize(dtype);
    }
};

/// Reads little-endian values one after another from bytes that may be hostile: nothing after their end.
class ByteReader {
  public:
    /// Throws Error{Input} with `where` when the bytes end too early.
    ByteReader(std::span<const std::byte> bytes, std::string where)
        : m_bytes(bytes), m_where(std::move(where)) {}

    [[nodiscard]] std::size_t position() const { return m_position; }
    [[nodiscard]] std::size_t left() const { return m_bytes.size() - m_position; }
    [[nodiscard]] const std::string& where() const { return m_where; }

    /// Throws Error{Input} for a place after the end.
    void moveTo(std::uint64_t position);

    template <typename T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }

    std::string_view text(std::uint64_t length) {
        const auto bytes = take(length);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::span<const std::byte> take(std::uint64_t length);

    /// Throws Error{Input}: MESSAGE, at this reader's place.
    [[noreturn]] void fail(Sentence message) const;

  private:
    std::span<const std::byte> m_bytes;
    std::string m_where;
    std::size_t m_position = 0;
};

/// One tensor of a file's directory. Readers check it: begin <= end <= size of the file, and the bytes are as
/// many as type and shape need.
struct FileTensor {
    std::string name;
    Shape shape;
    StoredType type = StoredType::Other;
    std::string typeName;   ///< in the file's spelling
    std::size_t begin = 0;  ///< bytes from the start of the file
    std::size_t end = 0;
    std::vector<std::int64_t> strides{};  ///< in elements; empty for row-major order
};

/// What a reader finds in a file without looking at the elements.
struct TensorDirectory {
    std::string format;               ///< "safetensors", "GGUF", "PyTorch"
    std::vector<FileTensor> tensors;  ///< sorted by name, each name once
    std::map<std::string, std::string> metadata;
};

/// A file of named tensors mapped into memory, whatever its format. Tensors handed out keep the map alive.
class TensorFile {
  public:
    /// Reads the directory of a safetensors, GGUF or PyTorch (.pth, .pt, .bin, .ckpt) file; which it is says
    /// its first bytes. Throws Error{Input} for other files and damaged ones.
    static TensorFile open(const std::filesystem::path& file);

    [[nodiscard]] const std::filesystem::path& path() const { return m_map->path(); }
    [[nodiscard]] const std::string& format() const { return m_directory.format; }
    [[nodiscard]] const std::vector<FileTensor>& tensors() const { return m_directory.tensors; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_directory.metadata; }

    /// nullptr when there is none of that name.
    [[nodiscard]] const FileTensor* find(std::string_view name) const;

    /// Returns a read-only view into the map if the elements can be used as stored, otherwise a copy; packed
    /// types are unpacked to f32. `tensor` is one of tensors(). Throws Error{Input} for a type that Meshreel
    /// cannot compute with, for a BOOL that is neither 0 nor 1, and when the file shrank.
    [[nodiscard]] Tensor read(const FileTensor& tensor) const;

    /// Returns rows [first, first + count) of the outermost axis, in the same way: unpacks only their blocks.
    [[nodiscard]] Tensor readRows(const FileTensor& tensor, std::int64_t first, std::int64_t count) const;

    [[nodiscard]] std::size_t fileBytes() const { return m_map->bytes().size(); }

    /// Returns the bytes that describe the tensors: those before the data, in a PyTorch archive those after
    /// it.
    [[nodiscard]] std::span<const std::byte> headerBytes() const;

    /// MappedFile::prefetch and MappedFile::release of a tensor's bytes.
    void prefetch(const FileTensor& tensor) const { m_map->prefetch(bytes(tensor)); }
    void release(const FileTensor& tensor) const { m_map->release(bytes(tensor)); }

    /// Returns the bytes of a tensor as the file holds them.
    [[nodiscard]] std::span<const std::byte> bytes(const FileTensor& tensor) const;

  private:
    [[nodiscard]] Tensor readStrided(const FileTensor& tensor, std::int64_t first, const Shape& shape) const;

    TensorFile(std::shared_ptr<const MappedFile> map, TensorDirectory directory)
        : m_map(std::move(map)), m_directory(std::move(directory)) {}

    std::shared_ptr<const MappedFile> m_map;
    TensorDirectory m_directory;
};

/// Returns whether a file of this name may be one that TensorFile opens.
bool hasTensorFileName(const std::filesystem::path& file);

}  // namespace meshreel
