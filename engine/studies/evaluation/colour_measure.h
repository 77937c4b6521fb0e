// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/studies/evaluation/subject.h"

namespace meshreel {

/// Nearest of objectColours() to what the subject looks like away from its edge, when shading may have
/// darkened or lightened it.
std::string_view colourOf(const ClipPixels& clip, const Subject& subject);

}  // namespace meshreel
