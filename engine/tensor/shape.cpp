// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {

Shape::Shape(std::span<const std::int64_t> extents) : m_rank(extents.size()) {
    if (extents.size() > maxRank)
        throw Error(ErrorKind::Internal, fmt::format("a tensor has {} axes", extents.size()));
    std::ranges::copy(extents, m_extents.begin());
}

Shape Shape::with(std::size_t axis, std::int64_t extent) const {
    Shape other = *this;
    other.m_extents.at(axis) = extent;
    return other;
}

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents())
        product *= extent;
    return product;
}

std::string Shape::text() const {
    return fmt::format("[{}]", fmt::join(extents(), ", "));
}

}  // namespace meshreel
