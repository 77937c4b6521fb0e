// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_frames.h"

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

/// A frame is on show until the next one comes, the last one as long as a frame of the file's rate.
void takeAtRate(FrameSource& source, Tensor& frame, const FrameSelection& selection, FrameStack& frames) {
    Tensor shown;
    const auto showUntil = [&](double end) {
        while (!frames.full() && static_cast<double>(frames.count()) / selection.fps < end - sameTime)
            frames.push(shown);
    };
    while (!frames.full() && source.read(frame.data<std::uint8_t>())) {
        if (shown.elements() > 0)
            showUntil(source.seconds());
        shown = fitted(frame, selection).clone();
    }
    if (shown.elements() > 0)
        showUntil(source.seconds() + 1.0 / source.info().fps);
}

}  // namespace

Tensor readFrames(const std::filesystem::path& media, const FrameSelection& selection) {
    const std::unique_ptr<FrameSource> source = openFrameSource(media);
    const VideoInfo& info = source->info();
    Tensor frame = Tensor::empty({info.height, info.width, 3}, DType::U8);
    FrameStack frames(selection);
    if (selection.fps > 0.0 && info.fps > 0.0)
        takeAtRate(*source, frame, selection, frames);
    else
        takeEvery(*source, frame, selection, frames);
    if (frames.count() == 0)
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), media.string(),
                    sentence("Choose another file"));
    return frames.take();
}

}  // namespace meshreel
