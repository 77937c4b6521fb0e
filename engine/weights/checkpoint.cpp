// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/weights/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view indexSuffix = ".index.json";

// In the order in which diffusers (diffusion_pytorch_model) and transformers (model) look.
constexpr std::array<std::string_view, 4> candidateNames = {
    "diffusion_pytorch_model.safetensors.index.json",
    "diffusion_pytorch_model.safetensors",
    "model.safetensors",
    "model.safetensors.index.json",
};

[[noreturn]] void throwNoWeights(const fs::path& folder) {
    std::string other;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".bin" || extension == ".pth" || extension == ".pt" || extension == ".gguf")
            other = std::max(other, entry.path().filename().string());
    }
    throw Error(
        ErrorKind::Input, fmt::format("the folder holds none of {}", fmt::join(candidateNames, ", ")),
        folder.string(),
        other.empty()
            ? "Download the weights into it, or choose another model"
            : fmt::format("Weights are read from safetensors files only: get those instead of {}", other));
}

fs::path findWeights(const fs::path& folderOrFile) {
    std::error_code failure;
    const fs::file_status status = fs::status(folderOrFile, failure);
    if (!fs::exists(status))
        throw Error(ErrorKind::Input, "there is no such file or folder", folderOrFile.string(),
                    "Check the path of the model");
    if (!fs::is_directory(status))
        return folderOrFile;
    for (const std::string_view name : candidateNames)
        if (fs::exists(folderOrFile / name, failure))
            return folderOrFile / name;
    throwNoWeights(folderOrFile);
}

using WeightMap = std::map<std::string, std::string>;

/// tensor -> shard; a shard is a file beside the index, never a path out of its folder.
WeightMap readWeightMap(const fs::path& index) {
    const nlohmann::json object = readJsonObject(index);
    const auto weightMap = object.find("weight_map");
    if (weightMap == object.end() || !weightMap->is_object() || weightMap->empty())
        throw Error(ErrorKind::Input, "the index has no weight_map {tensor: file}", index.string(),
                    "Download the index again");
    WeightMap shards;
    for (const auto& [tensor, value] : weightMap->items()) {
        const std::string shard = value.is_string() ? value.get<std::string>() : std::string();
        if (!shard.ends_with(".safetensors") ||
            shard.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
            throw Error(ErrorKind::Input,
                        fmt::format("the shard {:.80} is not the name of a safetensors file beside the index",
                                    value.dump(-1, ' ', true)),
                        tensorPlace(index.string(), tensor),
                        "Download the index from the model's own repository");
        shards.emplace(tensor, shard);
    }
    return shards;
}

void requireShards(const fs::path& index, const std::set<std::string>& shards) {
    std::vector<std::string> missing;
    std::error_code failure;
    for (const std::string& shard : shards)
        if (!fs::exists(index.parent_path() / shard, failure))
            missing.push_back(shard);
    if (!missing.empty())
        throw Error(ErrorKind::Input,
                    fmt::format("{} of {} shards are missing: {}", missing.size(), shards.size(),
                                fmt::join(missing, ", ")),
                    index.string(), "Download them into the same folder");
}

}  // namespace

Checkpoint Checkpoint::open(const fs::path& folderOrFile) {
    Checkpoint checkpoint;
    checkpoint.m_path = findWeights(folderOrFile);
    if (!checkpoint.m_path.string().ends_with(indexSuffix)) {
        checkpoint.m_shards.push_back(SafetensorsFile::open(checkpoint.m_path));
        for (std::string& name : checkpoint.m_shards.front().names())
            checkpoint.m_shardOfTensor.emplace(std::move(name), 0);
        return checkpoint;
    }
    const WeightMap weightMap = readWeightMap(checkpoint.m_path);
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : weightMap)
        shards.insert(shard);
    requireShards(checkpoint.m_path, shards);
    std::map<std::string, std::size_t> shardIndex;
    for (const std::string& shard : shards) {
        shardIndex.emplace(shard, checkpoint.m_shards.size());
        checkpoint.m_shards.push_back(SafetensorsFile::open(checkpoint.m_path.parent_path() / shard));
    }
    for (const auto& [tensor, shard] : weightMap) {
        const std::size_t index = shardIndex.at(shard);
        if (!checkpoint.m_shards[index].has(tensor))
            throw Error(ErrorKind::Input,
                        fmt::format("the index places it in {}, which does not hold it", shard),
                        tensorPlace(checkpoint.m_path.string(), tensor),
                        "Download index and shards again, from one revision of the model");
        checkpoint.m_shardOfTensor.emplace(tensor, index);
    }
    return checkpoint;
}

std::vector<std::string> Checkpoint::names() const {
    std::vector<std::string> names;
    for (const auto& [name, shard] : m_shardOfTensor)
        names.push_back(name);
    return names;
}

const SafetensorsFile& Checkpoint::shardOf(std::string_view name) const {
    const auto found = m_shardOfTensor.find(name);
    if (found != m_shardOfTensor.end())
        return m_shards[found->second];
    std::vector<std::string_view> candidates;
    for (const auto& [known, shard] : m_shardOfTensor)
        candidates.push_back(known);
    const std::string_view nearest = nearestName(name, candidates);
    throw Error(ErrorKind::Input, "the checkpoint holds no such tensor", tensorPlace(m_path.string(), name),
                nearest.empty()
                    ? "The weights and config.json are of different models"
                    : fmt::format("The nearest name is '{:.200}': the weights and config.json may be of "
                                  "different models",
                                  nearest));
}

Tensor Checkpoint::get(std::string_view name) const {
    return shardOf(name).get(name);
}

Tensor Checkpoint::get(std::string_view name, const Shape& expected) const {
    return shardOf(name).get(name, expected);
}

void Checkpoint::require(std::string_view name, const Shape& expected) const {
    shardOf(name).require(name, expected);
}

void Checkpoint::prefetch(std::string_view name) const {
    shardOf(name).prefetch(name);
}

void Checkpoint::release(std::string_view name) const {
    shardOf(name).release(name);
}

std::size_t Checkpoint::bytes() const {
    std::size_t total = 0;
    for (const auto& [name, shard] : m_shardOfTensor) {
        const SafetensorsEntry* entry = m_shards[shard].find(name);
        total += entry->end - entry->begin;
    }
    return total;
}

}  // namespace meshreel
