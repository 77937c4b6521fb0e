// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_frames.h"

#include <cmath>
#include <memory>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frame_source.h"

namespace meshreel {
namespace {

// Times are sums and quotients of f64: a frame that is due now must not be missed for its last bits.
constexpr double sameTime = 1e-6;  // seconds

/// Frames one after the other in memory that grows, because a damaged header's count is not to be trusted.
class FrameStack {
  public:
    explicit FrameStack(const FrameSelection& selection) : m_selection(selection) {}

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] bool full() const { return m_selection.frames >= 0 && m_count >= m_selection.frames; }

    void push(const Tensor& frame) {
        const auto bytes = frame.data<std::uint8_t>();
        m_bytes->insert(m_bytes->end(), bytes.begin(), bytes.end());
        m_frameShape = frame.shape();
        ++m_count;
    }

    [[nodiscard]] Tensor take() const {
        return Tensor::view(m_bytes->data(), {m_count, m_frameShape[0], m_frameShape[1], m_frameShape[2]},
                            DType::U8, m_bytes);
    }

  private:
    const FrameSelection& m_selection;
    std::shared_ptr<std::vector<std::uint8_t>> m_bytes = std::make_shared<std::vector<std::uint8_t>>();
    Shape m_frameShape;
    std::int64_t m_count = 0;
};

Tensor fitted(const Tensor& frame, const FrameSelection& selection) {
    if (selection.height == 0 && selection.width == 0)
        return frame;
    return selection.fit == FrameFit::Cover
               ? resizeToCover(frame, selection.height, selection.width, selection.filter)
               : resizeImage(frame, selection.height, selection.width, selection.filter);
}

void takeEvery(FrameSource& source, Tensor& frame, const FrameSelection& selection, FrameStack& frames) {
    while (!frames.full() && source.read(frame.data<std::uint8_t>()))
        frames.push(fitted(frame, selection));
}

/// A frame is the nearest one until halfway to the next, the last one as long as a frame of the mean rate.
void takeAtRate(FrameSource& source, Tensor& frame, const FrameSelection& selection, FrameStack& frames) {
    Tensor nearest;
    Tensor shown;  // made of it when it is needed
    double time = 0.0;
    const auto takeUntil = [&](double end) {
        while (!frames.full() && static_cast<double>(frames.count()) / selection.fps < end) {
            if (shown.elements() == 0)
                shown = fitted(nearest, selection);
            frames.push(shown);
        }
    };
    while (!frames.full() && source.read(frame.data<std::uint8_t>())) {
        if (nearest.elements() > 0)
            takeUntil((time + source.seconds()) / 2 + sameTime);
        nearest = frame.clone();
        shown = Tensor();
        time = source.seconds();
    }
    if (nearest.elements() > 0)
        takeUntil(time + 1.0 / source.info().fps - sameTime);
}

}  // namespace

bool isSampled(const VideoInfo& info, double fps) {
    constexpr double sameRate = 0.01;
    return fps > 0.0 && info.fps > 0.0 && info.frames > 1 &&
           (info.variableRate || std::abs(info.fps / fps - 1.0) > sameRate);
}

std::int64_t sampledFrames(double seconds, double fps) {
    return static_cast<std::int64_t>(std::ceil((seconds - sameTime) * fps));
}

Tensor readFrames(const std::filesystem::path& media, const FrameSelection& selection) {
    return readFrames(*openFrameSource(media), media, selection);
}

Tensor readFrames(FrameSource& source, const std::filesystem::path& media, const FrameSelection& selection) {
    const VideoInfo& info = source.info();
    Tensor frame = Tensor::empty({info.height, info.width, 3}, DType::U8);
    FrameStack frames(selection);
    if (isSampled(info, selection.fps))
        takeAtRate(source, frame, selection, frames);
    else
        takeEvery(source, frame, selection, frames);
    if (frames.count() == 0)
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), media.string(),
                    sentence("Choose another file"));
    return frames.take();
}

}  // namespace meshreel
