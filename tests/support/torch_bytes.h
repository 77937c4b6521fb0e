// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel::testing {

/// A zip archive of files that are stored as they are.
class ZipBytes {
  public:
    ZipBytes& file(std::string_view name, std::string_view content, std::uint16_t method = 0) {
        const std::uint64_t offset = m_bytes.size();
        m_bytes += "PK\x03\x04";
        header(m_bytes, name, content.size(), method);
        m_bytes += name;
        m_bytes += content;
        entry(name, content.size(), offset, method);
        return *this;
    }

    /// A line of the directory for what may not be there.
    ZipBytes& entry(std::string_view name, std::size_t size, std::uint64_t offset, std::uint16_t method = 0) {
        m_directory += "PK\x01\x02";
        number<std::uint16_t>(m_directory, 20);
        header(m_directory, name, size, method);
        m_directory.append(10, '\0');  // comment, disk, attributes
        number(m_directory, static_cast<std::uint32_t>(offset));
        m_directory += name;
        ++m_entries;
        return *this;
    }

    [[nodiscard]] std::string bytes() const {
        std::string all = m_bytes + m_directory + std::string("PK\x05\x06\0\0\0\0", 8);
        number(all, m_entries);
        number(all, m_entries);
        number(all, static_cast<std::uint32_t>(m_directory.size()));
        number(all, static_cast<std::uint32_t>(m_bytes.size()));
        number<std::uint16_t>(all, 0);
        return all;
    }

    /// The same with a zip64 end record, and nothing but its mark in the old one.
    [[nodiscard]] std::string bytes64() const {
        std::string all = m_bytes + m_directory;
        const std::uint64_t end = all.size();
        all += "PK\x06\x06";
        number<std::uint64_t>(all, 44);
        all.append(12, '\0');
        number<std::uint64_t>(all, m_entries);
        number<std::uint64_t>(all, m_entries);
        number<std::uint64_t>(all, m_directory.size());
        number<std::uint64_t>(all, m_bytes.size());
        all += std::string("PK\x06\x07\0\0\0\0", 8);
        number(all, end);
        number<std::uint32_t>(all, 1);
        all += std::string("PK\x05\x06\0\0\0\0", 8) + std::string(12, '\xFF') + std::string(2, '\0');
        return all;
    }

  private:
    template <typename T>
    static void number(std::string& to, T value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }

    static void header(std::string& to, std::string_view name, std::size_t size, std::uint16_t method) {
        number<std::uint16_t>(to, 20);
        number<std::uint16_t>(to, 0);
        number(to, method);
        to.append(8, '\0');  // time, checksum: not looked at
        number(to, static_cast<std::uint32_t>(size));
        number(to, static_cast<std::uint32_t>(size));
        number(to, static_cast<std::uint16_t>(name.size()));
        number<std::uint16_t>(to, 0);
    }

    std::string m_bytes;
    std::string m_directory;
    std::uint16_t m_entries = 0;
};

/// Pickles of protocol 2, as torch.save() writes them.
namespace pickle {

inline std::string text(std::string_view value) {
    std::string bytes = "X";
    const auto size = static_cast<std::uint32_t>(value.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
    return bytes += value;
}

inline std::string integer(std::int64_t value) {
    std::string bytes = "\x8A\x08";
    return bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string tuple(const std::vector<std::int64_t>& values) {
    std::string bytes = "(";
    for (const std::int64_t value : values)
        bytes += integer(value);
    return bytes + "t";
}

inline std::string global(std::string_view module, std::string_view name) {
    return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

/// torch._utils._rebuild_tensor_v2 of storage data/KEY.
inline std::string tensor(std::string_view storageClass, std::string_view key, std::int64_t storageElements,
                          std::int64_t offset, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& strides) {
    return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") +
           global("torch", storageClass) + text(key) + text("cpu") + integer(storageElements) + "tQ" +
           integer(offset) + tuple(shape) + tuple(strides) + "\x89" + global("collections", "OrderedDict") +
           ")RtR";
}

inline std::string dictionary(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string bytes = "}(";
    for (const auto& [key, value] : items)
        bytes += text(key) + value;
    return bytes + "u";
}

inline std::string whole(const std::string& value) {
    return "\x80\x02" + value + ".";
}

}  // namespace pickle

inline std::vector<std::int64_t> rowMajorStrides(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.rank());
    std::int64_t next = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0; next *= shape[axis])
        strides[axis] = next;
    return strides;
}

inline std::string_view storageClassOf(DType type) {
    switch (type) {
        case DType::F16:
            return "HalfStorage";
        case DType::BF16:
            return "BFloat16Storage";
        case DType::I64:
            return "LongStorage";
        default:
            return "FloatStorage";
    }
}

/// What torch.save({name: tensor, …}) writes.
inline std::string torchBytes(std::span<const std::pair<std::string, Tensor>> tensors) {
    ZipBytes zip;
    std::vector<std::pair<std::string, std::string>> items;
    for (const auto& [name, tensor] : tensors) {
        const std::string key = std::to_string(items.size());
        const auto extents = tensor.shape().extents();
        items.emplace_back(name,
                           pickle::tensor(storageClassOf(tensor.dtype()), key, tensor.elements(), 0,
                                          {extents.begin(), extents.end()}, rowMajorStrides(tensor.shape())));
        zip.file("archive/data/" + key, {reinterpret_cast<const char*>(tensor.raw()), tensor.bytes()});
    }
    zip.file("archive/data.pkl", pickle::whole(pickle::dictionary(items)));
    zip.file("archive/byteorder", "little").file("archive/version", "3\n");
    return zip.bytes();
}

}  // namespace meshreel::testing
