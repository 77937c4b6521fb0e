// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/backdrop.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/media/alpha.h"
#include "engine/media/clip_folder.h"
#include "engine/media/frame_source.h"
#include "engine/media/image_resize.h"
#include "engine/media/video_reader.h"
#include "engine/project/input_files.h"
#include "engine/project/project_settings.h"
#include "ui/values/clip.h"

namespace meshreel {

namespace {

constexpr double widestBackdrop = 960;  ///< pixels: a clip of 121 frames of it has 200 MB
constexpr double mostBackdropBytes = 256.0 * 1024 * 1024;
constexpr std::int64_t mostBackdropFrames = 2'000;

/// The frames of another source until somebody stops it.
class StoppableSource : public FrameSource {
  public:
    StoppableSource(std::unique_ptr<FrameSource> source, const StopToken& stop)
        : m_source(std::move(source)), m_stop(stop) {
        m_info = m_source->info();
    }

    bool read(std::span<std::uint8_t> rgb) override {
        throwIfStopped(m_stop);
        const bool isThere = m_source->read(rgb);
        m_seconds = m_source->seconds();
        return isThere;
    }
    bool skip() override {
        throwIfStopped(m_stop);
        const bool isThere = m_source->skip();
        m_seconds = m_source->seconds();
        return isThere;
    }
    void useAlpha(AlphaUse use) override { m_source->useAlpha(use); }

  private:
    std::unique_ptr<FrameSource> m_source;
    StopToken m_stop;
};

/// As countShownFrames() has it, of a source that nothing was read from.
std::int64_t shownFramesOf(FrameSource& source) {
    if (source.info().framesExact)
        return source.info().frames;
    std::int64_t count = 0;
    try {
        while (source.skip())
            ++count;
    } catch (const Error& damaged) {
        if (damaged.kind() == ErrorKind::Cancelled)
            throw;
    }
    return count;
}

}  // namespace

Backdrop backdropOf(const Project& project, DrawingKind kind) {
    const double fps = inputRate(project);
    if (kind == DrawingKind::Mask)
        for (const std::string* file : {&project.video, &project.backgroundVideo})
            if (!file->empty())
                return {.file = *file, .fps = fps};
    if (!project.image.empty())
        return {.file = project.image, .fps = 0, .isOneFrame = true, .frame = 0};
    if (!project.continueFrom.empty())
        return {.file = project.continueFrom,
                .fps = 0,
                .isOneFrame = true,
                .frame = clipFrameProblem(project) ? std::nullopt : clipFrame(project)};
    return {};
}

DrawingCanvas backdropCanvas(const DrawingCanvas& canvas) {
    constexpr double channels = 3;
    constexpr double lastBits = 1e-6;
    const std::int64_t frames = std::min(canvas.frames, mostBackdropFrames);
    const auto width = static_cast<double>(canvas.width);
    const auto height = static_cast<double>(canvas.height);
    const double bytes = width * height * static_cast<double>(frames) * channels;
    const double scale = std::min({1.0, widestBackdrop / width, std::sqrt(mostBackdropBytes / bytes)});
    const auto scaled = [scale](double length) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(length * scale + lastBits));
    };
    return {.width = scaled(width), .height = scaled(height), .frames = frames, .fps = canvas.fps};
}

QList<QImage> readBackdrop(const Backdrop& backdrop, const DrawingCanvas& canvas, const StopToken& stop) {
    DrawingCanvas wanted = canvas;
    if (backdrop.isOneFrame)
        wanted.frames = 1;
    wanted = backdropCanvas(wanted);
    const FrameSelection selection{.fps = backdrop.fps,
                                   .frames = wanted.frames,
                                   .height = wanted.height,
                                   .width = wanted.width,
                                   .fit = FrameFit::Stretch,
                                   .filter = Resampling::Bilinear};
    const std::filesystem::path file = videoOfClip(backdrop.file);
    StoppableSource source(openFrameSource(file), stop);
    if (backdrop.isOneFrame) {
        std::int64_t before = 0;
        if (backdrop.frame) {
            before = *backdrop.frame;
        } else {
            StoppableSource counted(openFrameSource(file), stop);
            before = shownFramesOf(counted) - 1;
        }
        for (std::int64_t frame = 0; frame < before && source.skip(); ++frame) {
        }
    }
    return toClip(readFrames(source, file, selection), canvas.fps).frames;
}

}  // namespace meshreel
