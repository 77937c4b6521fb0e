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
    AudioEncoder,
    Adapter,
    SmallDecoder
};

template <>
struct EnumNames<OfferKind> {
    static constexpr auto names =
        std::to_array<std::string_view>({"model", "text_encoder", "tokenizer", "vae", "image_encoder",
                                         "audio_encoder", "adapter", "small_decoder"});
};

/// A file of an offer, as its repository publishes it.
struct OfferedFile {
    std::string path;             ///< path in the repository, with "/"
    std::filesystem::path place;  ///< below the models folder
    std::uint64_t bytes = 0;
    bool exact = false;  ///< `bytes` was published to the byte, not rounded
    std::string sha256;  ///< 64 hexadecimal digits; empty when no public document states it
};

/// Something to download: a model's own weights, or a part that several models share.
struct ModelOffer {
    std::string id;     ///< "wan2.1-t2v-1.3b"
    std::string title;  ///< not translated
    OfferKind kind = OfferKind::Model;
    std::string repository;  ///< ORGANISATION/NAME
    std::string revision;    ///< a branch or a commit
    std::string licence;     ///< SPDX identifier
    std::string licencePage;
    std::string release;  ///< the id that publishedParts() knows it by; may be empty
    std::string stored;   ///< for a model: the StoredType of its matrices, in safetensors' spelling
    std::int64_t width =
        0;  ///< tells it from others of its kind: latent channels, input or output channels; or 0
    std::vector<OfferedFile> files;
    /// Ids of what it needs beside its files. One of each group is enough, and the first is the usual one.
    std::vector<std::vector<std::string>> needs;
};

/// Reads such a table. Throws Error{Input} naming the offer and the key that is wrong.
std::vector<ModelOffer> readOffers(const std::filesystem::path& table);

/// Returns the table that comes with Meshreel, in its order; read once. Throws as readOffers() and
/// resourceFolder().
const std::vector<ModelOffer>& modelOffers();

/// Returns the offer of this id, or null. Throws as modelOffers().
const ModelOffer* findOffer(std::string_view id);

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
    std::filesystem::path path;  ///< where it is, complete or partial; otherwise where it would be
    std::uint64_t bytesBegun = 0;
    Sentence wrong{};  ///< not empty: another file has its name; says how that shows

    /// Returns the bytes that remain to be downloaded.
    [[nodiscard]] std::uint64_t bytesMissing() const;
};

/// Returns where downloads go: the first of userModelFolders().
std::filesystem::path downloadFolder();

/// Returns the hidden name of a file that is not whole yet.
std::filesystem::path partialPath(const std::filesystem::path& file);

/// Returns the hidden record of where a file came from, beside it.
std::filesystem::path recordPath(const std::filesystem::path& file);

/// What this machine has of the offers, as it was when this was made: in the models folders, in the cache of
/// huggingface_hub, and in the models folder of ComfyUI ($COMFYUI_PATH, ~/ComfyUI, ~/comfy/ComfyUI). Only
/// what a look (checkPublished() with FileCheck::Header) takes for the published file counts.
class OffersHere {
  public:
    explicit OffersHere(ModelCatalogue catalogue);

    [[nodiscard]] std::vector<LocatedFile> locate(const ModelOffer& offer) const;

    /// Returns whether all files of it are in a models folder.
    [[nodiscard]] bool has(const ModelOffer& offer) const;

    /// It, or another file that a model takes in its place.
    [[nodiscard]] bool satisfies(const ModelOffer& offer) const;

    /// Returns its files and those of the offers that it needs and nothing here satisfies; files that are
    /// Here stay in the list.
    [[nodiscard]] std::vector<LocatedFile> toGet(const ModelOffer& offer) const;

  private:
    [[nodiscard]] LocatedFile locate(const ModelOffer& offer, const OfferedFile& file) const;

    /// Returns why a file is not the offered one; empty if it is. Looked at once.
    const Sentence& whyNot(const std::filesystem::path& found, const ModelOffer& offer,
                           const OfferedFile& file) const;

    using FilesByName = std::multimap<std::string, std::filesystem::path>;

    ModelCatalogue m_catalogue;
    FilesByName m_inModels;
    FilesByName m_inOthers;
    bool m_hasTokenizer = false;
    mutable std::map<std::pair<std::filesystem::path, const OfferedFile*>, Sentence> m_whyNot;
};

/// Returns the lines of YAML with which a project uses the offer; empty when it is not a model.
std::string projectLines(const ModelOffer& offer, const std::vector<LocatedFile>& located);

}  // namespace meshreel
