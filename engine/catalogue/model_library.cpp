// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/folder_entries.h"
#include "engine/catalogue/hugging_face_cache.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/weights_inspection.h"
#include "engine/models/families/inferred_config.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

// Models in folders.

constexpr std::string_view folderSetting = "models-folder";

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
    return isFile(folder / modelIndexName);
}

bool isAnyModel(const fs::path& folder) {
    return isModel(folder) || holdsOriginalModel(folder);
}

std::vector<fs::path> subfolders(const fs::path& folder) {
    std::vector<fs::path> entries = sortedEntries(folder);
    std::erase_if(entries, std::not_fn(isFolder));
    return entries;
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
        return withoutFrontMatter(readFile(folder / "README.md"));
    } catch (const Error&) {
        return {};  // a model need not have a card
    }
}

std::string readPipelineClass(const fs::path& folder) {
    try {
        return readJsonObject(folder / modelIndexName).value("_class_name", std::string());
    } catch (const std::exception&) {
        return {};  // readModelFacts says so when the model is used
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

/// Adds the models of one models folder: NAME, or ORGANISATION/NAME like Hugging Face ids.
void addModelsIn(const fs::path& folder, bool embedded, std::vector<ModelInfo>& models) {
    const auto add = [&](const fs::path& path, const std::string& name) {
        ModelInfo model = describeModel(path);
        model.name = name;
        model.embedded = embedded;
        models.push_back(std::move(model));
    };
    for (const fs::path& path : subfolders(folder)) {
        const std::string name = path.filename().string();
        if (isAnyModel(path)) {
            add(path, name);
            continue;
        }
        for (const fs::path& nested : subfolders(path))
            if (isAnyModel(nested))
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
    if (!looksLikeId(name)) {
        const ModelOffer* const offer = findOffer(name);
        throw Error(
            ErrorKind::Input, sentence("the model \"{}\" is not installed", name),
            "pretrained_model_name_or_path",
            offer == nullptr || offer->kind != OfferKind::Model
                ? sentence("{}; or give the path of a checkpoint folder", installed)
                : sentence("Get it with: meshreel get {}; it prints the lines that a project needs. {}", name,
                           installed));
    }
    const auto offer = std::ranges::find(modelOffers(), name, &ModelOffer::release);
    throw Error(
        ErrorKind::Input, sentence("the model \"{}\" is not on this machine", name),
        "pretrained_model_name_or_path",
        offer == modelOffers().end()
            ? sentence("Download it with: {}. {}", downloadCommand(name), installed)
            : sentence("Get it as single files with: meshreel get {}; or download it whole with: {}. {}",
                       offer->id, downloadCommand(name), installed));
}

[[noreturn]] void throwIncomplete(const CachedModel& model) {
    constexpr std::size_t mostNamed = 3;
    const std::size_t named = std::min(model.missing.size(), mostNamed);
    const std::string names = fmt::to_string(
        fmt::join(model.missing.begin(), model.missing.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    const std::size_t others = model.missing.size() - named;
    throw Error(ErrorKind::Input,
                others == 0 ? sentence("the download of \"{}\" is incomplete: it lacks {}", model.id, names)
                            : sentence("the download of \"{}\" is incomplete: it lacks {} and {} other files",
                                       model.id, names, others),
                withTilde(model.snapshot), sentence("Finish it with: hf download {}", model.id));
}

fs::path requireModel(const fs::path& folder) {
    if (!isFolder(folder))
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
        // findModel says so when a model is wanted that may lie there; a checkpoint path needs no resources.
    }
    std::ranges::move(userModelFolders(), std::back_inserter(folders));
    return folders;
}

std::vector<fs::path> userModelFolders() {
    if (const char* asked = std::getenv("MESHREEL_MODELS"); asked != nullptr && *asked != '\0')
        return splitFolders(asked);
    if (const std::optional<fs::path> kept = keptFolder(folderSetting))
        return {*kept};
    return {userDataFolder() / "models"};
}

void setModelsFolder(const fs::path& folder) {
    keepFolder(folderSetting, folder);
}

std::vector<ModelInfo> installedModels() {
    std::vector<ModelInfo> models;
    const auto folders = modelFolders();
    const std::size_t shipped = folders.size() - userModelFolders().size();
    for (std::size_t index = 0; index < folders.size(); ++index)
        addModelsIn(folders[index], index < shipped, models);
    for (const CachedModel& cached : cachedModels()) {
        if (!cached.missing.empty() || !isAnyModel(cached.snapshot))
            continue;
        ModelInfo model = describeModel(cached.snapshot);
        model.name = cached.id;
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
    const std::optional<CachedModel> cached =
        looksLikeId(nameOrPath) ? findCachedModel(nameOrPath) : std::nullopt;
    if (cached && cached->missing.empty())
        return requireModel(cached->snapshot);
    if (isFolder(nameOrPath))
        return requireModel(nameOrPath);
    if (cached)
        throwIncomplete(*cached);
    throwNotInstalled(nameOrPath);
}

std::string downloadCommand(const std::string& id, const fs::path& folder) {
    return fmt::format("hf download {} --local-dir {}", id,
                       withTilde(folder.empty() ? userModelFolders().front() / id : folder));
}

ModelInfo describeModel(const fs::path& folder) {
    return {.name = folder.filename().string(),
            .folder = folder,
            .pipelineClass = readPipelineClass(folder),
            .card = readCard(folder),
            .bytes = weightBytes(folder),
            .original = holdsOriginalModel(folder)};
}

namespace {

// Models as the Wan project publishes them.

constexpr std::array<std::string_view, 2> expertFolders = {"high_noise_model", "low_noise_model"};
constexpr std::array<std::string_view, 2> transformerFiles = {
    "diffusion_pytorch_model.safetensors.index.json", "diffusion_pytorch_model.safetensors"};
constexpr std::string_view tokenizerFolder = "google/umt5-xxl";

/// The transformer that lies in a folder itself; empty when none does.
fs::path transformerIn(const fs::path& folder) {
    for (const std::string_view name : transformerFiles)
        if (isFile(folder / name))
            return folder / name;
    return {};
}

bool hasExperts(const fs::path& folder) {
    return std::ranges::all_of(
        expertFolders, [&](std::string_view expert) { return !transformerIn(folder / expert).empty(); });
}

/// A part of a model in diffusers layout holds such a file too: it stands below a model_index.json.
bool isOriginalFolder(const fs::path& folder) {
    return !isThere(folder / modelIndexName) && !isThere(folder.parent_path() / modelIndexName) &&
           (hasExperts(folder) || !transformerIn(folder).empty());
}

}  // namespace

bool holdsOriginalModel(const fs::path& folder) {
    if (!isOriginalFolder(folder))
        return false;
    try {
        const fs::path file = transformerIn(hasExperts(folder) ? folder / expertFolders[0] : folder);
        return Checkpoint::open(file).layout().part == ModelPart::Transformer;
    } catch (const Error&) {
        return false;  // the list of files says what is wrong with it
    }
}

std::optional<fs::path> findOriginalFolder(const std::string& nameOrPath) {
    if (nameOrPath.empty())
        return std::nullopt;
    const fs::path asked = expandTilde(nameOrPath);
    std::vector<fs::path> candidates;
    if (asked.is_relative())
        for (const fs::path& folder : modelFolders())
            candidates.push_back(folder / asked);
    if (looksLikeId(nameOrPath))
        if (const auto cached = findCachedModel(nameOrPath); cached && cached->missing.empty())
            candidates.push_back(cached->snapshot);
    candidates.push_back(asked);
    const auto found = std::ranges::find_if(candidates, isOriginalFolder);
    return found == candidates.end() ? std::nullopt : std::optional(*found);
}

PartSources originalParts(const fs::path& folder) {
    PartSources sources;
    if (hasExperts(folder)) {
        sources["transformer"] = transformerIn(folder / expertFolders[0]);
        sources["transformer_2"] = transformerIn(folder / expertFolders[1]);
    } else {
        sources["transformer"] = transformerIn(folder);
    }
    std::vector<fs::path> files;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (hasTensorFileName(entry->path()) && isFile(entry->path()) &&
            !entry->path().filename().string().starts_with("diffusion_pytorch_model"))
            files.push_back(entry->path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const CatalogueFile described = describeFile(file);
        if (described.problem.empty() && !described.adapter && described.identity.part &&
            described.identity.part != ModelPart::Transformer && !described.onlyDecodes)
            sources.try_emplace(std::string(nameOf(*described.identity.part)), file);
    }
    if (isFolder(folder / tokenizerFolder))
        sources["tokenizer"] = folder / tokenizerFolder;
    for (const fs::path& entry : sortedEntries(folder))  // of S2V: wav2vec2-large-xlsr-53-english
        if (isFolder(entry) && entry.filename().string().starts_with("wav2vec2"))
            sources.try_emplace("audio_encoder", entry);
    return sources;
}

namespace {

using nlohmann::json;

/// Walks a models folder and leaves out the folders of models in diffusers layout.
class Scan {
  public:
    explicit Scan(ModelCatalogue& catalogue) : m_catalogue(catalogue) {}

    void walk(const fs::path& folder, int depth) {
        constexpr int deepestFolder = 5;
        std::error_code ignored;
        const fs::path canonical = fs::canonical(folder, ignored);
        if (depth > deepestFolder || isThere(folder / modelIndexName) || !m_seen.insert(canonical).second)
            return;
        if (isThere(folder / "tokenizer.json") || isThere(folder / "spiece.model"))
            m_catalogue.tokenizers.push_back(folder);
        for (const fs::path& entry : sortedEntries(folder))
            if (isFolder(entry))
                walk(entry, depth + 1);
            else if (hasTensorFileName(entry) && isFile(entry))
                m_catalogue.files.push_back(describeFile(entry));
    }

  private:
    ModelCatalogue& m_catalogue;
    std::set<fs::path> m_seen;
};

/// Absolute, without a "/" at the end, which would leave it no name.
fs::path tidyPath(const fs::path& path) {
    const fs::path tidy = fs::absolute(path).lexically_normal();
    return tidy.has_filename() ? tidy : tidy.parent_path();
}

bool liesIn(const fs::path& folder, const fs::path& path) {
    std::error_code ignored;
    const fs::path relative = fs::relative(path, folder, ignored);
    return !ignored && !relative.empty() && *relative.begin() != "..";
}

/// Throws Error{Input} for what neither is nor holds weights that are read.
void requireWeights(const fs::path& path) {
    if (!isFolder(path)) {
        if (const CatalogueFile file = describeFile(path); !file.problem.empty())
            throw Error(ErrorKind::Input, file.problem, withTilde(path),
                        sentence("Choose a file of weights: .safetensors, .gguf or .pth"));
        return;
    }
    ModelCatalogue found;
    Scan(found).walk(path, 0);
    if (!isModel(path) && found.files.empty())
        throw Error(ErrorKind::Input, sentence("the folder holds no model and no weights"), withTilde(path),
                    sentence("Choose a folder with {}, or one with files of weights", modelIndexName));
}

std::int64_t numberOf(const json& config, const char* key) {
    const auto found = config.find(key);
    return found != config.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

void readNumbers(const Checkpoint& checkpoint, CatalogueFile& file) {
    const json config = configOf(checkpoint);
    switch (*file.identity.part) {
        case ModelPart::Transformer:
            file.latentChannels = numberOf(config, "out_channels");
            file.textWidth = numberOf(config, "text_dim");
            break;
        case ModelPart::Vae:
            file.latentChannels = numberOf(config, "z_dim");
            file.onlyDecodes = config.value("_class_name", std::string()) == tinyVaeClass;
            break;
        case ModelPart::TextEncoder:
            file.textWidth = numberOf(config, "d_model");
            file.vocabulary = numberOf(config, "vocab_size");
            break;
        case ModelPart::ImageEncoder:
            file.imageWidth = numberOf(config, "hidden_size");
            break;
        case ModelPart::AudioEncoder:
            file.soundWidth = numberOf(config, "hidden_size");
            break;
    }
}

/// The first storage that is not read; one is enough to refuse the file.
Sentence describeUnreadStorage(const Checkpoint& checkpoint) {
    for (const std::string& name : checkpoint.names())
        if (checkpoint.shape(name).rank() > 1)
            if (Sentence storage = checkpoint.unreadStorage(name); !storage.empty())
                return storage;
    return {};
}

/// Every adapter holds such a name; the whole differences of some stand beside them.
bool isAdapter(const TensorFile& file) {
    return std::ranges::any_of(file.tensors(), [](const FileTensor& tensor) {
        return tensor.name.find(".lora_") != std::string::npos ||
               tensor.name.find(".lora.") != std::string::npos ||
               tensor.name.find(".hada_w1_") != std::string::npos ||
               tensor.name.find(".lokr_w1") != std::string::npos || tensor.name.ends_with(".diff") ||
               tensor.name.ends_with(".diff_b");
    });
}

/// What is wrong and with which tensor; the file is named beside it.
Sentence withPlaceIn(const fs::path& file, const Error& error) {
    const std::string beginning = file.string() + ", ";
    return error.where().starts_with(beginning)
               ? sentence("{}: {}", error.where().substr(beginning.size()), error.message())
               : error.message();
}

std::string whatIs(const CatalogueFile& file) {
    if (!file.problem.empty())
        return "cannot be used: " + file.problem.text();
    if (file.adapter)
        return "adapter";
    const ModelIdentity& identity = file.identity;
    if (!identity.relative.empty())
        return identity.relative.text() + ", which Meshreel does not run";
    if (!identity.part)
        return "no part of a Wan model";
    if (!file.unread.empty())
        return fmt::format("{} stored as {}, which Meshreel does not read", nameOf(*identity.part),
                           file.unread);
    const std::string what = identity.what.empty() ? "of no released size" : identity.what;
    return fmt::format("{}: {}{}{}{}", nameOf(*identity.part), identity.family,
                       identity.family.empty() ? "" : ", ", what,
                       identity.doubt.empty() ? std::string() : " (unsure: " + identity.doubt.text() + ")");
}

std::vector<std::string> partsOf(const ModelInfo& model) {
    std::vector<std::string> parts;
    if (model.original) {
        for (const auto& [part, file] : originalParts(model.folder))
            parts.push_back(part);
        return parts;
    }
    for (const InspectedPart& part : inspectParts(model.folder))
        if (part.found || part.needed)
            parts.push_back(std::string(part.name) + (part.found ? "" : " (missing)"));
    return parts;
}

}  // namespace

fs::path addModel(const fs::path& given) {
    const fs::path path = tidyPath(given);
    requireWeights(path);
    for (const fs::path& folder : modelFolders())
        if (liesIn(folder, path))
            throw Error(ErrorKind::Input, sentence("it lies in a models folder already"), withTilde(path),
                        sentence("It is listed as it is"));
    const fs::path models = userModelFolders().front();
    const fs::path link = models / path.filename();
    std::error_code failure;
    fs::create_directories(models, failure);
    if (fs::exists(fs::symlink_status(link)))
        throw Error(ErrorKind::Input, sentence("the models folder has something of this name"),
                    withTilde(link), sentence("Rename one of them, or remove that one"));
    if (isFolder(path))
        fs::create_directory_symlink(path, link, failure);
    else
        fs::create_symlink(path, link, failure);
    if (lacksCall(failure.value()))
        throw Error(ErrorKind::Input,
                    sentence("the disk of the models folder keeps no links ({})", failure.message()),
                    withTilde(link),
                    sentence("Move the model into the models folder, or choose one on another disk"));
    if (failure)
        throw Error(ErrorKind::Input, sentence("the link cannot be made: {}", failure.message()),
                    withTilde(link), sentence("Choose a models folder that you may write to"));
    return link;
}

CatalogueFile describeFile(const fs::path& path) {
    CatalogueFile file{.path = path, .identity = {}, .format = {}, .unread = {}, .problem = {}};
    std::error_code ignored;
    file.bytes = fs::file_size(path, ignored);
    try {
        const Checkpoint checkpoint = Checkpoint::open(path);
        file.format = checkpoint.shards().front().format();
        file.adapter = isAdapter(checkpoint.shards().front());
        if (file.adapter)
            return file;
        file.identity = identify(checkpoint);
        file.unread = describeUnreadStorage(checkpoint);
        if (file.identity.part)
            readNumbers(checkpoint, file);
    } catch (const Error& error) {
        if (file.format.empty())
            file.problem = withPlaceIn(path, error);
        else if (file.identity.doubt.empty())
            file.identity.doubt = error.message();
    } catch (const json::exception&) {
        file.problem = sentence("the config.json beside it is not of this file");
    }
    return file;
}

ModelCatalogue scanModels() {
    ModelCatalogue catalogue{.models = installedModels(), .files = {}, .tokenizers = {}};
    Scan scan(catalogue);
    for (const fs::path& folder : userModelFolders())
        scan.walk(folder, 0);
    return catalogue;
}

std::string catalogueText(const ModelCatalogue& catalogue) {
    std::string text;
    for (const ModelInfo& model : catalogue.models)
        text += fmt::format("{} ({}, {}{})\n  {}\n  parts: {}\n", model.name,
                            model.original                ? "a folder of the Wan project"
                            : model.pipelineClass.empty() ? "no pipeline"
                                                          : model.pipelineClass,
                            formatBytes(model.bytes), model.embedded ? ", comes with Meshreel" : "",
                            withTilde(model.folder), fmt::join(partsOf(model), ", "));
    for (const CatalogueFile& file : catalogue.files)
        text += fmt::format("{} ({}{}{})\n  {}\n", withTilde(file.path), formatBytes(file.bytes),
                            file.format.empty() ? "" : ", ", file.format, whatIs(file));
    for (const fs::path& folder : catalogue.tokenizers)
        text += fmt::format("{}\n  tokenizer\n", withTilde(folder));
    std::vector<std::string> folders;
    for (const fs::path& folder : userModelFolders())
        folders.push_back(withTilde(folder));
    return text + fmt::format("Models folder: {} (docs/models.md says what to put there)\n",
                              fmt::join(folders, ", "));
}

json catalogueJson(const ModelCatalogue& catalogue) {
    json models = json::array();
    for (const ModelInfo& model : catalogue.models)
        models.push_back({{"name", model.name},
                          {"folder", model.folder.string()},
                          {"pipeline", model.pipelineClass},
                          {"bytes", model.bytes},
                          {"embedded", model.embedded},
                          {"original", model.original},
                          {"parts", partsOf(model)}});
    json files = json::array();
    for (const CatalogueFile& file : catalogue.files) {
        const ModelIdentity& identity = file.identity;
        files.push_back({{"path", file.path.string()},
                         {"part", identity.part ? json(nameOf(*identity.part)) : json(nullptr)},
                         {"adapter", file.adapter},
                         {"family", identity.family.text()},
                         {"what", identity.what.text()},
                         {"relative", identity.relative.text()},
                         {"doubt", identity.doubt.text()},
                         {"unread", file.unread.text()},
                         {"format", file.format},
                         {"bytes", file.bytes},
                         {"problem", file.problem.text()}});
    }
    json tokenizers = json::array();
    for (const fs::path& folder : catalogue.tokenizers)
        tokenizers.push_back(folder.string());
    return {{"models", models}, {"files", files}, {"tokenizers", tokenizers}};
}

}  // namespace meshreel
