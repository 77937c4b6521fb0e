// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "engine/base/paths.h"
#include "engine/planning/model/model_index.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_inputs.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// Beside the weights: what a model's parts are read from, where it is there.
struct PartFile {
    std::string_view part;
    std::string_view name;
};
constexpr std::array partFiles{
    PartFile{"scheduler", "scheduler_config.json"},
    PartFile{"transformer", "config.json"},
    PartFile{"transformer_2", "config.json"},
    PartFile{"text_encoder", "config.json"},
    PartFile{"vae", "config.json"},
    PartFile{"image_encoder", "config.json"},
    PartFile{"tokenizer", "tokenizer.json"},
    PartFile{"tokenizer", "tokenizer_config.json"},
    PartFile{"tokenizer", "spiece.model"},
    PartFile{"image_processor", "preprocessor_config.json"},
};

// Keys that change neither latents nor frames. The axes of the mesh decide bits and are among the machine's
// facts, as the number of workers is.
constexpr std::array<std::string_view, 19> freeKeys{"run_name",
                                                    "video_format",
                                                    "video_quality",
                                                    "compare_with",
                                                    "workers",
                                                    "devices",
                                                    "hosts",
                                                    "broadcast_weights",
                                                    "stall_timeout",
                                                    "memory_budget",
                                                    "replicate_vae",
                                                    "ici_data_parallelism",
                                                    "ici_fsdp_parallelism",
                                                    "ici_context_parallelism",
                                                    "ici_tensor_parallelism",
                                                    "dcn_data_parallelism",
                                                    "dcn_fsdp_parallelism",
                                                    "dcn_context_parallelism",
                                                    "dcn_tensor_parallelism"};

// Keys that name files, whose content is compared.
constexpr std::array<std::string_view, 7> modelFileKeys{"pretrained_model_name_or_path",
                                                        "parts.transformer",
                                                        "parts.transformer_2",
                                                        "parts.text_encoder",
                                                        "parts.vae",
                                                        "parts.image_encoder",
                                                        "parts.tokenizer"};

void addWeights(std::vector<SourceFile>& files, const std::string& part, const fs::path& folder,
                const StopToken& stop) {
    const Checkpoint checkpoint = Checkpoint::open(folder);
    for (const TensorFile& shard : checkpoint.shards())
        files.push_back({part, shard.path().filename().string(), fingerprintWeights(shard, stop)});
}

/// As Tokenizer::open() chooses.
bool isRead(const PartFile& row, bool hasFastTokenizer) {
    return row.part != "tokenizer" || (row.name == "spiece.model") != hasFastTokenizer;
}

void addPartFiles(std::vector<SourceFile>& files, const RunPlan& plan, const std::set<std::string>& used,
                  const StopToken& stop) {
    const bool hasFastTokenizer = isThere(plan.modelFolder / "tokenizer" / "tokenizer.json");
    for (const PartFile& row : partFiles) {
        const std::string part(row.part);
        const fs::path file = plan.modelFolder / row.part / row.name;
        if (used.contains(part) && isRead(row, hasFastTokenizer) && isThere(file))
            files.push_back({part, std::string(row.name), fingerprintFile(file, stop)});
    }
}

