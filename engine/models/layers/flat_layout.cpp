// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/flat_layout.h"

#include <utility>

namespace meshreel {

namespace {

constexpr std::int64_t granule = 64;  // a cache line, which is what tensors are aligned to

std::int64_t roundedUp(std::int64_t bytes) {
    return (bytes + granule - 1) / granule * granule;
}

}  // namespace

void FlatLayout::add(std::string name, Shape shape, DType type) {
    m_entries.push_back({std::move(name), std::move(shape), type, m_end});
    m_tensorBytes += m_entries.back().bytes();
    m_end = roundedUp(m_end + m_entries.back().bytes());
}

std::int64_t FlatLayout::shardBytes(int parts) const {
    return roundedUp((m_end + parts - 1) / parts);
}

}  // namespace meshreel
