// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshreel::testing {

/// The pieces of a GGUF file, one after another; tests put them together rightly and wrongly.
class GgufBytes {
  public:
    GgufBytes(std::uint32_t version, std::uint64_t tensors, std::uint64_t values) : m_bytes("GGUF") {
        number(version);
        number(tensors);
        number(values);
    }

    template <typename T>
    GgufBytes& number(T value) {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
        return *this;
    }

    GgufBytes& text(std::string_view value) {
        number<std::uint64_t>(value.size());
        m_bytes += value;
        return *this;
    }

    /// `extents` innermost first, as the file has them.
    GgufBytes& tensor(std::string_view name, std::initializer_list<std::uint64_t> extents, std::uint32_t type,
                      std::uint64_t offset) {
        text(name).number(static_cast<std::uint32_t>(extents.size()));
        for (const std::uint64_t extent : extents)
            number(extent);
        return number(type).number(offset);
    }

    GgufBytes& align(std::size_t alignment = 32) {
        m_bytes.append((alignment - m_bytes.size() % alignment) % alignment, '\0');
        return *this;
    }

    GgufBytes& raw(std::string_view bytes) {
        m_bytes += bytes;
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

}  // namespace meshreel::testing
