// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/hugging_face_cache.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/folder_entries.h"
#include "engine/catalogue/model_library.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weight_files.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

// Returns its variables.

std::string hubValue(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::string() : value;
}

/// "~", "~/a" and "~ann/a", as os.path.expanduser.
std::string withHome(const std::string& text) {
    if (!text.starts_with('~'))
        return text;
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (slash == 1)
        return expandTilde(text).string();
    const passwd* user = ::getpwnam(text.substr(1, slash - 1).c_str());
    return user == nullptr ? text : user->pw_dir + text.substr(slash);
}

/// "$NAME" and "${NAME}", as os.path.expandvars: what is not set stays as it is.
std::string withVariables(const std::string& text) {
    const auto isOfName = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t dollar = std::min(text.find('$', at), text.size());
        result += text.substr(at, dollar - at);
        if (dollar == text.size())
            break;
        const bool braced = text.compare(dollar, 2, "${") == 0;
        const std::size_t begin = dollar + (braced ? 2 : 1);
        const auto last =
            braced
                ? std::find(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '}')
                : std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), isOfName);
        const auto end = static_cast<std::size_t>(last - text.begin());
        at = std::min(text.size(), braced ? end + 1 : end);
        const std::string name = text.substr(begin, end - begin);
        const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
        result += value == nullptr ? text.substr(dollar, at - dollar) : std::string(value);
    }
    return result;
}

/// A folder or file that a variable names.
std::optional<fs::path> pathIn(const char* variable) {
    const std::string value = hubValue(variable);
    return value.empty() ? std::nullopt : std::optional<fs::path>(withVariables(withHome(value)));
}

fs::path homeOfHub() {
    if (const auto home = pathIn("HF_HOME"))
        return *home;
    return pathIn("XDG_CACHE_HOME").value_or(expandTilde("~/.cache")) / "huggingface";
}

