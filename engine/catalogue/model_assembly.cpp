// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_assembly.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/part_search.h"
#include "engine/models/families/inferred_config.h"
#include "engine/project/project.h"
#include "engine/text/embedded_tokenizer.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weight_files.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

/// Where Wan 2.2 A14B goes from the high-noise to the low-noise expert: model_index.json of its two models.
constexpr double boundaryOfText = 0.875;
constexpr double boundaryOfImage = 0.9;

constexpr const char* configName = "config.json";
constexpr const char* schedulerFile = "scheduler_config.json";
constexpr int jsonIndent = 2;

/// The model_index.json that diffusers would have for these parts.
json makeModelIndex(const PartSources& sources) {
    const json config = configOf(Checkpoint::open(sources.at("transformer")));
    const auto channels = [&](const char* key) { return config.value(key, std::int64_t{0}); };
    const std::string className = config.value("_class_name", std::string("WanTransformer3DModel"));
    const bool image = (config.contains("image_dim") && !config.at("image_dim").is_null()) ||
                       channels("in_channels") > channels("out_channels");
    const std::string pipeline = className == "WanVACETransformer3DModel"      ? "WanVACEPipeline"
                                 : className == "WanAnimateTransformer3DModel" ? "WanAnimatePipeline"
                                 : className == "WanS2VTransformer3DModel"     ? "WanSpeechToVideoPipeline"
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
    if (sources.contains("audio_encoder"))
        index["audio_encoder"] = pair("audio_encoder", "transformers", "Wav2Vec2Model");
    if (sources.contains("transformer_2"))
        index["boundary_ratio"] = image ? boundaryOfImage : boundaryOfText;
    constexpr std::int64_t latentChannels22 = 48;
    if (channels("out_channels") == latentChannels22)
        index["expand_timesteps"] = true;
    return index;
}

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
    files = filesOfSet(source);
    if (isShardIndexName(source))
        for (const std::string& shard : shardsOf(source))
            files.push_back(source.parent_path() / shard);
    // A tokenizer's file has others beside it that belong to it, and a sound encoder's has one.
    for (const char* beside :
         {configName, "tokenizer_config.json", "special_tokens_map.json", "preprocessor_config.json"})
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
            if (part == "tokenizer" && hasTensorFileName(source)) {
                writeFileAtomically(folder / part / "spiece.model", tokenizerInside(source).value_or(""));
                continue;
            }
            for (const fs::path& file : filesOf(source))
                fs::create_symlink(fs::absolute(file).lexically_normal(), folder / part / file.filename());
        }
        fs::create_directories(folder / "scheduler");
        writeFileAtomically(folder / "scheduler" / schedulerFile, scheduler.dump(jsonIndent) + "\n");
        writeFileAtomically(folder / modelIndexName, index.dump(jsonIndent) + "\n");
    }
};

/// A new folder beside `folder` under a name that no other thread or process has, removed at the end of its
/// scope unless it was renamed.
class FolderBeside {
  public:
    /// Throws fs::filesystem_error.
    explicit FolderBeside(const fs::path& folder) : m_path(folder.string() + ".XXXXXX") {
        fs::create_directories(folder.parent_path());
        if (::mkdtemp(m_path.data()) == nullptr)
            throw fs::filesystem_error("mkdtemp", m_path, std::error_code(errno, std::generic_category()));
    }
    ~FolderBeside() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    FolderBeside(const FolderBeside&) = delete;
    FolderBeside& operator=(const FolderBeside&) = delete;

    [[nodiscard]] fs::path path() const { return m_path; }

  private:
    std::string m_path;
};

/// Made beside its place and renamed, so that nobody sees half of one.
fs::path make(const Assembly& assembly) {
    const fs::path folder = userCacheFolder() / "models" / assembly.key();
    if (isFile(folder / modelIndexName))
        return folder;
    try {
        const FolderBeside temporary(folder);
        assembly.writeInto(temporary.path());
        fs::rename(temporary.path(), folder);
    } catch (const fs::filesystem_error& failure) {
        if (isFile(folder / modelIndexName))
            return folder;  // another thread or process was faster
        if (!failure.path2().empty() &&
            lacksCall(failure.code().value()))  // for links, the source is named, too
            throw Error(ErrorKind::Input,
                        sentence("the disk of the cache keeps no links ({})", failure.code().message()),
                        withTilde(folder), sentence("Set XDG_CACHE_HOME to a folder on another disk"));
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
    assembly.index = makeModelIndex(assembly.sources);
    for (const auto& [part, file] : passedOver)
        assembly.index[passedOverKey][part] = file.string();
    return assembly;
}

}  // namespace

fs::path prepareModelFolder(const Project& project) {
    const PartSources asked = askedParts(project);
    if (isMadeOfFiles(project))
        return make(madeOfFiles(asked));
    const fs::path model = findModel(project.model);
    return asked.empty() ? model : make(replaced(model, asked));
}

}  // namespace meshreel
