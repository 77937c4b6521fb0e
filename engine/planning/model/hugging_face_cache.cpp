// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/hugging_face_cache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "engine/base/paths.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

// A repository's folder is "models--ORGANISATION--NAME" (huggingface_hub, repo_folder_name).
constexpr std::string_view folderPrefix = "models--";
constexpr std::string_view separator = "--";

fs::path cacheFolder() {
    if (const char* cache = std::getenv("HF_HUB_CACHE"); cache != nullptr && *cache != '\0')
        return cache;
    if (const char* home = std::getenv("HF_HOME"); home != nullptr && *home != '\0')
        return fs::path(home) / "hub";
    return expandTilde("~/.cache/huggingface/hub");
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        found.push_back(entry->path());
    std::ranges::sort(found);
    return found;
}

std::optional<fs::path> snapshotOf(const fs::path& repository) {
    std::ifstream ref(repository / "refs" / "main");
    std::string commit;
    std::error_code ignored;
    if (ref >> commit && fs::is_directory(repository / "snapshots" / commit, ignored))
        return repository / "snapshots" / commit;
    const auto snapshots = entriesOf(repository / "snapshots");
    return snapshots.empty() ? std::nullopt : std::optional(snapshots.back());
}

}  // namespace

std::optional<fs::path> findHuggingFaceModel(const std::string& id) {
    const std::size_t slash = id.find('/');
    if (slash == std::string::npos)
        return std::nullopt;
    std::string name(folderPrefix);
    name += id.substr(0, slash);
    name += separator;
    name += id.substr(slash + 1);
    return snapshotOf(cacheFolder() / name);
}

std::vector<std::pair<std::string, fs::path>> huggingFaceModels() {
    std::vector<std::pair<std::string, fs::path>> models;
    for (const fs::path& repository : entriesOf(cacheFolder())) {
        std::string name = repository.filename().string();
        if (!name.starts_with(folderPrefix))
            continue;
        name.erase(0, folderPrefix.size());
        const std::size_t split = name.find(separator);
        const auto snapshot = snapshotOf(repository);
        if (split == std::string::npos || !snapshot)
            continue;
        models.emplace_back(name.replace(split, separator.size(), "/"), *snapshot);
    }
    return models;
}

}  // namespace meshreel
