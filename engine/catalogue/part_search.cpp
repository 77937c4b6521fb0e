// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/part_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/weights_name.h"
#include "engine/project/project.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/text/embedded_tokenizer.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

/// What to get where a part is missing. The files are those of the Comfy-Org repackaging and of the original
/// repositories, under their names there.
struct Download {
    std::string_view part;
    std::int64_t latentChannels;  ///< of the VAE; 0: any
    Sentence (*what)();
};
constexpr std::array downloads = {
    Download{"text_encoder", 0,
             [] {
                 return sentence(
                     "a text encoder UMT5-XXL (umt5_xxl_fp16.safetensors, "
                     "umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf or "
                     "models_t5_umt5-xxl-enc-bf16.pth)");
             }},
    Download{"tokenizer", 0,
             [] {
                 return sentence(
                     "UMT5's tokenizer (a folder with spiece.model or tokenizer.json, of "
                     "google/umt5-xxl)");
             }},
    Download{"vae", 16,
             [] { return sentence("the VAE of Wan 2.1 (wan_2.1_vae.safetensors or Wan2.1_VAE.pth)"); }},
    Download{"vae", 48,
             [] { return sentence("the VAE of Wan 2.2 (wan2.2_vae.safetensors or Wan2.2_VAE.pth)"); }},
    Download{"image_encoder", 0,
             [] { return sentence("the image encoder CLIP ViT-H (clip_vision_h.safetensors)"); }},
    Download{"audio_encoder", 0,
             [] {
                 return sentence(
                     "the sound encoder wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, or the "
                     "folder wav2vec2-large-xlsr-53-english of the model)");
             }},
    Download{"transformer_2", 0, [] {
                 return sentence(
                     "the other of the two experts (the file of the same name with "
                     "\"low_noise\" in place of \"high_noise\", or the other way round)");
             }}};

/// Tensors of a part, some numbers of which show whether two files hold the same weights.
struct SampledTensors {
    ModelPart part;
    std::array<std::string_view, 2> names;
};
constexpr std::array sampledTensors = {
    SampledTensors{ModelPart::Vae, {"decoder.conv_out.weight", "encoder.conv_in.weight"}},
    SampledTensors{ModelPart::TextEncoder,
                   {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                    "encoder.final_layer_norm.weight"}},
    SampledTensors{ModelPart::ImageEncoder,
                   {"vision_model.embeddings.class_embedding", "vision_model.pre_layrnorm.weight"}},
    SampledTensors{ModelPart::AudioEncoder,
                   {"feature_projection.projection.weight", "encoder.layer_norm.weight"}}};

std::vector<float> sampleOf(const Checkpoint& checkpoint, std::string_view name) {
    constexpr std::int64_t mostRows = 3;
    const Shape& shape = checkpoint.shape(name);
    const std::int64_t rows = shape.rank() < 2 ? shape[0] : std::min(shape[0], mostRows);
    const Tensor values = checkpoint.getRows(name, 0, rows).toF32();
    const auto data = std::as_const(values).data<float>();
    return {data.begin(), data.end()};
}

/// Returns whether two files hold the same weights, whatever the types that they are rounded to: some numbers
/// of each differ by less than the coarsest of these does. Reads a few kilobytes.
bool holdSameNumbers(ModelPart part, const fs::path& one, const fs::path& other) {
    constexpr double coarsest = 0.2;  // relative to the root mean square; other weights differ by more than 1
    const auto* sampled = std::ranges::find(sampledTensors, part, &SampledTensors::part);
    if (sampled == sampledTensors.end())
        return false;
    try {
        const Checkpoint first = Checkpoint::open(one);
        const Checkpoint second = Checkpoint::open(other);
        double size = 0;
        double difference = 0;
        for (const std::string_view name : sampled->names) {
            const std::vector<float> a = sampleOf(first, name);
            const std::vector<float> b = sampleOf(second, name);
            if (a.size() != b.size())
                return false;
            for (std::size_t i = 0; i < a.size(); ++i) {
                size += static_cast<double>(a[i]) * a[i];
                difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
            }
        }
        return difference <= coarsest * coarsest * size;
    } catch (const Error&) {
        return false;
    }
}

bool isUsable(const CatalogueFile& file) {
    return file.problem.empty() && !file.adapter && file.identity.relative.empty();
}

/// The smaller, the likelier: what can be read before what cannot, what its class or name calls Wan's, sizes
/// that were released.
auto rankOf(const CatalogueFile& file) {
    return std::tuple(!file.unread.empty(), !file.identity.namedForWan,
                      file.identity.architecture == nullptr);
}

