// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_offers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/hugging_face_cache.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/published_file.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

// Reading the table.

/// A mistake in the table: where, and what the key should hold.
Error wrongOffer(const std::string& where, std::string_view key) {
    return {ErrorKind::Input, sentence("the key \"{}\" is missing or not as it should be", key), where,
            sentence("Install Meshreel again, or correct the table")};
}

std::string textAt(const json& row, const char* key, const std::string& where) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
        throw wrongOffer(where, key);
    return found->get<std::string>();
}

/// Relative, and nothing that climbs out of the folder that it is below.
bool staysBelow(const fs::path& path) {
    return path.is_relative() && path.has_filename() && path == path.lexically_normal() &&
           *path.begin() != "..";
}

bool isSha256(const std::string& text) {
    constexpr std::size_t digits = 64;
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

OfferedFile readOfferedFile(const json& row, const std::string& where) {
    OfferedFile file{.path = textAt(row, "path", where),
                     .place = textAt(row, "place", where),
                     .exact = row.contains("bytes"),
                     .sha256 = {}};
    if (const auto hash = row.find("sha256"); hash != row.end() && !hash->is_null()) {
        file.sha256 = textAt(row, "sha256", where);
        if (!isSha256(file.sha256))
            throw wrongOffer(where, "sha256");
    }
    const auto bytes = row.find(file.exact ? "bytes" : "about_bytes");
    if (bytes == row.end() || !bytes->is_number_unsigned() || bytes->get<std::uint64_t>() == 0)
        throw wrongOffer(where, "bytes");
    file.bytes = bytes->get<std::uint64_t>();
    if (!staysBelow(file.path))
        throw wrongOffer(where, "path");
    if (!staysBelow(file.place))
        throw wrongOffer(where, "place");
    return file;
}

ModelOffer readOffer(const json& row, const std::string& table) {
    const std::string id = textAt(row, "id", table);
    const std::string where = fmt::format("{}, {}", table, id);
    const std::optional<OfferKind> kind = enumNamed<OfferKind>(textAt(row, "kind", where));
    if (!kind)
        throw wrongOffer(where, "kind");
    ModelOffer offer{.id = id,
                     .title = textAt(row, "title", where),
                     .kind = *kind,
                     .repository = textAt(row, "repository", where),
                     .revision = textAt(row, "revision", where),
                     .licence = textAt(row, "licence", where),
                     .licencePage = textAt(row, "licence_page", where),
                     .release = row.value("release", std::string()),
                     .stored = row.value("stored", std::string()),
                     .width = row.value("width", std::int64_t{0}),
                     .files = {},
                     .needs = row.value("needs", std::vector<std::vector<std::string>>())};
    if (offer.kind == OfferKind::Model && findStoredType(offer.stored) == nullptr)
        throw wrongOffer(where, "stored");
    if (!row.contains("files") || !row.at("files").is_array() || row.at("files").empty())
        throw wrongOffer(where, "files");
    for (const json& file : row.at("files"))
        offer.files.push_back(readOfferedFile(file, where));
    return offer;
}

const ModelOffer* findOffer(const std::vector<ModelOffer>& offers, std::string_view id) {
    const auto found = std::ranges::find(offers, id, &ModelOffer::id);
    return found == offers.end() ? nullptr : &*found;
}

void requireNeeds(const std::vector<ModelOffer>& offers, const std::string& table) {
    for (const ModelOffer& offer : offers)
        for (const std::vector<std::string>& group : offer.needs) {
            const auto isOffered = [&](const std::string& id) { return findOffer(offers, id) != nullptr; };
            if (group.empty() || !std::ranges::all_of(group, isOffered))
                throw wrongOffer(fmt::format("{}, {}", table, offer.id), "needs");
        }
}

}  // namespace

std::vector<ModelOffer> readOffers(const fs::path& table) {
    const json content = readJsonObject(table);
    if (!content.contains("offers") || !content.at("offers").is_array())
        throw wrongOffer(table.string(), "offers");
    std::vector<ModelOffer> offers;
    try {
        for (const json& row : content.at("offers"))
            offers.push_back(readOffer(row, table.string()));
    } catch (const json::exception&) {
        throw wrongOffer(table.string(), "offers");
    }
    requireNeeds(offers, table.string());
    return offers;
}

