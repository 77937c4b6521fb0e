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

/// What readModelFacts() will find in the model that the offer and what it needs make, as far as memory and
/// time go: the released shapes, in the number types of the offered files. Nothing of what is no model, or of
/// a release that is not known.
std::optional<ModelFacts> offeredModelFacts(const ModelOffer& offer);

}  // namespace meshreel
