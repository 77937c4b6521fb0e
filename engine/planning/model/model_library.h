// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace meshreel {

/// A checkpoint folder in diffusers layout (it holds a model_index.json).
struct ModelInfo {
    std::string name;  ///< what pretrained_model_name_or_path calls it
    std::filesystem::path folder;
    std::string pipelineClass;  ///< _class_name of its model_index.json; empty when unreadable
    std::string card;           ///< README.md without its front matter, Markdown; may be empty
    std::uintmax_t bytes = 0;   ///< of all weight files
    bool embedded = false;      ///< shipped with Meshreel
};

/// Folders whose subfolders are models: the shipped ones, then those of userModelFolders().
std::vector<std::filesystem::path> modelFolders();

/// Where the user's models lie: the folders of $MESHREEL_MODELS (with colons between them), else the setting,
/// else $XDG_DATA_HOME/meshreel/models.
std::vector<std::filesystem::path> userModelFolders();

/// Keeps the folder for all programs of this user ($XDG_CONFIG_HOME/meshreel/models-folder); an empty path
/// goes back to the default. Throws Error{Input} for what is no folder.
void setModelsFolder(const std::filesystem::path& folder);

/// Every model in modelFolders(), the shipped ones first, each group by name; then those in the Hugging Face
/// cache.
std::vector<ModelInfo> installedModels();

/// Folder of a model given by name, Hugging Face id ("Wan-AI/Wan2.1-T2V-1.3B-Diffusers") or path ("~"
/// allowed). Throws Error{Input} listing what is installed, with how to get the model.
std::filesystem::path findModel(const std::string& nameOrPath);

/// What is known of one model folder. Throws nothing; unreadable parts stay empty.
ModelInfo describeModel(const std::filesystem::path& folder);

}  // namespace meshreel
