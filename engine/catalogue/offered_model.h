// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_offers.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {

/// releasedModelFacts() with the matrices of the transformer's blocks stored in this type.
std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId, StoredType stored);

/// Returns what readModelFacts() will find in the model that the offer and its needs form, as far as memory
/// and time are concerned: the released shapes, in the number types of the offered files. Returns nothing
/// when the offer is not a model, or its release is not known.
std::optional<ModelFacts> offeredModelFacts(const ModelOffer& offer);

}  // namespace meshreel
