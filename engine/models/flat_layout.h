// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/shape.h"

namespace meshreel {

/// Where f32 tensors lie in one buffer, each on a cache line of its own; and how devices share the buffer out
/// in equal parts.
class FlatLayout {
  public:
    struct Entry {
        std::string name;
        Shape shape;
        std::int64_t offset = 0;  ///< of the first element
    };

    /// Behind those before.
    void add(std::string name, Shape shape);

    [[nodiscard]] std::span<const Entry> entries() const { return m_entries; }

    /// Elements of the tensors themselves, without gaps between them.
    [[nodiscard]] std::int64_t tensorElements() const { return m_tensorElements; }

    /// Elements of each of `parts` parts of the buffer, the same for all: the last is padded.
    [[nodiscard]] std::int64_t shardElements(int parts) const;

  private:
    std::vector<Entry> m_entries;
    std::int64_t m_tensorElements = 0;
    std::int64_t m_end = 0;
};

}  // namespace meshreel
