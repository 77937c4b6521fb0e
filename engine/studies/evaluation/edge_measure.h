// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/studies/evaluation/subject.h"

namespace meshreel {

/// How wide the subject's edge is, in pixels: the difference across it over its steepest step from one pixel
/// to the next; the median of all edges crossed along rows and columns. A drawn clip has 1 to 2, 0 means
/// that no edge was found.
double edgeWidth(const ClipPixels& clip, const Subject& subject);

}  // namespace meshreel
