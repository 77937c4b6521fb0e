// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace meshreel {

/// Snapshot folder of a model ("Wan-AI/Wan2.1-T2V-1.3B-Diffusers") that huggingface_hub downloaded: of the
/// branch main, or the last by name. The cache is $HF_HUB_CACHE, $HF_HOME/hub or ~/.cache/huggingface/hub.
std::optional<std::filesystem::path> findHuggingFaceModel(const std::string& id);

/// (id, snapshot folder) of every model in the cache, by id.
std::vector<std::pair<std::string, std::filesystem::path>> huggingFaceModels();

}  // namespace meshreel
