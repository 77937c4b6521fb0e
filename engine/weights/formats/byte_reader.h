// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {

/// Reads little-endian values one after another from bytes that may be hostile: nothing behind their end.
class ByteReader {
  public:
    /// `where` is told when the bytes end too early (Error{Input}).
    ByteReader(std::span<const std::byte> bytes, std::string where)
        : m_bytes(bytes), m_where(std::move(where)) {}

    [[nodiscard]] std::size_t position() const { return m_position; }
    [[nodiscard]] std::size_t left() const { return m_bytes.size() - m_position; }
    [[nodiscard]] const std::string& where() const { return m_where; }

    /// Throws Error{Input} for a place behind the end.
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

}  // namespace meshreel
