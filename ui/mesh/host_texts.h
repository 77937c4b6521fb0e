// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/runs/launch/host_file.h"

namespace meshreel {

/// "2 hosts × 4 slots = 8 ranks", and how many of so many devices each takes; 0: not known.
QString hostsSentence(const std::vector<Host>& hosts, int devices);

}  // namespace meshreel
