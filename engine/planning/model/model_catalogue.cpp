// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/model_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/models/families/inferred_config.h"
#include "engine/planning/model/model_index.h"
#include "engine/planning/model/weights_inspection.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int deepestFolder = 5;

std::vector<fs::path> sortedEntries(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        entries.push_back(entry->path());
    std::ranges::sort(entries);
    return entries;
}

/// Walks a models folder and leaves out the folders of models in diffusers layout.
class Scan {
  public:
    explicit Scan(ModelCatalogue& catalogue) : m_catalogue(catalogue) {}

    void walk(const fs::path& folder, int depth) {
        std::error_code ignored;
        const fs::path canonical = fs::canonical(folder, ignored);
        if (depth > deepestFolder || isThere(folder / modelIndexName) || !m_seen.insert(canonical).second)
            return;
        if (isThere(folder / "tokenizer.json") || isThere(folder / "spiece.model"))
            m_catalogue.tokenizers.push_back(folder);
        for (const fs::path& entry : sortedEntries(folder))
            if (fs::is_directory(entry, ignored))
                walk(entry, depth + 1);
            else if (hasTensorFileName(entry) && fs::is_regular_file(entry, ignored))
                m_catalogue.files.push_back(describeFile(entry));
    }

  private:
    ModelCatalogue& m_catalogue;
    std::set<fs::path> m_seen;
};

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
            break;
        case ModelPart::TextEncoder:
            file.textWidth = numberOf(config, "d_model");
            file.vocabulary = numberOf(config, "vocab_size");
            break;
        case ModelPart::ImageEncoder:
            file.imageWidth = numberOf(config, "hidden_size");
            break;
    }
}

/// The first storage that is not read; one is enough to refuse the file.
Sentence unreadStorageOf(const Checkpoint& checkpoint) {
    for (const std::string& name : checkpoint.names())
        if (checkpoint.shape(name).rank() > 1)
            if (Sentence storage = checkpoint.unreadStorage(name); !storage.empty())
                return storage;
    return {};
}

/// Every low-rank adapter holds such a name; the whole differences of some stand beside them.
bool isAdapter(const TensorFile& file) {
    return std::ranges::any_of(file.tensors(), [](const FileTensor& tensor) {
        return tensor.name.find(".lora_") != std::string::npos ||
               tensor.name.find(".lora.") != std::string::npos || tensor.name.ends_with(".diff") ||
               tensor.name.ends_with(".diff_b");
    });
}

/// What is wrong and with which tensor; the file is told beside it.
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
    for (const InspectedPart& part : inspectParts(model.folder))
        if (part.found || part.needed)
            parts.push_back(std::string(part.name) + (part.found ? "" : " (missing)"));
    return parts;
}

}  // namespace

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
        file.unread = unreadStorageOf(checkpoint);
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
                            model.pipelineClass.empty() ? "no pipeline" : model.pipelineClass,
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
