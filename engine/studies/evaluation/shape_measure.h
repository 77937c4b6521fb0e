// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/studies/evaluation/subject.h"

namespace meshreel {

/// The subject's shape, one of shapeNames(), from the angular moments of its mask about its centre,
/// |sum r^2 e^(ik angle)| / sum r^2: they do not change when it turns, moves or grows. A triangle has k = 3,
/// a square k = 4, a star k = 5, a ball none, and the nearest of these four is taken; a ring is hollow.
/// Frames vote by the area they show.
std::string_view shapeOf(const ClipPixels& clip, const Subject& subject);

}  // namespace meshreel