const std::vector<ModelOffer>& modelOffers() {
    static const std::vector<ModelOffer> offers = readOffers(resourceFolder() / "downloads" / "offers.json");
    return offers;
}

const ModelOffer* findOffer(std::string_view id) {
    return findOffer(modelOffers(), id);
}

const ModelOffer& requireOffer(std::string_view id) {
    if (const ModelOffer* offer = findOffer(id))
        return *offer;
    std::vector<std::string_view> ids;
    for (const ModelOffer& offer : modelOffers())
        ids.push_back(offer.id);
    const std::string_view nearest = nearestName(id, ids);
    throw Error(ErrorKind::Project, sentence("nothing of this name is offered"), std::string(id),
                nearest.empty()
                    ? sentence("Without a name, the command lists all")
                    : sentence("Did you mean \"{}\"? Without a name, the command lists all", nearest));
}

std::uint64_t LocatedFile::bytesMissing() const {
    if (state == FileState::Here || state == FileState::Elsewhere)
        return 0;
    return file->bytes - std::min(file->bytes, bytesBegun);
}

fs::path downloadFolder() {
    return userModelFolders().front();
}

fs::path partialPath(const fs::path& file) {
    return file.parent_path() / ("." + file.filename().string() + ".partial");
}

fs::path recordPath(const fs::path& file) {
    return file.parent_path() / ("." + file.filename().string() + ".source.json");
}

namespace {

// Finding what is there.

constexpr int deepestModelsFolder = 5;

/// Files below a folder, links followed, a few folders deep.
void listFiles(const fs::path& folder, int depth, std::multimap<std::string, fs::path>& files) {
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (isFile(entry->path()))
            files.emplace(entry->path().filename().string(), entry->path());
        else if (depth < deepestModelsFolder && isFolder(entry->path()))
            listFiles(entry->path(), depth + 1, files);
    }
}

std::vector<fs::path> comfyFolders() {
    std::vector<fs::path> folders;
    if (const char* asked = std::getenv("COMFYUI_PATH"); asked != nullptr && *asked != '\0')
        folders.push_back(expandTilde(asked) / "models");
    for (const char* usual : {"~/ComfyUI/models", "~/comfy/ComfyUI/models"})
        folders.push_back(expandTilde(usual));
    return folders;
}

/// Whether a folder holds a tokenizer that can be read, and not a page in its place.
bool holdsTokenizer(const fs::path& folder) {
    try {
        return Tokenizer::countTokens(folder).tokens > 0;
    } catch (const std::exception&) {
        return false;
    }
}

/// Compares what a catalogue knows about a file with what identifies its offer.
bool canStandFor(const CatalogueFile& file, const ModelOffer& offer) {
    if (file.adapter || !file.problem.empty() || !file.unread.empty() || !file.identity.part ||
        !writersFile(file.path).empty())
        return false;
    switch (offer.kind) {
        case OfferKind::TextEncoder:
            return file.identity.part == ModelPart::TextEncoder && file.textWidth == offer.width;
        case OfferKind::Vae:
            return file.identity.part == ModelPart::Vae && !file.onlyDecodes &&
                   file.latentChannels == offer.width;
        case OfferKind::ImageEncoder:
            return file.identity.part == ModelPart::ImageEncoder && file.imageWidth == offer.width;
        case OfferKind::AudioEncoder:
            return file.identity.part == ModelPart::AudioEncoder && file.soundWidth == offer.width;
        case OfferKind::Model:
        case OfferKind::Tokenizer:
        case OfferKind::Adapter:
        case OfferKind::SmallDecoder:
            break;
    }
    return false;
}

}  // namespace

OffersHere::OffersHere(ModelCatalogue catalogue) : m_catalogue(std::move(catalogue)) {
    for (const fs::path& folder : userModelFolders())
        listFiles(folder, 0, m_inModels);
    for (const fs::path& folder : comfyFolders())
        listFiles(folder, 0, m_inOthers);
    m_hasTokenizer = std::ranges::any_of(m_catalogue.tokenizers, holdsTokenizer);
}

const Sentence& OffersHere::whyNot(const fs::path& found, const ModelOffer& offer,
                                   const OfferedFile& file) const {
    const auto key = std::pair(found, &file);
    const auto known = m_whyNot.find(key);
    return known != m_whyNot.end()
               ? known->second
               : m_whyNot.emplace(key, checkPublished(found, offer, file, FileCheck::Header).wrong)
                     .first->second;
}