/// Whether two transformers have the same tensors, as the experts of a model have.
bool haveSameTensors(const fs::path& one, const fs::path& other) {
    const Checkpoint first = Checkpoint::open(one);
    const Checkpoint second = Checkpoint::open(other);
    return first.names() == second.names() &&
           std::ranges::all_of(first.names(), [&](const std::string& name) {
               return first.shape(name) == second.shape(name);
           });
}

/// Loose files first, then the parts of installed models that people downloaded.
class PartSearch {
  public:
    PartSearch(PartSources& sources, const ModelCatalogue& catalogue)
        : m_sources(sources), m_catalogue(catalogue) {}

    PartSources complete() {
        settleExperts();
        const CatalogueFile transformer = describeFile(m_sources.at("transformer"));
        if (!transformer.problem.empty())
            Checkpoint::open(m_sources.at("transformer"));  // says why it cannot be opened
        if (!transformer.problem.empty() || transformer.identity.part != ModelPart::Transformer)
            throw Error(ErrorKind::Input, sentence("this is not a transformer of a Wan model"),
                        withTilde(m_sources.at("transformer")),
                        sentence("meshreel inspect shows what it is"));
        takePartsInside();
        const json config = configOf(Checkpoint::open(m_sources.at("transformer")));
        find("text_encoder", ModelPart::TextEncoder,
             [&](const CatalogueFile& file) { return file.textWidth == transformer.textWidth; });
        m_latentChannels = transformer.latentChannels;
        find("vae", ModelPart::Vae, [&](const CatalogueFile& file) {
            return file.latentChannels == transformer.latentChannels && !file.onlyDecodes;
        });
        if (config.contains("image_dim") && config.at("image_dim").is_number_integer())
            find("image_encoder", ModelPart::ImageEncoder, [&](const CatalogueFile& file) {
                return file.imageWidth == 0 || file.imageWidth == config.at("image_dim").get<std::int64_t>();
            });
        if (config.contains("audio_dim") && config.at("audio_dim").is_number_integer())
            find("audio_encoder", ModelPart::AudioEncoder, [&](const CatalogueFile& file) {
                return file.soundWidth == 0 || file.soundWidth == config.at("audio_dim").get<std::int64_t>();
            });
        findTokenizer();
        throwIfMissing();
        return std::move(m_passedOver);
    }

  private:
    /// The parts that a whole model in one file holds beside its transformer, where the project names no
    /// others.
    void takePartsInside() {
        const fs::path& file = m_sources.at("transformer");
        if (isFolder(file) || !hasTensorFileName(file))
            return;
        std::set<ModelPart> inside;
        const TensorFile tensors = TensorFile::open(file);
        for (const FileTensor& tensor : tensors.tensors())
            if (const auto part = partInside(tensor.name))
                inside.insert(*part);
        for (const ModelPart part : inside)
            if (Checkpoint::open(file, part).layout().part == part)
                m_sources.try_emplace(std::string(nameOf(part)), file);
    }

    /// A lone expert of A14B gets the other one; which is which decides the order.
    void settleExperts() {
        const auto asked = m_sources.find("transformer");
        if (asked == m_sources.end())
            throw Error(ErrorKind::Input, sentence("the project names neither a model nor a transformer"),
                        "pretrained_model_name_or_path",
                        sentence("Name a model, or the transformer's file in parts.transformer"));
        const CatalogueFile file = describeFile(asked->second);
        const ModelIdentity& identity = file.identity;
        if (!identity.relative.empty())
            throw Error(ErrorKind::Input,
                        sentence("this is {}, which Meshreel does not run", identity.relative),
                        withTilde(asked->second), identity.instead);
        if (m_sources.contains("transformer_2"))
            return;
        const bool isExpert = identity.architecture != nullptr && identity.family == "Wan 2.2" &&
                              identity.architecture->name.find("a14b") != std::string_view::npos;
        if (!identity.doubt.empty() && identity.architecture != nullptr && !identity.expert)
            throw Error(ErrorKind::Input, identity.doubt, withTilde(asked->second),
                        sentence("With both files of an A14B model name them in parts.transformer and "
                                 "parts.transformer_2"));
        if (identity.expert && (isExpert || identity.architecture == nullptr))
            findOtherExpert(asked->second, identity, isExpert);
    }

