// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"

namespace meshreel {

/// What a drawing is of: a key of the project takes one kind.
enum class DrawingKind : std::uint8_t { Mask, Tracks };

/// Returns what the file's beginning says that it is; nothing for a file that is no drawing, or cannot be
/// read.
std::optional<DrawingKind> drawingKind(const std::filesystem::path& file);

/// Drawings are JSON: docs/tasks.md#drawings describes their file. These read one of up to Limit::Json, and
/// throw Error{Input} that names the shape, track, keyframe or node and the value that is wrong.
MaskDrawing readMaskDrawing(const std::filesystem::path& file);
TrackDrawing readTrackDrawing(const std::filesystem::path& file);

/// Throws as they do for a file of this text at `where`: who writes one knows then that it is read again.
void requireDrawing(std::string_view text, DrawingKind kind, const std::string& where);

/// Returns the file's text, from which the same drawing is read.
std::string drawingText(const MaskDrawing& drawing);
std::string drawingText(const TrackDrawing& drawing);

/// Returns what the name of a drawing's file ends with: ".mask.json".
std::string_view drawingEnding(DrawingKind kind);

}  // namespace meshreel
