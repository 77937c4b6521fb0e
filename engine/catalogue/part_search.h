// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/catalogue/model_library.h"

namespace meshreel {

/// Finds in the catalogue what `sources` lacks: the text encoder and VAE that fit the transformer, the
/// tokenizer of the text encoder's vocabulary, the image encoder, the other expert. Among several files with
/// the same weights it takes the largest, which is the most exact. Returns the files that were passed over
/// only because of their name, although their shapes are the same, by the part that was chosen. Throws
/// Error{Input} listing everything that is missing, with what to download and where to put it, and for a
/// transformer whose kind is not certain; ProjectError at parts.… when files fit and nothing shows which is
/// Wan's.
PartSources completeParts(PartSources& sources, const ModelCatalogue& catalogue);

}  // namespace meshreel