bool isOn(const char* variable) {
    std::string value = hubValue(variable);
    std::ranges::transform(value, value.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return value == "1" || value == "TRUE" || value == "YES" || value == "ON";
}

/// Without the ends of lines, and without blanks around it.
std::string cleanToken(std::string token) {
    std::erase_if(token, [](char letter) { return letter == '\r' || letter == '\n'; });
    const std::size_t first = token.find_first_not_of(" \t");
    return first == std::string::npos ? std::string()
                                      : token.substr(first, token.find_last_not_of(" \t") - first + 1);
}

std::string keptToken() {
    const fs::path file = pathIn("HF_TOKEN_PATH").value_or(homeOfHub() / "token");
    try {
        return isFile(file) ? cleanToken(readFile(file)) : std::string();
    } catch (const Error&) {
        return {};  // what needs no token can be had without
    }
}

// The cache's layout: a repository's folder is "models--ORGANISATION--NAME" (repo_folder_name), and each of
// its snapshots a folder of links to the blobs that it shares with others.

constexpr std::string_view folderPrefix = "models--";
constexpr std::string_view separator = "--";

fs::path repositoryFolder(const std::string& id) {
    std::string name(folderPrefix);
    for (const char letter : id)
        name += letter == '/' ? std::string(separator) : std::string(1, letter);
    return huggingFaceCache() / name;
}

/// Returns the snapshot of the branch main, then the others, the newest first.
std::vector<fs::path> snapshotsOf(const fs::path& repository) {
    std::vector<fs::path> snapshots = sortedEntries(repository / "snapshots");
    std::erase_if(snapshots, [](const fs::path& path) { return !isFolder(path); });
    const auto age = [](const fs::path& path) {
        std::error_code ignored;
        return fs::last_write_time(path, ignored).time_since_epoch();
    };
    std::ranges::stable_sort(snapshots, std::ranges::greater(), age);
    std::ifstream ref(repository / "refs" / "main");
    std::string commit;
    constexpr int longestCommit = 100;  // characters; a file of any size may lie there
    if (ref >> std::setw(longestCommit) >> commit) {
        const auto main = std::ranges::find(snapshots, commit,
                                            [](const fs::path& path) { return path.filename().string(); });
        if (main != snapshots.end())
            std::rotate(snapshots.begin(), main, main + 1);
    }
    return snapshots;
}

// Whether a snapshot is whole.

/// Returns the shards that an index names; nothing when it cannot be read.
std::optional<std::set<std::string>> shardsIn(const fs::path& index) {
    try {
        std::set<std::string> shards;
        const json content = readJsonObject(index);
        for (const auto& [tensor, shard] : content.at("weight_map").items())
            shards.insert(shard.get<std::string>());
        const bool stay = std::ranges::all_of(
            shards, [](const fs::path& shard) { return shard.has_filename() && !shard.has_parent_path(); });
        return stay ? std::optional(shards) : std::nullopt;  // Checkpoint::open() says what is wrong
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

/// What is missing of the weights in a folder: nothing if a file of all or all shards of an index are there.
std::vector<std::string> missingWeights(const fs::path& snapshot, const fs::path& folder) {
    std::vector<std::string> missing;
    std::set<std::string> sharded;
    std::vector<fs::path> files;
    bool isWhole = false;
    for (const fs::path& entry : sortedEntries(folder)) {
        if (hasTensorFileName(entry) && isFile(entry))
            files.push_back(entry);
        if (!isShardIndexName(entry) || !isFile(entry))
            continue;
        const std::optional<std::set<std::string>> shards = shardsIn(entry);
        if (!shards) {
            missing.push_back(entry.lexically_relative(snapshot).string());
            continue;
        }
        bool all = !shards->empty();
        for (const std::string& shard : *shards) {
            sharded.insert(shard);
            if (isFile(folder / shard))
                continue;
            all = false;
            missing.push_back((folder / shard).lexically_relative(snapshot).string());
        }
        isWhole = isWhole || all;
    }
    const auto standsAlone = [&](const fs::path& file) {
        const std::string name = file.filename().string();
        return !sharded.contains(name) && name.find("-of-0") == std::string::npos;
    };
    if (isWhole || std::ranges::any_of(files, standsAlone))
        return {};
    if (missing.empty())
        missing.push_back(folder == snapshot ? "weights" : folder.lexically_relative(snapshot).string());
    return missing;
}

/// Parts of a model in diffusers layout that hold no weights, by the class that model_index.json gives them.
bool hasWeights(const std::string& className) {
    constexpr auto others =
        std::to_array<std::string_view>({"Scheduler", "Tokenizer", "Processor", "Extractor"});
    return std::ranges::none_of(
        others, [&](std::string_view other) { return className.find(other) != std::string::npos; });
}

std::vector<std::string> missingParts(const fs::path& snapshot) {
    std::vector<std::string> missing;
    json index;
    try {
        index = readJsonObject(snapshot / modelIndexName);
    } catch (const Error&) {
        return {modelIndexName};
    }
    for (const auto& [part, value] : index.items()) {
        if (part.starts_with('_') || !value.is_array() || value.size() != 2 || !value[1].is_string())
            continue;
        const fs::path folder = snapshot / part;
        std::vector<std::string> lacks;
        if (hasWeights(value[1].get<std::string>()))
            lacks = missingWeights(snapshot, folder);
        else if (sortedEntries(folder).empty())
            lacks.push_back(part);
        std::ranges::move(lacks, std::back_inserter(missing));
    }
    return missing;
}

/// For a model in the Wan project's layout: the transformer, or both experts.
std::vector<std::string> missingOriginal(const fs::path& snapshot) {
    std::vector<std::string> missing;
    bool isOne = false;
    for (const char* expert : {"high_noise_model", "low_noise_model"})
        isOne = isOne || isFolder(snapshot / expert);
    if (!isOne)
        return missingWeights(snapshot, snapshot);
    for (const char* expert : {"high_noise_model", "low_noise_model"})
        std::ranges::move(missingWeights(snapshot, snapshot / expert), std::back_inserter(missing));
    return missing;
}

/// Links whose blob did not come, or is gone.
std::vector<std::string> danglingLinks(const fs::path& snapshot) {
    std::vector<std::string> dangling;
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(snapshot, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (fs::is_symlink(entry->symlink_status()) && !isThere(entry->path()))
            dangling.push_back(entry->path().lexically_relative(snapshot).string());
    std::ranges::sort(dangling);
    return dangling;
}

bool holdsWeights(const fs::path& snapshot) {
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(snapshot, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (hasTensorFileName(entry->path()) || isShardIndexName(entry->path()))
            return true;
    return false;
}

/// What downloads that broke off left of the repository's files.
std::vector<std::string> brokenOff(const fs::path& repository) {
    std::vector<std::string> files;
    for (const fs::path& blob : sortedEntries(repository / "blobs"))
        if (blob.extension() == ".incomplete")
            files.push_back(blob.lexically_relative(repository).string());
    return files;
}

/// For a repository that is not a model, such as one of adapters, only an interrupted download is known to be
/// missing.
std::vector<std::string> missingFiles(const fs::path& snapshot) {
    std::vector<std::string> missing = danglingLinks(snapshot);
    if (!missing.empty())
        return missing;
    if (isThere(snapshot / modelIndexName))
        return missingParts(snapshot);
    if (isFolder(snapshot / "high_noise_model") || isFolder(snapshot / "low_noise_model") ||
        isThere(snapshot / "diffusion_pytorch_model.safetensors") ||
        std::ranges::any_of(sortedEntries(snapshot), isShardIndexName))
        return missingOriginal(snapshot);
    return holdsWeights(snapshot) ? brokenOff(snapshot.parent_path().parent_path())
                                  : std::vector<std::string>{modelIndexName};
}

}  // namespace

fs::path huggingFaceCache() {
    for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
        if (const auto cache = pathIn(variable))
            return *cache;
    return homeOfHub() / "hub";
}

std::string huggingFaceToken() {
    if (isOn("HF_HUB_DISABLE_IMPLICIT_TOKEN"))
        return {};
    for (const char* variable : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
        if (const std::string value = hubValue(variable); !value.empty())
            return cleanToken(value);
    return keptToken();
}

bool isHuggingFaceOffline() {
    return isOn(hubValue("HF_HUB_OFFLINE").empty() ? "TRANSFORMERS_OFFLINE" : "HF_HUB_OFFLINE");
}

std::optional<CachedModel> findCachedModel(const std::string& id) {
    if (id.empty() || id.find("..") != std::string::npos)
        return std::nullopt;
    std::optional<CachedModel> incomplete;
    for (const fs::path& snapshot : snapshotsOf(repositoryFolder(id))) {
        CachedModel model{.id = id, .snapshot = snapshot, .missing = missingFiles(snapshot)};
        if (model.missing.empty())
            return model;
        // A card alone says less about what is missing than an interrupted download.
        const bool isFirst = !incomplete || (!holdsWeights(incomplete->snapshot) && holdsWeights(snapshot));
        if (isFirst)
            incomplete = std::move(model);
    }
    return incomplete;
}

std::vector<CachedModel> cachedModels() {
    std::vector<CachedModel> models;
    for (const fs::path& repository : sortedEntries(huggingFaceCache())) {
        std::string name = repository.filename().string();
        if (!name.starts_with(folderPrefix))
            continue;
        name.erase(0, folderPrefix.size());
        const std::size_t split = name.find(separator);
        if (split == std::string::npos)
            continue;
        if (auto model = findCachedModel(name.replace(split, separator.size(), "/")))
            models.push_back(*std::move(model));
    }
    return models;
}

std::vector<fs::path> huggingFaceSnapshots(const std::string& id) {
    return snapshotsOf(repositoryFolder(id));
}

std::optional<fs::path> findHuggingFaceBlob(const std::string& sha256) {
    for (const fs::path& repository : sortedEntries(huggingFaceCache()))
        if (isFile(repository / "blobs" / sha256))  // what is stored in Git LFS has its hash as name
            return repository / "blobs" / sha256;
    return std::nullopt;
}

}  // namespace meshreel
