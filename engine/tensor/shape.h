// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace meshreel {

/// Extents of a row-major tensor, outermost first. An empty shape is a scalar with one element. It holds its
/// extents itself, so that tensors are made in a pass without an allocation for them.
class Shape {
  public:
    /// PyTorch's tensors may have more; those of models have five at most.
    static constexpr std::size_t maxRank = 8;

    Shape() = default;
    // Both throw Error{Internal} for more than maxRank extents: readers of files refuse those before.
    Shape(std::initializer_list<std::int64_t> extents)
        : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}
    explicit Shape(std::span<const std::int64_t> extents);

    [[nodiscard]] std::size_t rank() const { return m_rank; }
    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return m_extents[axis]; }
    [[nodiscard]] std::span<const std::int64_t> extents() const { return {m_extents.data(), m_rank}; }

    /// Returns the shape with another extent of one axis.
    [[nodiscard]] Shape with(std::size_t axis, std::int64_t extent) const;

    /// Product of the extents.
    [[nodiscard]] std::int64_t elements() const;

    /// "[1, 16, 5]".
    [[nodiscard]] std::string text() const;

    friend bool operator==(const Shape&, const Shape&) = default;

  private:
    std::array<std::int64_t, maxRank> m_extents{};  ///< zeros after the rank
    std::size_t m_rank = 0;
};

}  // namespace meshreel
