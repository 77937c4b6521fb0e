// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/original_folder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 2> expertFolders = {"high_noise_model", "low_noise_model"};
constexpr std::array<std::string_view, 2> transformerFiles = {
    "diffusion_pytorch_model.safetensors.index.json", "diffusion_pytorch_model.safetensors"};
constexpr std::string_view tokenizerFolder = "google/umt5-xxl";

/// The transformer that lies in a folder itself; empty where none does.
fs::path transformerIn(const fs::path& folder) {
    for (const std::string_view name : transformerFiles)
        if (isFile(folder / name))
            return folder / name;
    return {};
}

bool hasExperts(const fs::path& folder) {
    return std::ranges::all_of(
        expertFolders, [&](std::string_view expert) { return !transformerIn(folder / expert).empty(); });
}

/// A part of a model in diffusers layout holds such a file too: it stands below a model_index.json.
bool isOriginalFolder(const fs::path& folder) {
    return !isThere(folder / modelIndexName) && !isThere(folder.parent_path() / modelIndexName) &&
           (hasExperts(folder) || !transformerIn(folder).empty());
}

}  // namespace

bool holdsOriginalModel(const fs::path& folder) {
    if (!isOriginalFolder(folder))
        return false;
    try {
        const fs::path file = transformerIn(hasExperts(folder) ? folder / expertFolders[0] : folder);
        return Checkpoint::open(file).layout().part == ModelPart::Transformer;
    } catch (const Error&) {
        return false;  // the list of files says what is wrong with it
    }
}

std::optional<fs::path> findOriginalFolder(const std::string& nameOrPath) {
    if (nameOrPath.empty())
        return std::nullopt;
    const fs::path asked = expandTilde(nameOrPath);
    std::vector<fs::path> candidates;
    if (asked.is_relative())
        for (const fs::path& folder : modelFolders())
            candidates.push_back(folder / asked);
    if (const auto snapshot = findHuggingFaceModel(nameOrPath))
        candidates.push_back(*snapshot);
    candidates.push_back(asked);
    const auto found = std::ranges::find_if(candidates, isOriginalFolder);
    return found == candidates.end() ? std::nullopt : std::optional(*found);
}

PartSources originalParts(const fs::path& folder) {
    PartSources sources;
    if (hasExperts(folder)) {
        sources["transformer"] = transformerIn(folder / expertFolders[0]);
        sources["transformer_2"] = transformerIn(folder / expertFolders[1]);
    } else {
        sources["transformer"] = transformerIn(folder);
    }
    std::vector<fs::path> files;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (hasTensorFileName(entry->path()) && isFile(entry->path()) &&
            !entry->path().filename().string().starts_with("diffusion_pytorch_model"))
            files.push_back(entry->path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const CatalogueFile described = describeFile(file);
        if (described.problem.empty() && !described.adapter && described.identity.part &&
            described.identity.part != ModelPart::Transformer && !described.onlyDecodes)
            sources.try_emplace(std::string(nameOf(*described.identity.part)), file);
    }
    if (isFolder(folder / tokenizerFolder))
        sources["tokenizer"] = folder / tokenizerFolder;
    return sources;
}

}  // namespace meshreel
