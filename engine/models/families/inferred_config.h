// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Returns the config.json that diffusers would have beside these weights: the file of that name in their
/// folder, else the one that the file itself carries under "config", else the one that the shapes of the
/// tensors imply. A config's class is checked first: one of the original project ("WanModel") gives what
/// shapes do not, the number of heads; one with another part's class, which a folder of unrelated files may
/// hold, gives nothing. Numbers that neither gives are those of the released models: 128 channels a head, the
/// statistics of latents. Throws Error{Input} saying what to do when the config remains open (a width that is
/// not a multiple of 128, an unknown number of latent channels, missing tensors).
nlohmann::json configOf(const Checkpoint& checkpoint);

/// Returns the config that is given, whatever part it describes: the file beside the weights, else the one
/// that they carry; nothing without either.
std::optional<nlohmann::json> givenConfig(const Checkpoint& checkpoint);

/// Infers it from the shapes alone. The checkpoint's layout must name its part.
nlohmann::json inferConfig(const Checkpoint& checkpoint);

}  // namespace meshreel
