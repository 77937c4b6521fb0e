// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/asked_parts.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/weights_name.h"
#include "engine/project/project.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weight_files.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct PartKey {
    std::string_view part;
    std::string Project::*member;
};
constexpr std::array partKeys = {PartKey{"transformer", &Project::transformerFile},
                                 PartKey{"transformer_2", &Project::transformer2File},
                                 PartKey{"text_encoder", &Project::textEncoderFile},
                                 PartKey{"vae", &Project::vaeFile},
                                 PartKey{"preview", &Project::previewFile},
                                 PartKey{"image_encoder", &Project::imageEncoderFile},
                                 PartKey{"audio_encoder", &Project::audioEncoderFile},
                                 PartKey{"tokenizer", &Project::tokenizerFile}};

bool isWeightsFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && (hasTensorFileName(path) || isShardIndexName(path));
}

fs::path findPart(const std::string& nameOrPath, std::string_view part) {
    const fs::path asked = expandTilde(nameOrPath);
    if (isThere(asked))
        return asked;
    if (asked.is_relative())
        for (const fs::path& folder : modelFolders())
            if (isThere(folder / asked))
                return folder / asked;
    throw Error(
        ErrorKind::Input, sentence("there is no such {}", part), withTilde(asked),
        sentence("Check parts.{}, or put the file into {}", part, withTilde(userModelFolders().back())));
}

/// A file that the project gives in place of a model's name.
std::optional<fs::path> modelFile(const Project& project) {
    const fs::path asked = expandTilde(project.model);
    if (isWeightsFile(asked))
        return asked;
    if (asked.is_relative() && hasTensorFileName(asked))
        return findPart(project.model, "transformer");
    return std::nullopt;
}

}  // namespace

bool isMadeOfFiles(const Project& project) {
    return project.model.empty() || modelFile(project) || findOriginalFolder(project.model);
}

const std::string* askedFile(const Project& project, std::string_view part) {
    const auto* key = std::ranges::find(partKeys, part, &PartKey::part);
    return key == partKeys.end() || (project.*key->member).empty() ? nullptr : &(project.*key->member);
}

PartSources askedParts(const Project& project) {
    PartSources sources;
    if (const auto file = modelFile(project))
        sources["transformer"] = *file;
    else if (const auto folder = findOriginalFolder(project.model))
        sources = originalParts(*folder);
    for (const PartKey& row : partKeys)
        if (const std::string& asked = project.*row.member; !asked.empty())
            sources[std::string(row.part)] = findPart(asked, row.part);
    return sources;
}

Project withFullPaths(Project project) {
    const auto full = [](const fs::path& path) { return fs::absolute(path).lexically_normal().string(); };
    if (const auto file = modelFile(project))
        project.model = full(*file);
    else if (const auto folder = findOriginalFolder(project.model))
        project.model = full(*folder);
    for (const PartKey& row : partKeys)
        if (std::string& asked = project.*row.member; !asked.empty())
            asked = full(findPart(asked, row.part));
    for (LoraChoice& adapter : project.lora)
        adapter.file = full(findAdapter(adapter.file));
    return project;
}

void forgetParts(Project& project) {
    for (const PartKey& row : partKeys)
        (project.*row.member).clear();
}

}  // namespace meshreel
