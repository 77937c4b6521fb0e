// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/catalogue/model_assembly.h"

namespace meshreel {

/// Whether a folder holds such a model, see below, and its weights are a transformer's by their names: parts
/// of other models lie in files of the same name.
bool holdsOriginalModel(const std::filesystem::path& folder);

/// The folder that a name, a Hugging Face id or a path means, if it holds a model as the Wan project
/// publishes it ("Wan-AI/Wan2.1-T2V-1.3B", "Wan-AI/Wan2.2-T2V-A14B"): the transformer in it, or two experts
/// in high_noise_model and low_noise_model, and no model_index.json.
std::optional<std::filesystem::path> findOriginalFolder(const std::string& nameOrPath);

/// The parts that such a folder holds: the transformer or both experts, and by their content the text
/// encoder, VAE, image encoder and the tokenizer (google/umt5-xxl). Parts that it lacks are left out.
PartSources originalParts(const std::filesystem::path& folder);

}  // namespace meshreel