    /// The other file of the pair; of a released model else the largest, which is the most exact. A
    /// transformer of no released size may be one of two, too: where its other half lies beside it.
    void findOtherExpert(const fs::path& given, const ModelIdentity& identity, bool isExpert) {
        fs::path other;
        if (const auto beside = findCounterpart(given)) {
            const CatalogueFile file = describeFile(*beside);
            if (isUsable(file) && file.identity.part == ModelPart::Transformer &&
                file.identity.architecture == identity.architecture && haveSameTensors(given, *beside))
                other = *beside;
        }
        if (other.empty() && isExpert)
            other = findInCatalogue(given, identity);
        if (other.empty()) {
            if (isExpert)
                m_missing.emplace_back("transformer_2");
            return;
        }
        m_sources["transformer_2"] = other;
        if (identity.expert == Expert::Low)
            std::swap(m_sources["transformer"], m_sources["transformer_2"]);
    }

    [[nodiscard]] fs::path findInCatalogue(const fs::path& given, const ModelIdentity& identity) const {
        const std::string set = readWeightsName(given).set;
        const CatalogueFile* best = nullptr;
        const auto rank = [&](const CatalogueFile& file) {
            return std::tuple(readWeightsName(file.path).set != set, !file.unread.empty(),
                              -static_cast<double>(file.bytes));
        };
        for (const CatalogueFile& file : m_catalogue.files)
            if (isUsable(file) && file.identity.architecture == identity.architecture &&
                file.identity.expert == otherExpert(*identity.expert) &&
                (best == nullptr || rank(file) < rank(*best)))
                best = &file;
        return best == nullptr ? fs::path() : best->path;
    }

    template <typename Fits>
    void find(const std::string& name, ModelPart part, const Fits& fits) {
        if (m_sources.contains(name))
            return;
        const auto isOfPart = [&](const CatalogueFile& file) { return file.identity.part == part; };
        std::vector<CatalogueFile> files;
        std::ranges::copy_if(m_catalogue.files, std::back_inserter(files), isOfPart);
        if (choose(name, part, files, fits))
            return;
        std::vector<CatalogueFile> ofModels;
        for (const ModelInfo& model : m_catalogue.models)
            if (const fs::path folder = model.folder / name; !model.embedded && isThere(folder))
                ofModels.push_back(describeFile(folder));
        std::erase_if(ofModels, std::not_fn(isOfPart));
        if (choose(name, part, ofModels, fits))
            return;
        for (const CatalogueFile& file : files)
            if (!file.identity.relative.empty())
                m_passed.push_back(
                    sentence("{} is {}", file.path.filename().string(), file.identity.relative));
            else if (file.onlyDecodes && isUsable(file))
                m_passed.push_back(
                    sentence("{} is a small decoder: name it in parts.vae to decode faster and less exactly",
                             file.path.filename().string()));
            else if (!file.identity.namedFor.empty() && isUsable(file))
                m_passed.push_back(sentence("{} is {}'s by its name", file.path.filename().string(),
                                            file.identity.namedFor));
        m_missing.push_back(name);
    }

    /// Takes the likeliest, of the same weights in several types the largest file, which is the most exact.
    template <typename Fits>
    bool choose(const std::string& name, ModelPart part, const std::vector<CatalogueFile>& files,
                const Fits& fits) {
        std::vector<const CatalogueFile*> fitting;
        for (const CatalogueFile& file : files)
            if (isUsable(file) && fits(file))
                fitting.push_back(&file);
        std::vector<const CatalogueFile*> own = fitting;
        std::erase_if(own, [](const CatalogueFile* file) { return !file->identity.namedFor.empty(); });
        if (own.empty())
            return false;
        std::ranges::stable_sort(own, [](const CatalogueFile* one, const CatalogueFile* other) {
            return std::tuple(rankOf(*one), other->bytes) < std::tuple(rankOf(*other), one->bytes);
        });
        const CatalogueFile& best = *own.front();
        requireNoTie(name, part, own);
        m_sources[name] = best.path;
        const auto isOther = [&](const CatalogueFile* file) {
            return file->unread.empty() && file->identity.namedForWan != best.identity.namedForWan &&
                   file->identity.architecture == best.identity.architecture &&
                   !holdSameNumbers(part, best.path, file->path);
        };
        const auto isNamedForOther = [&](const CatalogueFile* file) {
            return !file->identity.namedFor.empty() && file->unread.empty() &&
                   file->identity.architecture == best.identity.architecture;
        };
        for (const CatalogueFile* file : fitting)
            if (isNamedForOther(file) || isOther(file)) {
                m_passedOver[name] = file->path;
                break;
            }
        return true;
    }

