// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include "ui/player/clip.h"

namespace meshreel {

inline constexpr int sheetFrames = 24;  ///< at most

/// Frames of a clip side by side under their numbers, evenly spaced, the first and the last among them. Not
/// for empty clips.
QImage contactSheet(const Clip& clip);

}  // namespace meshreel
