// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "engine/media/orientation.h"

namespace meshreel {

/// What the EXIF data of a JPEG, PNG, WebP or TIFF file say; Upright where there are none, or none that make
/// sense.
Orientation exifOrientation(std::string_view file);

}  // namespace meshreel
