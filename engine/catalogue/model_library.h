// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/models/families/model_identity.h"

namespace meshreel {

/// The file of a diffusers folder that names its parts.
constexpr const char* modelIndexName = "model_index.json";

/// The key of modelIndexName in one that Meshreel made: by part the file that another was chosen over for its
/// name alone.
constexpr const char* passedOverKey = "_passed_over_by_name";

/// The key of modelIndexName in a model of random weights, whose texts mean nothing: true.
constexpr const char* randomWeightsKey = "_random_weights";

/// A checkpoint folder in diffusers layout (it holds a model_index.json), or as the Wan project publishes it.
struct ModelInfo {
    std::string name;  ///< what pretrained_model_name_or_path calls it
    std::filesystem::path folder;
    std::string pipelineClass;  ///< _class_name of its model_index.json; empty when unreadable
    std::string card;           ///< README.md without its front matter, Markdown; may be empty
    std::uintmax_t bytes = 0;   ///< size of all weight files
    bool embedded = false;      ///< shipped with Meshreel
    bool original = false;      ///< in the layout of the Wan project
};

/// Folders whose subfolders are models: the shipped ones, then those of userModelFolders().
std::vector<std::filesystem::path> modelFolders();

/// Returns the folders of the user's models: those of $MESHREEL_MODELS (with colons between them), else the
/// setting, else $XDG_DATA_HOME/meshreel/models.
std::vector<std::filesystem::path> userModelFolders();

/// Saves the folder for all programs of this user ($XDG_CONFIG_HOME/meshreel/models-folder); an empty path
/// restores the default. Throws Error{Input} when it is not a folder.
void setModelsFolder(const std::filesystem::path& folder);

/// Returns every model in modelFolders(), the shipped ones first, each group by name; then those that are
/// whole in the Hugging Face cache.
std::vector<ModelInfo> installedModels();

/// Folder of a model given by name, Hugging Face id ("Wan-AI/Wan2.1-T2V-1.3B-Diffusers") or path ("~"
/// allowed). Throws Error{Input} listing what is installed, with how to get the model, or what is missing of
/// it in the cache of huggingface_hub.
std::filesystem::path findModel(const std::string& nameOrPath);

/// Returns what gets a model of the Hugging Face hub into the models folder, or into `folder`, for a shell.
std::string downloadCommand(const std::string& id, const std::filesystem::path& folder = {});

/// Describes one model folder. Throws nothing; unreadable parts stay empty.
ModelInfo describeModel(const std::filesystem::path& folder);

/// A file of weights on its own in a models folder, outside any model's folder.
struct CatalogueFile {
    std::filesystem::path path;
    ModelIdentity identity;
    bool adapter = false;
    std::string format;  ///< "safetensors", "GGUF 3", "PyTorch"
    std::uintmax_t bytes = 0;
    std::int64_t latentChannels = 0;  ///< for a transformer's output or a VAE; 0: unknown
    std::int64_t textWidth = 0;       ///< for a transformer's texts or a text encoder
    std::int64_t vocabulary = 0;      ///< rows of a text encoder's table
    std::int64_t imageWidth = 0;      ///< for an image encoder
    std::int64_t soundWidth = 0;      ///< for a sound encoder
    bool onlyDecodes = false;         ///< a VAE that is a small decoder (TAEHV)
    Sentence unread;                  ///< not empty: how its weights are stored, which Meshreel does not read
    Sentence problem;                 ///< not empty: it cannot be read, and why
};

/// What is installed on this machine.
struct ModelCatalogue {
    std::vector<ModelInfo> models;                  ///< folders in diffusers layout
    std::vector<CatalogueFile> files;               ///< sorted by path
    std::vector<std::filesystem::path> tokenizers;  ///< folders that hold one, by path
};

/// Reads the headers of everything in modelFolders() but the shipped ones, at most a few folders deep; links
/// to folders are followed once. What cannot be read is listed with its problem.
ModelCatalogue scanModels();

/// Makes a model's folder or a file of weights from elsewhere one of the models folder, by a link there, so
/// that projects can name it; copies nothing. Returns the link. Throws Error{Input} when it neither is nor
/// holds weights, is in a models folder already, or has a name that is taken there.
std::filesystem::path addModel(const std::filesystem::path& path);

/// The places of the parts of a model, by the names of their folders in diffusers layout: each a folder, a
/// file of weights, or an index of shards; for "tokenizer" a folder or a file.
using PartSources = std::map<std::string, std::filesystem::path, std::less<>>;

/// Returns whether a folder holds such a model, see below, and its weights are a transformer's by their
/// names: parts of other models come in files of the same name.
bool holdsOriginalModel(const std::filesystem::path& folder);

/// Returns the folder that a name, a Hugging Face id or a path means, if it holds a model as the Wan project
/// publishes it ("Wan-AI/Wan2.1-T2V-1.3B", "Wan-AI/Wan2.2-T2V-A14B"): the transformer in it, or two experts
/// in high_noise_model and low_noise_model, and no model_index.json.
std::optional<std::filesystem::path> findOriginalFolder(const std::string& nameOrPath);

/// Returns the parts that such a folder holds: the transformer or both experts, and by their content the text
/// encoder, VAE, image encoder and the tokenizer (google/umt5-xxl). Parts that it lacks are left out.
PartSources originalParts(const std::filesystem::path& folder);

/// Returns a file as scanModels() sees it.
CatalogueFile describeFile(const std::filesystem::path& file);

/// Lists for people: models, then files by kind, and where to put more.
std::string catalogueText(const ModelCatalogue& catalogue);

nlohmann::json catalogueJson(const ModelCatalogue& catalogue);

}  // namespace meshreel
