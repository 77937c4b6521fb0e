// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/models/families/model_identity.h"
#include "engine/planning/model/model_library.h"

namespace meshreel {

/// A file of weights that lies in a models folder by itself, in no model's folder.
struct CatalogueFile {
    std::filesystem::path path;
    ModelIdentity identity;
    bool adapter = false;
    std::string format;  ///< "safetensors", "GGUF 3", "PyTorch"
    std::uintmax_t bytes = 0;
    std::int64_t latentChannels = 0;  ///< of a transformer's output or a VAE; 0: not told
    std::int64_t textWidth = 0;       ///< of a transformer's texts or a text encoder
    std::int64_t vocabulary = 0;      ///< rows of a text encoder's table
    std::int64_t imageWidth = 0;      ///< of an image encoder
    Sentence unread;                  ///< not empty: how its weights are stored, which Meshreel does not read
    Sentence problem;                 ///< not empty: it cannot be read, and why
};

/// What is installed on this machine.
struct ModelCatalogue {
    std::vector<ModelInfo> models;                  ///< folders in diffusers layout
    std::vector<CatalogueFile> files;               ///< by path
    std::vector<std::filesystem::path> tokenizers;  ///< folders that hold one, by path
};

/// Reads the headers of everything in modelFolders() but the shipped ones, at most a few folders deep; links
/// to folders are followed once. What cannot be read is listed with its problem.
ModelCatalogue scanModels();

/// One file, as scanModels() sees it.
CatalogueFile describeFile(const std::filesystem::path& file);

/// For people: models, then files by what they are, and where to put more.
std::string catalogueText(const ModelCatalogue& catalogue);

nlohmann::json catalogueJson(const ModelCatalogue& catalogue);

}  // namespace meshreel
