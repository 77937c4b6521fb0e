// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <cstdint>
#include <filesystem>
#include <optional>

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

/// Reads its frames for a clip, one for all or one each, stretched as a run does it and no larger than they
/// are looked at. On any thread. Throws Error.
QList<QImage> readBackdrop(const Backdrop& backdrop, const DrawingCanvas& canvas);

}  // namespace meshreel
