// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/part_sources.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/models/families/inferred_config.h"
#include "engine/planning/model/adapters.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct PartKey {
    std::string_view part;
    std::string Project::*member;
};
constexpr std::array partKeys = {PartKey{"transformer", &Project::transformerFile},
                                 PartKey{"transformer_2", &Project::transformer2File},
                                 PartKey{"text_encoder", &Project::textEncoderFile},
                                 PartKey{"vae", &Project::vaeFile},
                                 PartKey{"image_encoder", &Project::imageEncoderFile},
                                 PartKey{"tokenizer", &Project::tokenizerFile}};

constexpr std::int64_t latentChannels22 = 48;

bool isWeightsFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) &&
           (hasTensorFileName(path) || path.string().ends_with(".safetensors.index.json"));
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
    return project.model.empty() || modelFile(project).has_value();
}

const std::string* askedFile(const Project& project, std::string_view part) {
    const auto* key = std::ranges::find(partKeys, part, &PartKey::part);
    return key == partKeys.end() || (project.*key->member).empty() ? nullptr : &(project.*key->member);
}

PartSources askedParts(const Project& project) {
    PartSources sources;
    if (const auto file = modelFile(project))
        sources["transformer"] = *file;
    for (const PartKey& row : partKeys)
        if (const std::string& asked = project.*row.member; !asked.empty())
            sources[std::string(row.part)] = findPart(asked, row.part);
    return sources;
}

Project withFullPaths(Project project) {
    const auto full = [](const fs::path& path) { return fs::absolute(path).lexically_normal().string(); };
    if (const auto file = modelFile(project))
        project.model = full(*file);
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

json modelIndexOf(const PartSources& sources) {
    const json config = configOf(Checkpoint::open(sources.at("transformer")));
    const auto channels = [&](const char* key) { return config.value(key, std::int64_t{0}); };
    const std::string className = config.value("_class_name", std::string("WanTransformer3DModel"));
    const bool image = (config.contains("image_dim") && !config.at("image_dim").is_null()) ||
                       channels("in_channels") > channels("out_channels");
    const std::string pipeline = className == "WanVACETransformer3DModel"      ? "WanVACEPipeline"
                                 : className == "WanAnimateTransformer3DModel" ? "WanAnimatePipeline"
                                 : image                                       ? "WanImageToVideoPipeline"
                                                                               : "WanPipeline";
    const auto pair = [&](const char* part, const char* library, const std::string& name) {
        return sources.contains(part) ? json{library, name} : json{nullptr, nullptr};
    };
    json index = {{"_class_name", pipeline},
                  {"scheduler", {"diffusers", "UniPCMultistepScheduler"}},
                  {"tokenizer", {"transformers", "T5TokenizerFast"}},
                  {"text_encoder", {"transformers", "UMT5EncoderModel"}},
                  {"transformer", {"diffusers", className}},
                  {"transformer_2", pair("transformer_2", "diffusers", className)},
                  {"image_encoder", pair("image_encoder", "transformers", "CLIPVisionModel")},
                  {"vae", {"diffusers", "AutoencoderKLWan"}}};
    if (sources.contains("transformer_2"))
        index["boundary_ratio"] = image ? boundaryOfImage : boundaryOfText;
    if (channels("out_channels") == latentChannels22)
        index["expand_timesteps"] = true;
    return index;
}

}  // namespace meshreel
