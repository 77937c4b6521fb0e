// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/weights/checkpoint.h"

namespace meshreel {

/// What tells one checkpoint from another without reading its weights: of every file the path (links
/// resolved), size, time of the last change and a hash of the header, and the identity of what is added to
/// the weights. For keys of caches.
nlohmann::json checkpointIdentity(const Checkpoint& checkpoint);

}  // namespace meshreel
