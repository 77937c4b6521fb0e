// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace meshreel {

enum class ByteOrder : std::uint8_t { Little, Big };

/// Reads bytes safely past the end: missing ones are absent.
class FileBytes {
  public:
    explicit FileBytes(std::string_view bytes, ByteOrder order = ByteOrder::Big)
        : m_bytes(bytes), m_order(order) {}

    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }
    [[nodiscard]] bool has(std::size_t offset, std::string_view text) const {
        return offset <= m_bytes.size() && m_bytes.substr(offset).starts_with(text);
    }
    [[nodiscard]] std::string_view part(std::size_t offset, std::size_t count) const {
        return offset > m_bytes.size() ? std::string_view() : m_bytes.substr(offset, count);
    }
    /// Returns a number of 1 to 4 bytes.
    [[nodiscard]] std::optional<std::size_t> number(std::size_t offset, std::size_t count) const {
        const std::string_view digits = part(offset, count);
        if (digits.size() != count)
            return std::nullopt;
        std::size_t value = 0;
        for (std::size_t index = 0; index < count; ++index)
            value = value << 8U |
                    static_cast<unsigned char>(digits[m_order == ByteOrder::Big ? index : count - 1 - index]);
        return value;
    }

  private:
    std::string_view m_bytes;
    ByteOrder m_order;
};

}  // namespace meshreel
