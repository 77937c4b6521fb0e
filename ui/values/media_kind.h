// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace meshreel {

/// What a path handed to the Studio is.
enum class MediaKind {
    ProjectFile,
    Storyboard,
    MaxDiffusionConfig,
    Run,
    Model,
    Weights,
    Picture,
    Look,
    Table,
    Video,
    MaskDrawing,
    TrackDrawing,
};

/// Recognises by looking: folders that hold a run or a model, drawings, .yaml and .yml files and what they
/// list, files of tensors, tables (.csv) and still pictures by their extension in any case, of those looks by
/// the text inside, other texts as projects, everything else as a video. Throws Error{Input} when the path
/// does not exist.
MediaKind kindOf(const std::filesystem::path& path);

}  // namespace meshreel
