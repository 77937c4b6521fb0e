// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The config.json that diffusers would have beside these weights: the file of that name in their folder,
/// else what the file itself carries under "config", else what the shapes of the tensors tell. Of a config
/// the class comes first: one of the original project ("WanModel") says what shapes do not, the number of
/// heads; one of another part's class, as a folder of files beside each other has, says nothing. Numbers that
/// neither tells are those of the released models: 128 channels a head, the statistics of latents. Throws
/// Error{Input} where that leaves the config open (a width that is no multiple of 128, an unknown number of
/// latent channels, tensors that are missing), with what to do.
nlohmann::json configOf(const Checkpoint& checkpoint);

/// What is given, whatever it is of: the file beside the weights, else what they carry; nothing where there
/// is neither.
std::optional<nlohmann::json> givenConfig(const Checkpoint& checkpoint);

/// From the shapes alone. The checkpoint's layout must name its part.
nlohmann::json inferConfig(const Checkpoint& checkpoint);

}  // namespace meshreel
