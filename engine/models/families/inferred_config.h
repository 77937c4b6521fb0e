// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The config.json that diffusers would have beside these weights: the file of that name in their folder,
/// else what the file itself carries under "config", else what the shapes of the tensors tell. Numbers that
/// shapes do not tell are those of the released models: 128 channels a head, the statistics of latents.
/// Throws Error{Input} where that leaves the config open (a width that is no multiple of 128, an unknown
/// number of latent channels, tensors that are missing), with what to do.
nlohmann::json configOf(const Checkpoint& checkpoint);

/// The same as far as it is given: the file beside the weights, else what they carry; nothing where there is
/// neither.
std::optional<nlohmann::json> givenConfig(const Checkpoint& checkpoint);

/// From the shapes alone. The checkpoint's layout must name its part.
nlohmann::json inferConfig(const Checkpoint& checkpoint);

}  // namespace meshreel
