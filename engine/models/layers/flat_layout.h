// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Where tensors lie in one buffer of bytes, each on a cache line of its own; and how devices share the
/// buffer out in equal parts.
class FlatLayout {
  public:
    struct Entry {
        std::string name;
        Shape shape;
        DType type = DType::F32;
        std::int64_t offset = 0;  ///< of the first byte

        [[nodiscard]] std::int64_t bytes() const {
            return shape.elements() * static_cast<std::int64_t>(sizeOf(type));
        }
    };

    /// Behind those before.
    void add(std::string name, Shape shape, DType type = DType::F32);

    [[nodiscard]] std::span<const Entry> entries() const { return m_entries; }

    /// Bytes of the tensors themselves, without gaps between them.
    [[nodiscard]] std::int64_t tensorBytes() const { return m_tensorBytes; }

    /// Bytes of each of `parts` parts of the buffer, the same for all: the last is padded. Parts begin and
    /// end between cache lines.
    [[nodiscard]] std::int64_t shardBytes(int parts) const;

  private:
    std::vector<Entry> m_entries;
    std::int64_t m_tensorBytes = 0;
    std::int64_t m_end = 0;
};

}  // namespace meshreel
