// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/studies/evaluation/subject.h"

namespace meshreel {

/// What the subject does, one of directionNames() and otherMotionNames(): its area grows or shrinks, its
/// centre turns back in height (bouncing) or moves on (a direction), or it stays in its place, changing its
/// looks (spinning) or not (still).
std::string_view motionOf(const ClipPixels& clip, const Subject& subject);

}  // namespace meshreel
