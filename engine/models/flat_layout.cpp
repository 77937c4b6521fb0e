// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/flat_layout.h"

#include <utility>

namespace meshreel {

namespace {

constexpr std::int64_t granule = 16;  // f32 values of a cache line, which is what tensors are aligned to

std::int64_t roundedUp(std::int64_t elements) {
    return (elements + granule - 1) / granule * granule;
}

}  // namespace

void FlatLayout::add(std::string name, Shape shape) {
    const std::int64_t elements = shape.elements();
    m_entries.push_back({std::move(name), std::move(shape), m_end});
    m_tensorElements += elements;
    m_end = roundedUp(m_end + elements);
}

std::int64_t FlatLayout::shardElements(int parts) const {
    return roundedUp((m_end + parts - 1) / parts);
}

}  // namespace meshreel
