// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/assembled_model.h"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/planning/model/model_index.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/model/part_sources.h"
#include "engine/weights/cache/content_hash.h"
#include "engine/weights/formats/json_file.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* configName = "config.json";
constexpr const char* schedulerFile = "scheduler_config.json";
constexpr std::string_view shardIndexSuffix = ".index.json";
constexpr int jsonIndent = 2;

/// What the released models have; the project's flow_shift is in effect anyway.
json releasedScheduler() {
    return {{"_class_name", "UniPCMultistepScheduler"},
            {"flow_shift", 3.0},
            {"num_train_timesteps", 1000},
            {"prediction_type", "flow_prediction"},
            {"predict_x0", true},
            {"solver_order", 2},
            {"solver_type", "bh2"},
            {"lower_order_final", true},
            {"final_sigmas_type", "zero"},
            {"use_flow_sigmas", true}};
}

/// The shards that an index names.
std::set<std::string> shardsOf(const fs::path& index) {
    std::set<std::string> shards;
    const json map = readJsonObject(index).value("weight_map", json::object());
    for (const auto& [tensor, shard] : map.items())
        if (shard.is_string())
            shards.insert(shard.get<std::string>());
    return shards;
}

/// The files of a part, which get their own names in its folder.
std::vector<fs::path> filesOf(const fs::path& source) {
    std::vector<fs::path> files;
    if (isFolder(source)) {
        std::error_code failure;
        for (fs::directory_iterator entry(source, failure), end; !failure && entry != end;
             entry.increment(failure))
            if (isFile(entry->path()))
                files.push_back(entry->path());
        std::ranges::sort(files);
        return files;
    }
    files.push_back(source);
    if (source.string().ends_with(shardIndexSuffix))
        for (const std::string& shard : shardsOf(source))
            files.push_back(source.parent_path() / shard);
    // A tokenizer's file has others beside it that belong to it.
    for (const char* beside : {configName, "tokenizer_config.json", "special_tokens_map.json"})
        if (isFile(source.parent_path() / beside))
            files.push_back(source.parent_path() / beside);
    return files;
}

struct Assembly {
    PartSources sources;
    json index;
    json scheduler;

    /// Names its folder: the same files make the same folder.
    [[nodiscard]] std::string key() const {
        json parts = json::object();
        for (const auto& [part, source] : sources)
            for (const fs::path& file : filesOf(source))
                parts[part].push_back(fs::absolute(file).lexically_normal().string());
        return nameHash(json{{"parts", parts}, {"index", index}, {"scheduler", scheduler}}.dump());
    }

    void writeInto(const fs::path& folder) const {
        for (const auto& [part, source] : sources) {
            fs::create_directories(folder / part);
            for (const fs::path& file : filesOf(source))
                fs::create_symlink(fs::absolute(file).lexically_normal(), folder / part / file.filename());
        }
        fs::create_directories(folder / "scheduler");
        writeFileAtomically(folder / "scheduler" / schedulerFile, scheduler.dump(jsonIndent) + "\n");
        writeFileAtomically(folder / modelIndexName, index.dump(jsonIndent) + "\n");
    }
};

/// Made beside its place and renamed, so that nobody sees half of one.
fs::path make(const Assembly& assembly) {
    const fs::path folder = userCacheFolder() / "models" / assembly.key();
    if (isFile(folder / modelIndexName))
        return folder;
    const fs::path temporary = folder.string() + fmt::format(".{}", ::getpid());
    std::error_code ignored;
    try {
        fs::remove_all(temporary);
        fs::create_directories(temporary);
        assembly.writeInto(temporary);
        fs::rename(temporary, folder);
    } catch (const fs::filesystem_error& failure) {
        fs::remove_all(temporary, ignored);
        if (isFile(folder / modelIndexName))
            return folder;  // another process was faster
        throw Error(ErrorKind::Resources,
                    sentence("the model's files cannot be put together ({})", failure.code().message()),
                    withTilde(folder), sentence("Check that the cache folder can be written to"));
    }
    return folder;
}

/// The parts of a model's folder, its own where the project names no other.
Assembly replaced(const fs::path& model, const PartSources& asked) {
    Assembly assembly{.sources = asked, .index = readJsonObject(model / modelIndexName), .scheduler = json()};
    for (const auto& [name, entry] : assembly.index.items())
        if (entry.is_array() && isFolder(model / name) && name != "scheduler")
            assembly.sources.try_emplace(name, model / name);
    if (asked.contains("transformer_2") && assembly.index.value("transformer_2", json::array()).empty()) {
        assembly.index["transformer_2"] = assembly.index.at("transformer");
        assembly.index.emplace("boundary_ratio", boundaryOfText);
    }
    assembly.scheduler = readJsonObject(model / "scheduler" / schedulerFile);
    return assembly;
}

Assembly madeOfFiles(const PartSources& asked) {
    Assembly assembly{.sources = asked, .index = json(), .scheduler = releasedScheduler()};
    const PartSources passedOver = completeParts(assembly.sources, scanModels());
    assembly.index = modelIndexOf(assembly.sources);
    for (const auto& [part, file] : passedOver)
        assembly.index[passedOverKey][part] = file.string();
    return assembly;
}

}  // namespace

fs::path modelFolderOf(const Project& project) {
    const PartSources asked = askedParts(project);
    if (isMadeOfFiles(project))
        return make(madeOfFiles(asked));
    const fs::path model = findModel(project.model);
    return asked.empty() ? model : make(replaced(model, asked));
}

}  // namespace meshreel
