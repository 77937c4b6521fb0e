// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/studies/evaluation/subject.h"

namespace meshreel {

/// Mean difference of the background from one frame to the next, in levels of 255, over the pixels that the
/// subject stays away from in all frames. 0 when there are none, and in a drawn clip.
double backgroundFlicker(const ClipPixels& clip, const Subject& subject);

}  // namespace meshreel