/// The files below `path`, or that file, by their names in it.
std::map<std::string, fs::path> filesBelow(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure))
        return {{path.filename().string(), path}};
    std::map<std::string, fs::path> files;
    for (fs::recursive_directory_iterator entry(path, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (std::error_code ignored; entry->is_regular_file(ignored))
            files.emplace(entry->path().lexically_relative(path).generic_string(), entry->path());
    return files;
}

/// Without the folders of adapters, which are compared by their content.
Project withAdapterNames(Project project) {
    for (LoraChoice& adapter : project.lora)
        adapter.file = fs::path(adapter.file).filename().string();
    return project;
}

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

bool isInputKey(std::string_view name) {
    return findInputKey(name) != nullptr;
}

/// Where two texts begin to differ, at the beginning of a character.
std::size_t firstDifference(std::string_view a, std::string_view b) {
    const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
    auto begin = static_cast<std::size_t>(at);
    const auto continuesCharacter = [&](std::size_t place) {
        return place < a.size() && (static_cast<unsigned char>(a[place]) & 0xC0U) == 0x80U;
    };
    while (begin > 0 && continuesCharacter(begin))
        --begin;
    return begin;
}

/// At most about `most` bytes of a text in quotation marks, from a little before `from` on.
std::string quotedFrom(const std::string& text, std::size_t from) {
    constexpr std::size_t before = 24;
    constexpr std::size_t most = 80;
    const auto atCharacter = [&](std::size_t place) {
        while (place > 0 && place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U)
            --place;
        return std::min(place, text.size());
    };
    const std::size_t begin = from > before ? atCharacter(from - before) : 0;
    const std::size_t end = text.size() - begin > most ? atCharacter(begin + most) : text.size();
    return fmt::format("\"{}{}{}\"", begin > 0 ? "…" : "", text.substr(begin, end - begin),
                       end < text.size() ? "…" : "");
}

Sentence settingDifference(const std::string& key, const std::string& was, const std::string& is) {
    const std::size_t from = firstDifference(was, is);
    return sentence("{} was {}, is {}", key, quotedFrom(was, from), quotedFrom(is, from));
}

using Parts = std::map<std::string, std::map<std::string, FileFingerprint>>;

Parts partsOf(const std::vector<SourceFile>& files) {
    Parts parts;
    for (const SourceFile& file : files)
        parts[file.part][file.name] = file.fingerprint;
    return parts;
}

/// Whatever the files are called.
bool holdTheSame(const std::map<std::string, FileFingerprint>& was,
                 const std::map<std::string, FileFingerprint>& is) {
    const auto contents = [](const auto& files) {
        std::vector<std::pair<std::uint64_t, std::string>> list;
        for (const auto& [name, fingerprint] : files)
            list.emplace_back(fingerprint.bytes, fingerprint.hash);
        std::ranges::sort(list);
        return list;
    };
    return contents(was) == contents(is);
}

void addPartDifferences(std::vector<Sentence>& differences, const std::string& part,
                        const std::map<std::string, FileFingerprint>& was,
                        const std::map<std::string, FileFingerprint>& is) {
    for (const auto& [name, fingerprint] : was)
        if (const auto now = is.find(name); now == is.end())
            differences.push_back(sentence("{}: {} is no longer used", part, name));
        else if (now->second.bytes != fingerprint.bytes)
            differences.push_back(
                sentence("{}: {} had {} bytes, has {}", part, name, fingerprint.bytes, now->second.bytes));
        else if (now->second != fingerprint)
            differences.push_back(sentence("{}: {} holds other data", part, name));
    for (const auto& [name, fingerprint] : is)
        if (!was.contains(name))
            differences.push_back(sentence("{}: {} is new", part, name));
}

}  // namespace

std::vector<SourceFile> modelSources(const RunPlan& plan, const StopToken& stop) {
    std::vector<SourceFile> files;
    files.push_back(
        {"model", std::string(modelIndexName), fingerprintFile(plan.modelFolder / modelIndexName, stop)});
    std::set<std::string> parts{"transformer", "text_encoder", "vae"};
    if (plan.model.experts() > 1)
        parts.emplace(transformerName(2));
    if (plan.model.imageEncoder)
        parts.emplace("image_encoder");
    for (const std::string& part : parts)
        addWeights(files, part, plan.modelFolder / part, stop);
    parts.insert({"scheduler", "tokenizer"});
    if (plan.model.imageEncoder)
        parts.emplace("image_processor");
    addPartFiles(files, plan, parts, stop);

    std::vector<fs::path> adapters;
    for (const PlannedAdapter& planned : plan.adapters) {
        const LoraAdapter& adapter = *planned.adapter;
        if (std::ranges::find(adapters, adapter.path()) != adapters.end())
            continue;
        adapters.push_back(adapter.path());
        const std::string part = fmt::format("adapter {}", adapters.size());
        files.push_back({part, adapter.path().filename().string(),
                         fingerprintWeights(TensorFile::open(adapter.path()), stop)});
        if (const fs::path& description = adapter.descriptionFile(); !description.empty())
            files.push_back({part, description.filename().string(), fingerprintFile(description, stop)});
    }
    return files;
}