    /// The user has to choose between files of one rank that hold other weights.
    static void requireNoTie(const std::string& name, ModelPart part,
                             const std::vector<const CatalogueFile*>& files) {
        const CatalogueFile& best = *files.front();
        std::vector<std::string> paths{best.path.string()};
        std::vector<std::string> names{withTilde(best.path)};
        for (const CatalogueFile* file : files)
            if (file != &best && rankOf(*file) == rankOf(best) && best.unread.empty() &&
                !holdSameNumbers(part, best.path, file->path)) {
                paths.push_back(file->path.string());
                names.push_back(withTilde(file->path));
            }
        if (names.size() == 1)
            return;
        throw ProjectError(
            {{.id = "model-files-ambiguous",
              .key = "parts." + name,
              .message = sentence("{} files fit as {} and hold different weights; nothing tells "
                                  "which is Wan's: {}",
                                  names.size(), name, fmt::to_string(fmt::join(names, ", "))),
              .fixes = setKey(sentence("Name the right one in parts.{}", name), "parts." + name, paths)}});
    }

    /// Returns the rows of the text encoder's table; nothing when they are unknown.
    [[nodiscard]] std::optional<std::int64_t> vocabulary() const {
        const auto encoder = m_sources.find("text_encoder");
        if (encoder == m_sources.end())
            return std::nullopt;
        try {
            const json config = configOf(Checkpoint::open(encoder->second, ModelPart::TextEncoder));
            return config.at("vocab_size").get<std::int64_t>();
        } catch (const Error&) {
            return std::nullopt;
        } catch (const json::exception&) {
            return std::nullopt;
        }
    }

    /// Returns folders beside the text encoder, in the models folders, or with an installed model of the same
    /// text encoder.
    [[nodiscard]] std::vector<fs::path> tokenizerFolders() const {
        std::vector<fs::path> folders;
        if (const auto encoder = m_sources.find("text_encoder"); encoder != m_sources.end())
            for (const fs::path& folder :
                 {encoder->second.parent_path(), encoder->second.parent_path() / "tokenizer"})
                if (isThere(folder / "tokenizer.json") || isThere(folder / "spiece.model"))
                    folders.push_back(folder);
        std::ranges::copy(m_catalogue.tokenizers, std::back_inserter(folders));
        for (const ModelInfo& model : m_catalogue.models)
            if (!model.embedded && isThere(model.folder / "tokenizer"))
                folders.push_back(model.folder / "tokenizer");
        return folders;
    }

    /// Finds the tokenizer inside the text encoder's file, else the first that has as many tokens as the text
    /// encoder has rows.
    void findTokenizer() {
        if (m_sources.contains("tokenizer"))
            return;
        const auto encoder = m_sources.find("text_encoder");
        if (encoder != m_sources.end() && isFile(encoder->second) && hasTensorFileName(encoder->second) &&
            tokenizerInside(encoder->second)) {
            m_sources["tokenizer"] = encoder->second;
            return;
        }
        const std::optional<std::int64_t> rows = vocabulary();
        for (const fs::path& folder : tokenizerFolders()) {
            try {
                const TokenCount count = Tokenizer::countTokens(folder);
                if (!rows || count.fits(*rows)) {
                    m_sources["tokenizer"] = folder;
                    return;
                }
                m_passed.push_back(
                    sentence("the tokenizer in {} has {} tokens, the text encoder's vocabulary {}",
                             withTilde(folder), count.tokens, *rows));
            } catch (const Error& damaged) {
                m_passed.push_back(damaged.asSentence());
            }
        }
        m_missing.emplace_back("tokenizer");
    }

    void throwIfMissing() const {
        if (m_missing.empty())
            return;
        Sentence lacks = sentence("the model lacks {}", fmt::to_string(fmt::join(m_missing, ", ")));
        for (const Sentence& passed : m_passed)
            lacks = sentence("{}; {}", lacks, passed);
        Sentence hint = sentence(
            "Put into {} (any folder below it): {}; or name files in parts.{}. "
            "docs/models.md says where they come from",
            withTilde(userModelFolders().back()), wantedDownloads(), m_missing.front());
        throw Error(ErrorKind::Input, std::move(lacks), withTilde(m_sources.at("transformer")),
                    std::move(hint));
    }

    [[nodiscard]] Sentence wantedDownloads() const {
        Sentence wanted;
        for (const std::string& part : m_missing)
            for (const Download& row : downloads)
                if (row.part == part && (row.latentChannels == 0 || row.latentChannels == m_latentChannels))
                    wanted = wanted.empty() ? row.what() : sentence("{}; {}", wanted, row.what());
        return wanted;
    }

    PartSources& m_sources;
    const ModelCatalogue& m_catalogue;
    PartSources m_passedOver;
    std::vector<std::string> m_missing;
    std::vector<Sentence> m_passed;  ///< for what is missing: files that look like it, and why they are not
    std::int64_t m_latentChannels = 0;
};

}  // namespace

PartSources completeParts(PartSources& sources, const ModelCatalogue& catalogue) {
    return PartSearch(sources, catalogue).complete();
}

}  // namespace meshreel
