// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace meshreel {

/// Extents of a row-major tensor, outermost first. An empty shape is a scalar with one element.
class Shape {
  public:
    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : m_extents(extents) {}
    explicit Shape(std::vector<std::int64_t> extents) : m_extents(std::move(extents)) {}

    [[nodiscard]] std::size_t rank() const { return m_extents.size(); }
    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return m_extents[axis]; }
    [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }

    /// Product of the extents.
    [[nodiscard]] std::int64_t elements() const;

    /// "[1, 16, 5]".
    [[nodiscard]] std::string text() const;

    friend bool operator==(const Shape&, const Shape&) = default;

  private:
    std::vector<std::int64_t> m_extents;
};

}  // namespace meshreel