std::vector<SourceFile> inputSources(const Project& project, const StopToken& stop) {
    std::vector<SourceFile> files;
    for (const InputKey& key : inputKeys()) {
        const std::vector<std::string> inputs = inputFiles(project, key);
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            const std::string part = key.kind == InputKind::Images ? fmt::format("{} {}", key.name, index + 1)
                                                                   : std::string(key.name);
            for (const auto& [name, file] : filesBelow(inputs[index]))
                files.push_back({part, name, fingerprintFile(file, stop)});
        }
    }
    return files;
}

SettingValues storedSettings(const RunFolder& folder) {
    const Project project = withAdapterNames(asStoredIn(folder, folder.project()));
    SettingValues settings;
    for (const ProjectKey& key : projectKeys())
        settings[std::string(key.name)] = valueText(project, key);
    return settings;
}

void writeSources(const RunFolder& folder, const RunSources& sources) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const SourceFile& file : sources.files) {
        nlohmann::ordered_json entry{{"part", file.part}, {"file", file.name}};
        entry.update(nlohmann::ordered_json(nlohmann::json(file.fingerprint)));
        files.push_back(std::move(entry));
    }
    const nlohmann::ordered_json json{{"settings", sources.settings}, {"files", std::move(files)}};
    folder.write(run_file::sources,
                 json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

RunSources readSources(const RunFolder& folder) {
    const fs::path file = folder.file(run_file::sources);
    const nlohmann::json json = readJsonObject(file);
    RunSources sources;
    try {
        sources.settings = json.at("settings").get<SettingValues>();
        for (const nlohmann::json& entry : json.at("files"))
            sources.files.push_back({entry.at("part").get<std::string>(), entry.at("file").get<std::string>(),
                                     entry.get<FileFingerprint>()});
    } catch (const nlohmann::json::exception& failure) {
        throw Error(ErrorKind::Input, sentence("the file is damaged ({})", failure.what()), file.string(),
                    sentence("Restore the run folder from a copy, or start a new run"));
    }
    return sources;
}

SourceDifferences sourceDifferences(const RunSources& was, const RunSources& is) {
    SourceDifferences differences;
    Parts before = partsOf(was.files);
    Parts now = partsOf(is.files);
    for (const auto& [part, files] : before)
        if (!holdTheSame(files, now[part]))
            addPartDifferences(differences.files, part, files, now[part]);
    for (const auto& [part, files] : now)
        if (!before.contains(part))
            addPartDifferences(differences.files, part, {}, files);

    const bool sameFiles = differences.files.empty();
    for (const auto& [key, value] : is.settings) {
        const ProjectKey* known = findProjectKey(key);
        const auto recorded = was.settings.find(key);
        // A key that is newer than the record had its default.
        const std::string old = recorded != was.settings.end() ? recorded->second
                                : known != nullptr             ? defaultText(*known)
                                                               : value;
        const bool namesSameFiles = sameFiles && (isOneOf(key, modelFileKeys) || isInputKey(key));
        if (old != value && !namesSameFiles && !isOneOf(key, freeKeys))
            differences.settings.push_back(settingDifference(key, old, value));
    }
    return differences;
}

void refuseChangedSources(const RunFolder& folder, const SourceDifferences& differences) {
    std::vector<Sentence> all = differences.settings;
    std::ranges::copy(differences.files, std::back_inserter(all));
    constexpr std::size_t most = 12;
    const std::size_t left = all.size() > most ? all.size() - most : 0;
    all.resize(all.size() - left);
    const Sentence listed = left > 0 ? sentence("{} and {} more", commaList(all), left) : commaList(all);
    const std::string project = folder.file(run_file::project).string();
    if (differences.files.empty())
        throw Error(ErrorKind::Project, sentence("settings have changed since the run began ({})", listed),
                    project,
                    sentence("Set them back, or start a new run with them: meshreel run {}", project));
    throw Error(
        ErrorKind::Input,
        differences.settings.empty()
            ? sentence("files of the model, adapters or inputs have changed since the run began ({})", listed)
            : sentence(
                  "settings and files of the model, adapters or inputs have changed since the run began ({})",
                  listed),
        folder.path().string(),
        sentence("Put the files back that it began with, or start a new run: meshreel run {}", project));
}

}  // namespace meshreel
