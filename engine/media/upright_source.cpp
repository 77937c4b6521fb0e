// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/upright_source.h"

#include <algorithm>
#include <utility>

namespace meshreel {

UprightSource::UprightSource(std::unique_ptr<FrameSource> source, Orientation orientation)
    : m_source(std::move(source)),
      m_orientation(orientation),
      m_stored(Tensor::empty({m_source->info().height, m_source->info().width, 3}, DType::U8)) {
    m_info = m_source->info();
    if (orientation >= Orientation::Transposed)
        std::swap(m_info.width, m_info.height);
}

bool UprightSource::read(std::span<std::uint8_t> rgb) {
    if (!m_source->read(m_stored.data<std::uint8_t>()))
        return false;
    m_seconds = m_source->seconds();
    const Tensor seen = upright(m_stored, m_orientation);
    std::ranges::copy(seen.data<std::uint8_t>(), rgb.begin());
    return true;
}

bool UprightSource::skip() {
    if (!m_source->skip())
        return false;
    m_seconds = m_source->seconds();
    return true;
}

}  // namespace meshreel
