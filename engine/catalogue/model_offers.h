// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/catalogue/model_library.h"

namespace meshreel {

/// What an offer is for.
enum class OfferKind : std::uint8_t {
    Model,
    TextEncoder,
    Tokenizer,
    Vae,
    ImageEncoder,
    Adapter,
    SmallDecoder
};

template <>
struct EnumNames<OfferKind> {
    static constexpr auto names = std::to_array<std::string_view>(
        {"model", "text_encoder", "tokenizer", "vae", "image_encoder", "adapter", "small_decoder"});
};

/// A file of an offer, as its repository publishes it.
struct OfferedFile {
    std::string path;             ///< in the repository, with "/"
    std::filesystem::path place;  ///< below the models folder
    std::uint64_t bytes = 0;
    bool exact = false;  ///< `bytes` was published to the byte, not rounded
    std::string sha256;  ///< 64 hexadecimal digits; empty where no public document tells it
};

/// Something that can be downloaded: a model's own weights, or a part that several models share.
struct ModelOffer {
    std::string id;     ///< "wan2.1-t2v-1.3b"
    std::string title;  ///< the same in every language
    OfferKind kind = OfferKind::Model;
    std::string repository;  ///< ORGANISATION/NAME
    std::string revision;    ///< a branch or a commit
    std::string licence;     ///< SPDX identifier
    std::string licencePage;
    std::string release;  ///< the id that publishedParts() knows it by; may be empty
    std::string stored;   ///< of a model: the StoredType of its matrices, as safetensors spells it
    std::int64_t width =
        0;  ///< that tells it from others of its kind: latent channels, or of the output; or 0
    std::vector<OfferedFile> files;
    /// Ids of what it needs beside its files. One of each group is enough, and the first is the usual one.
    std::vector<std::vector<std::string>> needs;
};

/// Reads such a table. Throws Error{Input} naming the offer and the key that is wrong.
std::vector<ModelOffer> readOffers(const std::filesystem::path& table);

/// The table that comes with Meshreel, in its order; read once. Throws as readOffers() and resourceFolder().
const std::vector<ModelOffer>& modelOffers();

/// Throws Error{Project} naming the nearest one when there is none of this id.
const ModelOffer& requireOffer(std::string_view id);

/// Where a file of an offer is.
enum class FileState : std::uint8_t {
    Missing,
    Begun,      ///< part of it is in the models folder, and the rest can follow
    Elsewhere,  ///< whole, in a cache or folder of another program: it can be shared
    Here,       ///< whole, in a models folder
};

template <>
struct EnumNames<FileState> {
    static constexpr auto names = std::to_array<std::string_view>({"missing", "begun", "elsewhere", "here"});
};

struct LocatedFile {
    const ModelOffer* offer = nullptr;
    const OfferedFile* file = nullptr;
    FileState state = FileState::Missing;
    std::filesystem::path path;  ///< of what is there, also of a part; else where it would be
    std::uint64_t bytesBegun = 0;
    Sentence wrong{};  ///< not empty: something else lies under its name, and what tells so

    /// To be downloaded.
    [[nodiscard]] std::uint64_t bytesMissing() const;
};

/// Where what is downloaded goes: the first of userModelFolders().
std::filesystem::path downloadFolder();

/// The hidden name of a file that is not whole yet.
std::filesystem::path partialFileOf(const std::filesystem::path& file);

/// The hidden record of where a file came from, beside it.
std::filesystem::path recordFileOf(const std::filesystem::path& file);

/// What this machine has of the offers, as it was when this was made: in the models folders, in the cache of
/// huggingface_hub, and in the models folder of ComfyUI ($COMFYUI_PATH, ~/ComfyUI, ~/comfy/ComfyUI). Only
/// what a look (checkPublished() with FileCheck::Header) takes for the published file counts.
class OffersHere {
  public:
    explicit OffersHere(ModelCatalogue catalogue);

    [[nodiscard]] std::vector<LocatedFile> locate(const ModelOffer& offer) const;

    /// All files of it are in a models folder.
    [[nodiscard]] bool has(const ModelOffer& offer) const;

    /// It, or another file that a model takes in its place.
    [[nodiscard]] bool satisfies(const ModelOffer& offer) const;

    /// Its files and those of what it needs and nothing here satisfies; what is Here stays in the list.
    [[nodiscard]] std::vector<LocatedFile> toGet(const ModelOffer& offer) const;

  private:
    [[nodiscard]] LocatedFile locate(const ModelOffer& offer, const OfferedFile& file) const;

    /// Why a file is not the offered one; empty if it is. Looked at once.
    const Sentence& whyNot(const std::filesystem::path& found, const ModelOffer& offer,
                           const OfferedFile& file) const;

    using FilesByName = std::multimap<std::string, std::filesystem::path>;

    ModelCatalogue m_catalogue;
    FilesByName m_inModels;
    FilesByName m_inOthers;
    bool m_hasTokenizer = false;
    mutable std::map<std::pair<std::filesystem::path, const OfferedFile*>, Sentence> m_whyNot;
};

/// What a project says to use the offer, as lines of YAML; empty of what is no model.
std::string projectLines(const ModelOffer& offer, const std::vector<LocatedFile>& located);

}  // namespace meshreel
