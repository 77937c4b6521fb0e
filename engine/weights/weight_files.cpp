// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/weight_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
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

/// "NAME-00002-of-00003.gguf", as the writers of every format number the files of a set.
struct NumberInSet {
    std::string name;       ///< "NAME"
    int of = 0;             ///< 3
    std::string extension;  ///< ".gguf"

    [[nodiscard]] fs::path file(const fs::path& folder, int number) const {
        return folder / fmt::format("{}-{:05}-of-{:05}{}", name, number, of, extension);
    }
};

std::optional<NumberInSet> numberInSet(const fs::path& file) {
    constexpr std::size_t digits = 5;
    constexpr std::string_view middle = "-of-";
    constexpr std::size_t tail = 1 + digits + middle.size() + digits;  // "-00002-of-00003"
    const std::string stem = file.stem().string();
    if (stem.size() <= tail)
        return std::nullopt;
    const std::string_view numbers = std::string_view(stem).substr(stem.size() - tail + 1);
    const auto read = [](std::string_view text) {
        int number = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
        return failure == std::errc() && end == text.data() + text.size() ? number : 0;
    };
    const int number = read(numbers.substr(0, digits));
    const int of = read(numbers.substr(digits + middle.size()));
    if (stem[stem.size() - tail] != '-' || numbers.substr(digits, middle.size()) != middle || number < 1 ||
        of < 2 || number > of)
        return std::nullopt;
    return NumberInSet{stem.substr(0, stem.size() - tail), of, file.extension().string()};
}

/// The place of all files of a set: beside this one, or beside what a link of this name leads to.
fs::path folderOfSet(const fs::path& file, const NumberInSet& set) {
    std::error_code failure;
    const auto isWhole = [&](const fs::path& folder) {
        for (int number = 1; number <= set.of; ++number)
            if (!fs::exists(set.file(folder, number), failure))
                return false;
        return true;
    };
    const fs::path target = fs::canonical(file, failure);
    const bool isElsewhere = !failure && !isWhole(file.parent_path()) && numberInSet(target);
    return isElsewhere ? target.parent_path() : file.parent_path();
}

/// A file of weights of any name, when the folder holds no other, or the first of the only set.
fs::path findOnlyFile(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (hasTensorFileName(entry.path()))
            files.push_back(entry.path());
    std::ranges::sort(files);
    const std::optional<NumberInSet> set = files.empty() ? std::nullopt : numberInSet(files.front());
    const bool isOneSet = set && std::ranges::all_of(files, [&](const fs::path& file) {
                              const std::optional<NumberInSet> own = numberInSet(file);
                              return own && own->file(folder, 1) == set->file(folder, 1);
                          });
    if (files.size() != 1 && !isOneSet)
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

std::vector<fs::path> filesOfSet(const fs::path& file) {
    const std::optional<NumberInSet> set = numberInSet(file);
    if (!set)
        return {file};
    requireWithin(Limit::Shards, static_cast<std::uint64_t>(set->of), file.string());
    const fs::path folder = folderOfSet(file, *set);
    std::vector<fs::path> files;
    std::vector<std::string> missing;
    std::error_code failure;
    for (int number = 1; number <= set->of; ++number) {
        files.push_back(set->file(folder, number));
        if (!fs::exists(files.back(), failure))
            missing.push_back(files.back().filename().string());
    }
    if (!missing.empty())
        throw Error(ErrorKind::Input,
                    sentence("this is one of {} files, and of these are missing: {}", set->of,
                             fmt::to_string(fmt::join(missing, ", "))),
                    file.string(), sentence("Download them into the same folder"));
    return files;
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
