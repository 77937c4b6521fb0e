// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/project/project.h"

namespace meshreel {

/// Returns how many seconds the sound of the project's speech lasts; nothing without one, or of a file that
/// cannot be read. Remembered until the file's time or size changes: plans ask for it again and again, and
/// all packets are read.
std::optional<double> speechSeconds(const Project& project);

/// The same, and where it is not known the length of the project's video.
double heardSeconds(const Project& project);

}  // namespace meshreel