LocatedFile OffersHere::locate(const ModelOffer& offer, const OfferedFile& file) const {
    LocatedFile located{.offer = &offer, .file = &file, .path = downloadFolder() / file.place};
    const auto is = [&](const fs::path& found) { return whyNot(found, offer, file).empty(); };
    const auto among = [&](const FilesByName& files) {
        const auto [first, last] = files.equal_range(file.place.filename().string());
        const auto found = std::find_if(first, last, [&](const auto& entry) { return is(entry.second); });
        return found == last ? std::optional<fs::path>() : std::optional(found->second);
    };
    const auto inCache = [&]() -> std::optional<fs::path> {
        for (const fs::path& snapshot : huggingFaceSnapshots(offer.repository))
            if (isFile(snapshot / file.path) && is(snapshot / file.path))
                return snapshot / file.path;
        const auto blob = file.sha256.empty() ? std::nullopt : findHuggingFaceBlob(file.sha256);
        return blob && is(*blob) ? blob : std::nullopt;
    };
    const bool isTaken = fs::exists(fs::symlink_status(located.path));
    if (isTaken && is(located.path)) {
        located.state = FileState::Here;
        return located;
    }
    if (isTaken)
        located.wrong = whyNot(located.path, offer, file);
    if (const auto found = among(m_inModels)) {
        located.state = FileState::Here;
        located.path = *found;
    } else if (const auto cached = inCache()) {
        located.state = FileState::Elsewhere;
        located.path = *cached;
    } else if (const auto other = among(m_inOthers)) {
        located.state = FileState::Elsewhere;
        located.path = *other;
    } else if (const fs::path partial = partialPath(located.path); isFile(partial)) {
        located.state = FileState::Begun;
        located.path = partial;
        std::error_code failure;
        const std::uintmax_t bytes = fs::file_size(partial, failure);
        located.bytesBegun = failure ? 0 : bytes;
    }
    return located;
}

std::vector<LocatedFile> OffersHere::locate(const ModelOffer& offer) const {
    std::vector<LocatedFile> located;
    for (const OfferedFile& file : offer.files)
        located.push_back(locate(offer, file));
    return located;
}

bool OffersHere::has(const ModelOffer& offer) const {
    return std::ranges::all_of(
        locate(offer), [](FileState state) { return state == FileState::Here; }, &LocatedFile::state);
}

bool OffersHere::satisfies(const ModelOffer& offer) const {
    if (has(offer) || (offer.kind == OfferKind::Tokenizer && m_hasTokenizer))
        return true;
    return std::ranges::any_of(m_catalogue.files,
                               [&](const CatalogueFile& file) { return canStandFor(file, offer); });
}

std::vector<LocatedFile> OffersHere::toGet(const ModelOffer& offer) const {
    std::vector<LocatedFile> files;
    for (const std::vector<std::string>& group : offer.needs) {
        const auto isSatisfied = [&](const std::string& id) { return satisfies(requireOffer(id)); };
        if (std::ranges::any_of(group, isSatisfied))
            continue;
        // What another program has is taken before the usual one is downloaded.
        const auto isShared = [&](const std::string& id) {
            return std::ranges::all_of(
                locate(requireOffer(id)), [](FileState state) { return state >= FileState::Elsewhere; },
                &LocatedFile::state);
        };
        const auto shared = std::ranges::find_if(group, isShared);
        std::ranges::move(toGet(requireOffer(shared == group.end() ? group.front() : *shared)),
                          std::back_inserter(files));
    }
    std::ranges::move(locate(offer), std::back_inserter(files));
    return files;
}

std::string projectLines(const ModelOffer& offer, const std::vector<LocatedFile>& located) {
    if (offer.kind != OfferKind::Model)
        return {};
    std::vector<std::string> own;
    for (const LocatedFile& file : located)
        if (file.offer == &offer) {
            const bool whole = file.state == FileState::Here;
            own.push_back(withTilde(whole ? file.path : downloadFolder() / file.file->place));
        }
    std::string lines = fmt::format("pretrained_model_name_or_path: {}\n", own.front());
    if (own.size() > 1)
        lines += fmt::format("parts:\n  transformer_2: {}\n", own.back());
    return lines;
}

}  // namespace meshreel
