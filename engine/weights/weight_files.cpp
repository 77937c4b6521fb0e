// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/weight_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

// In the order in which diffusers (diffusion_pytorch_model) and transformers (model) look.
constexpr std::array<std::string_view, 4> candidateNames = {
    "diffusion_pytorch_model.safetensors.index.json",
    "diffusion_pytorch_model.safetensors",
    "model.safetensors",
    "model.safetensors.index.json",
};

// What the same libraries call weights that were rounded for publishing, or saved without safetensors.
constexpr std::array<std::string_view, 12> variantNames = {
    "diffusion_pytorch_model.safetensors.index.fp16.json",
    "diffusion_pytorch_model.fp16.safetensors",
    "model.safetensors.index.fp16.json",
    "model.fp16.safetensors",
    "diffusion_pytorch_model.safetensors.index.bf16.json",
    "diffusion_pytorch_model.bf16.safetensors",
    "model.safetensors.index.bf16.json",
    "model.bf16.safetensors",
    "diffusion_pytorch_model.bin.index.json",
    "diffusion_pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "pytorch_model.bin",
};

[[noreturn]] void throwNoWeights(const fs::path& folder, const std::vector<fs::path>& others) {
    std::vector<std::string> names;
    for (const fs::path& other : others)
        names.push_back(other.filename().string());
    throw Error(ErrorKind::Input,
                sentence("the folder holds none of {}", fmt::to_string(fmt::join(candidateNames, ", "))),
                folder.string(),
                others.empty()
                    ? sentence("Download the weights into it, or choose another model")
                    : sentence("It holds several other files of weights ({}): give the path of one",
                               fmt::to_string(fmt::join(names, ", "))));
}

/// A file of weights of any name, when the folder holds no other.
fs::path findOnlyFile(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (hasTensorFileName(entry.path()))
            files.push_back(entry.path());
    std::ranges::sort(files);
    if (files.size() != 1)
        throwNoWeights(folder, files);
    return files.front();
}

}  // namespace

fs::path findWeights(const fs::path& folderOrFile) {
    std::error_code failure;
    const fs::file_status status = fs::status(folderOrFile, failure);
    if (!fs::exists(status))
        throw Error(ErrorKind::Input, sentence("there is no such file or folder"), folderOrFile.string(),
                    sentence("Check the path of the model"));
    if (!fs::is_directory(status))
        return folderOrFile;
    for (const std::string_view name : candidateNames)
        if (fs::exists(folderOrFile / name, failure))
            return folderOrFile / name;
    for (const std::string_view name : variantNames)
        if (fs::exists(folderOrFile / name, failure))
            return folderOrFile / name;
    return findOnlyFile(folderOrFile);
}

WeightMap readWeightMap(const fs::path& index) {
    const nlohmann::json object = readJsonObject(index);
    const auto weightMap = object.find("weight_map");
    if (weightMap == object.end() || !weightMap->is_object() || weightMap->empty())
        throw Error(ErrorKind::Input, sentence("the index has no weight_map {{tensor: file}}"),
                    index.string(), sentence("Download the index again"));
    WeightMap shards;
    for (const auto& [tensor, value] : weightMap->items()) {
        const std::string shard = value.is_string() ? value.get<std::string>() : std::string();
        if (!hasTensorFileName(shard) ||
            shard.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
            throw Error(ErrorKind::Input,
                        sentence("the shard {:.80} is not the name of a file of weights beside the index",
                                 value.dump(-1, ' ', true)),
                        tensorPlace(index.string(), tensor),
                        sentence("Download the index from the model's own repository"));
        shards.emplace(tensor, shard);
    }
    return shards;
}

void requireShards(const fs::path& index, const std::set<std::string>& shards) {
    requireWithin(Limit::Shards, shards.size(), index.string());
    std::vector<std::string> missing;
    std::error_code failure;
    for (const std::string& shard : shards)
        if (!fs::exists(index.parent_path() / shard, failure))
            missing.push_back(shard);
    if (!missing.empty())
        throw Error(ErrorKind::Input,
                    sentence("{} of {} shards are missing: {}", missing.size(), shards.size(),
                             fmt::to_string(fmt::join(missing, ", "))),
                    index.string(), sentence("Download them into the same folder"));
}

bool isShardIndexName(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.ends_with(".json") && name.find(".index.") != std::string::npos;
}

}  // namespace meshreel
