// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/model_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/planning/model/hugging_face_cache.h"
#include "engine/planning/model/model_index.h"
#include "engine/weights/formats/json_file.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* cardName = "README.md";

constexpr const char* foldersVariable = "MESHREEL_MODELS";

fs::path settingFile() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const fs::path folder = config != nullptr && *config == '/' ? fs::path(config) : expandTilde("~/.config");
    return folder / "meshreel" / "models-folder";
}

std::vector<fs::path> splitFolders(std::string_view text) {
    std::vector<fs::path> folders;
    while (!text.empty()) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        if (colon > 0)
            folders.push_back(expandTilde(std::string(text.substr(0, colon))));
        text.remove_prefix(std::min(colon + 1, text.size()));
    }
    return folders;
}

bool isModel(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / modelIndexName, ignored);
}

std::vector<fs::path> subfolders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code ignored;
        if (entry->is_directory(ignored))
            found.push_back(entry->path());
    }
    std::ranges::sort(found);
    return found;
}

/// The card without the block between two "---" lines that it may start with.
std::string withoutFrontMatter(const std::string& card) {
    constexpr std::string_view fence = "---\n";
    if (!card.starts_with(fence))
        return card;
    const std::size_t end = card.find("\n---\n", fence.size() - 1);
    if (end == std::string::npos)
        return card;
    const std::size_t body = card.find_first_not_of('\n', end + fence.size() + 1);
    return body == std::string::npos ? std::string() : card.substr(body);
}

std::string readCard(const fs::path& folder) {
    try {
        return withoutFrontMatter(readFile(folder / cardName));
    } catch (const Error&) {
        return {};  // a model need not have a card
    }
}

std::string readPipelineClass(const fs::path& folder) {
    try {
        return readJsonObject(folder / modelIndexName).value("_class_name", std::string());
    } catch (const std::exception&) {
        return {};  // told by readModelFacts when the model is used
    }
}

std::uintmax_t weightBytes(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code ignored;
        if (hasTensorFileName(entry->path()) && entry->is_regular_file(ignored))
            bytes += entry->file_size(ignored);
    }
    return bytes;
}

/// Models of one models folder: NAME, or ORGANISATION/NAME as Hugging Face ids are.
void addModelsOf(const fs::path& folder, bool embedded, std::vector<ModelInfo>& models) {
    const auto add = [&](const fs::path& path, const std::string& name) {
        ModelInfo model = describeModel(path);
        model.name = name;
        model.embedded = embedded;
        models.push_back(std::move(model));
    };
    for (const fs::path& path : subfolders(folder)) {
        const std::string name = path.filename().string();
        if (isModel(path)) {
            add(path, name);
            continue;
        }
        for (const fs::path& nested : subfolders(path))
            if (isModel(nested))
                add(nested, name + "/" + nested.filename().string());
    }
}

bool looksLikePath(const std::string& text) {
    return text.starts_with('/') || text.starts_with('.') || text.starts_with('~');
}

/// "ORGANISATION/NAME".
bool looksLikeId(const std::string& text) {
    return !looksLikePath(text) && std::ranges::count(text, '/') == 1 && !text.ends_with('/');
}

[[noreturn]] void throwNotInstalled(const std::string& name) {
    static_cast<void>(resourceFolder());  // a broken installation explains more than a missing model
    std::vector<std::string> names;
    for (const ModelInfo& model : installedModels())
        names.push_back(model.name);
    const Sentence installed = names.empty()
                                   ? sentence("Installed: nothing")
                                   : sentence("Installed: {}", fmt::to_string(fmt::join(names, ", ")));
    if (!looksLikeId(name))
        throw Error(ErrorKind::Input, sentence("the model \"{}\" is not installed", name),
                    "pretrained_model_name_or_path",
                    sentence("{}; or give the path of a checkpoint folder", installed));
    const std::string folder = withTilde(modelFolders().back() / name);
    throw Error(ErrorKind::Input, sentence("the model \"{}\" is not on this machine", name),
                "pretrained_model_name_or_path",
                sentence("Download it with: huggingface-cli download {} --local-dir {}. {}", name, folder,
                         installed));
}

fs::path requireModel(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::Input, sentence("there is no such checkpoint folder"), withTilde(folder),
                    sentence("Check pretrained_model_name_or_path"));
    if (!isModel(folder))
        throw Error(ErrorKind::Input, sentence("the folder holds no {}", modelIndexName), withTilde(folder),
                    sentence("Give a checkpoint in diffusers layout (a repository whose name ends in "
                             "-Diffusers)"));
    return folder;
}

}  // namespace

std::vector<fs::path> modelFolders() {
    std::vector<fs::path> folders;
    try {
        folders.push_back(resourceFolder() / "models");
    } catch (const Error&) {
        // findModel tells when a model is wanted that may lie there; a checkpoint path needs no resources.
    }
    std::ranges::move(userModelFolders(), std::back_inserter(folders));
    return folders;
}

std::vector<fs::path> userModelFolders() {
    if (const char* asked = std::getenv(foldersVariable); asked != nullptr && *asked != '\0')
        return splitFolders(asked);
    try {
        const std::string set = readFile(settingFile());
        if (const std::string line = set.substr(0, set.find('\n')); !line.empty())
            return {expandTilde(line)};
    } catch (const Error&) {
        // nothing is set
    }
    return {userDataFolder() / "models"};
}

void setModelsFolder(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty()) {
        fs::remove(settingFile(), ignored);
        return;
    }
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::Input, sentence("there is no such folder"), withTilde(folder),
                    sentence("Make it, or choose the folder that your models lie in"));
    fs::create_directories(settingFile().parent_path(), ignored);
    writeFileAtomically(settingFile(), withTilde(fs::absolute(folder).lexically_normal()) + "\n");
}

std::vector<ModelInfo> installedModels() {
    std::vector<ModelInfo> models;
    const auto folders = modelFolders();
    const std::size_t shipped = folders.size() - userModelFolders().size();
    for (std::size_t index = 0; index < folders.size(); ++index)
        addModelsOf(folders[index], index < shipped, models);
    for (const auto& [id, folder] : huggingFaceModels()) {
        if (!isModel(folder))
            continue;
        ModelInfo model = describeModel(folder);
        model.name = id;
        models.push_back(std::move(model));
    }
    return models;
}

fs::path findModel(const std::string& nameOrPath) {
    if (nameOrPath.empty())
        throw Error(ErrorKind::Input, sentence("no model is named"), "pretrained_model_name_or_path",
                    sentence("Name an installed model, for example tiny-wan-t2v"));
    if (looksLikePath(nameOrPath))
        return requireModel(expandTilde(nameOrPath));
    for (const fs::path& folder : modelFolders())
        for (const fs::path& name : {fs::path(nameOrPath), fs::path(nameOrPath).filename()})
            if (isModel(folder / name))
                return folder / name;
    if (const auto snapshot = findHuggingFaceModel(nameOrPath))
        return requireModel(*snapshot);
    std::error_code ignored;
    if (fs::is_directory(nameOrPath, ignored))
        return requireModel(nameOrPath);
    throwNotInstalled(nameOrPath);
}

ModelInfo describeModel(const fs::path& folder) {
    return {.name = folder.filename().string(),
            .folder = folder,
            .pipelineClass = readPipelineClass(folder),
            .card = readCard(folder),
            .bytes = weightBytes(folder)};
}

}  // namespace meshreel
