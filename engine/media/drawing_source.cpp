// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/drawing_source.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/error.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/image.h"
#include "engine/media/mask_drawing.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

DrawingSource::DrawingSource(const std::filesystem::path& file) : m_drawing(readMaskDrawing(file)) {
    if (m_drawing.shapes.empty())
        throw Error(ErrorKind::Input, sentence("nothing is drawn in it"), file.string(),
                    sentence("Draw a shape in the Studio, or choose another file"));
    requireRenderable(m_drawing, file.string());
    const DrawingCanvas& canvas = m_drawing.canvas;
    m_info.width = static_cast<int>(canvas.width);
    m_info.height = static_cast<int>(canvas.height);
    m_info.frames = m_drawing.moves() ? canvas.frames : 1;
    m_info.fps = m_info.frames > 1 ? canvas.fps : 0.0;
    m_info.codec = "drawing";
    m_info.pixelFormat = "gray";
    m_info.colour = {"unknown", "unknown", "unknown", "unknown"};
}

/// Goes to the next frame; false after the last.
bool DrawingSource::begin() {
    if (m_next == m_info.frames)
        return false;
    m_seconds = m_info.fps > 0 ? static_cast<double>(m_next) / m_info.fps : 0.0;
    ++m_next;
    return true;
}

bool DrawingSource::read(std::span<std::uint8_t> rgb) {
    if (!begin())
        return false;
    const Tensor mask = renderMask(m_drawing, m_next - 1);
    auto pixel = rgb.begin();
    for (const std::uint8_t grey : mask.data<std::uint8_t>())
        pixel = std::fill_n(pixel, rgbChannels, grey);
    return true;
}

bool DrawingSource::skip() {
    return begin();
}

}  // namespace meshreel
