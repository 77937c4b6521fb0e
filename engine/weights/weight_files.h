// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace meshreel {

/// Returns the file of weights or the index of shards that a component's folder holds, by the names and in
/// the order in which diffusers and transformers look, and their variants in fp16, bf16 or .bin; else its
/// only file of weights, or the first of its only set (filesOfSet()). Returns the path of a file unchanged.
/// Throws Error{Input} if there is no such path, or the folder holds no weights or several.
std::filesystem::path findWeights(const std::filesystem::path& folderOrFile);

/// Returns the files of a set without an index, in order: "wan-00001-of-00003.gguf" and the two others. A
/// file that is linked to has the others beside the link, or beside what it leads to. Any other file is
/// alone. Throws Error{Input} naming those that are missing.
std::vector<std::filesystem::path> filesOfSet(const std::filesystem::path& file);

/// Returns whether a file of this name lists the shards of weights: "model.safetensors.index.json",
/// "….index.fp16.json".
bool isShardIndexName(const std::filesystem::path& file);

/// The shard that holds a tensor: the name of a file beside the index.
using WeightMap = std::map<std::string, std::string, std::less<>>;

/// Reads an index of shards. Throws Error{Input} if it has no weight_map or one that leads out of its folder.
WeightMap readWeightMap(const std::filesystem::path& index);

/// Throws Error{Input} naming those of `shards` that are not beside the index, or if they are more than
/// Limit::Shards.
void requireShards(const std::filesystem::path& index, const std::set<std::string>& shards);

}  // namespace meshreel
