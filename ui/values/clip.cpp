// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/clip.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace meshreel {

QList<int> spreadFrames(int length, int most) {
    const int count = std::min(length, most);
    QList<int> frames;
    for (int i = 0; i < count; ++i)
        frames += count == 1
                      ? 0
                      : static_cast<int>(std::lround(static_cast<double>(i) * (length - 1) / (count - 1)));
    return frames;
}

Clip toClip(const Tensor& frames, double framesPerSecond) {
    constexpr std::size_t batchedRank = 5;
    const std::size_t firstAxis = frames.shape().rank() == batchedRank ? 1 : 0;
    const std::int64_t count = frames.extent(firstAxis);
    const int height = static_cast<int>(frames.extent(firstAxis + 1));
    const int width = static_cast<int>(frames.extent(firstAxis + 2));
    const auto rowBytes = static_cast<std::size_t>(width) * 3;
    const std::uint8_t* source = frames.data<std::uint8_t>().data();

    Clip clip;
    clip.framesPerSecond = framesPerSecond;
    clip.frames.reserve(count);
    for (std::int64_t i = 0; i < count; ++i) {
        QImage image(width, height, QImage::Format_RGB888);
        for (int row = 0; row < height; ++row, source += rowBytes)
            std::memcpy(image.scanLine(row), source, rowBytes);
        clip.frames.append(std::move(image));
    }
    return clip;
}

Tensor framesOf(const Clip& clip) {
    const QSize size = clip.frames.first().size();
    Tensor frames = Tensor::empty({clip.frames.size(), size.height(), size.width(), 3}, DType::U8);
    std::uint8_t* target = frames.data<std::uint8_t>().data();
    const auto rowBytes = static_cast<std::size_t>(size.width()) * 3;
    for (const QImage& frame : clip.frames) {
        const QImage image = frame.convertToFormat(QImage::Format_RGB888);
        for (int row = 0; row < size.height(); ++row, target += rowBytes)
            std::memcpy(target, image.constScanLine(row), rowBytes);
    }
    return frames;
}

}  // namespace meshreel
