// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/backdrop.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

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

QList<QImage> readBackdrop(const Backdrop& backdrop, const DrawingCanvas& canvas) {
    const double scale = std::min(1.0, widestBackdrop / static_cast<double>(canvas.width));
    const auto scaled = [scale](std::int64_t length) {
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(length) * scale));
    };
    const FrameSelection selection{.fps = backdrop.fps,
                                   .frames = backdrop.isOneFrame ? 1 : canvas.frames,
                                   .height = scaled(canvas.height),
                                   .width = scaled(canvas.width),
                                   .fit = FrameFit::Stretch,
                                   .filter = Resampling::Bilinear};
    const std::filesystem::path file = videoOfClip(backdrop.file);
    const std::unique_ptr<FrameSource> source = openFrameSource(file);
    if (backdrop.isOneFrame) {
        const std::int64_t wanted = backdrop.frame.value_or(countShownFrames(file).count - 1);
        for (std::int64_t frame = 0; frame < wanted && source->skip(); ++frame) {
        }
    }
    return toClip(readFrames(*source, file, selection), canvas.fps).frames;
}

}  // namespace meshreel
