// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace meshreel {

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : m_extents)
        product *= extent;
    return product;
}

std::string Shape::text() const {
    return fmt::format("[{}]", fmt::join(m_extents, ", "));
}

}  // namespace meshreel
