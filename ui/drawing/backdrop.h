// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/stop_token.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a drawing lies on.
struct Backdrop {
    std::filesystem::path file;              ///< a video, a picture or a folder of frames; empty: nothing
    double fps = 0;                          ///< that its frames are taken at; 0: each
    bool isOneFrame = false;                 ///< one frame of it stands for all
    std::optional<std::int64_t> frame = {};  ///< which; the last one where it is not said
};

/// Returns what a project's mask or tracks are about: for a mask the video that is edited, for tracks the
/// picture that the video begins with, in both cases the next best where there is none. Paths are absolute.
Backdrop backdropOf(const Project& project, DrawingKind kind);

/// Returns what is read of a backdrop for a clip: no larger than it is looked at, and of a long clip smaller
/// pictures and its first frames, so that all of them take 256 MiB at most.
DrawingCanvas backdropCanvas(const DrawingCanvas& canvas);

/// Reads its frames for a clip, one for all or one each, stretched as a run does it. On any thread. Throws
/// Error, and of ErrorKind::Cancelled before the next frame when it is stopped.
QList<QImage> readBackdrop(const Backdrop& backdrop, const DrawingCanvas& canvas, const StopToken& stop = {});

}  // namespace meshreel
