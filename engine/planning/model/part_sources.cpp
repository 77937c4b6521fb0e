// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/part_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/models/families/inferred_config.h"
#include "engine/planning/model/adapters.h"
#include "engine/planning/model/weights_inspection.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct PartKey {
    std::string_view part;
    std::string Project::*member;
};
constexpr std::array partKeys = {PartKey{"transformer", &Project::transformerFile},
                                 PartKey{"transformer_2", &Project::transformer2File},
                                 PartKey{"text_encoder", &Project::textEncoderFile},
                                 PartKey{"vae", &Project::vaeFile},
                                 PartKey{"image_encoder", &Project::imageEncoderFile},
                                 PartKey{"tokenizer", &Project::tokenizerFile}};

/// What to get where a part is missing. The files are those of the Comfy-Org repackaging and of the original
/// repositories, under their names there.
struct Download {
    std::string_view part;
    std::int64_t latentChannels;  ///< of the VAE; 0: whatever
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
    Download{"transformer_2", 0, [] {
                 return sentence(
                     "the other of the two experts (the file of the same name with "
                     "\"low_noise\" in place of \"high_noise\", or the other way round)");
             }}};

constexpr std::int64_t latentChannels22 = 48;

bool isWeightsFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) &&
           (hasTensorFileName(path) || path.string().ends_with(".safetensors.index.json"));
}

fs::path findPart(const std::string& nameOrPath, std::string_view part) {
    const fs::path asked = expandTilde(nameOrPath);
    if (isThere(asked))
        return asked;
    if (asked.is_relative())
        for (const fs::path& folder : modelFolders())
            if (isThere(folder / asked))
                return folder / asked;
    throw Error(
        ErrorKind::Input, sentence("there is no such {}", part), withTilde(asked),
        sentence("Check parts.{}, or put the file into {}", part, withTilde(userModelFolders().back())));
}

/// A file that the project gives in place of a model's name.
std::optional<fs::path> modelFile(const Project& project) {
    const fs::path asked = expandTilde(project.model);
    if (isWeightsFile(asked))
        return asked;
    if (asked.is_relative() && hasTensorFileName(asked))
        return findPart(project.model, "transformer");
    return std::nullopt;
}

const CatalogueFile* largest(const std::vector<CatalogueFile>& files, const auto& fits) {
    const CatalogueFile* best = nullptr;
    for (const CatalogueFile& file : files)
        if (file.problem.empty() && !file.adapter && file.identity.relative.empty() && fits(file) &&
            (best == nullptr || file.bytes > best->bytes))
            best = &file;
    return best;
}

/// Loose files first, then the parts of installed models that people downloaded.
class PartSearch {
  public:
    PartSearch(PartSources& sources, const ModelCatalogue& catalogue)
        : m_sources(sources), m_catalogue(catalogue) {}

    void complete() {
        settleExperts();
        const CatalogueFile transformer = describePart(m_sources.at("transformer"));
        if (!transformer.problem.empty() || transformer.identity.part != ModelPart::Transformer)
            throw Error(ErrorKind::Input, sentence("this is no transformer of a Wan model"),
                        withTilde(m_sources.at("transformer")),
                        sentence("meshreel inspect tells what it is"));
        const auto fitsText = [&](const CatalogueFile& file) {
            return file.identity.part == ModelPart::TextEncoder && file.textWidth == transformer.textWidth;
        };
        const auto fitsVae = [&](const CatalogueFile& file) {
            return file.identity.part == ModelPart::Vae && file.latentChannels == transformer.latentChannels;
        };
        const auto isImageEncoder = [](const CatalogueFile& file) {
            return file.identity.part == ModelPart::ImageEncoder;
        };
        find("text_encoder", fitsText);
        find("vae", fitsVae, transformer.latentChannels);
        if (needsImageEncoder())
            find("image_encoder", isImageEncoder);
        findTokenizer();
        throwIfMissing();
    }

  private:
    static CatalogueFile describePart(const fs::path& path) { return describeFile(path); }

    [[nodiscard]] bool needsImageEncoder() const {
        const json config = configOf(Checkpoint::open(m_sources.at("transformer")));
        return config.contains("image_dim") && !config.at("image_dim").is_null();
    }

    /// A lone expert of A14B gets the other one; which is which decides the order.
    void settleExperts() {
        const auto asked = m_sources.find("transformer");
        if (asked == m_sources.end())
            throw Error(ErrorKind::Input, sentence("the project names neither a model nor a transformer"),
                        "pretrained_model_name_or_path",
                        sentence("Name a model, or the transformer's file in parts.transformer"));
        if (m_sources.contains("transformer_2"))
            return;
        const CatalogueFile file = describePart(asked->second);
        const ModelIdentity& identity = file.identity;
        if (!identity.relative.empty())
            throw Error(ErrorKind::Input,
                        sentence("this is {}, which Meshreel does not run", identity.relative),
                        withTilde(asked->second), sentence("Use a Wan 2.1 or 2.2 model"));
        const bool isExpert = identity.architecture != nullptr && identity.family == "Wan 2.2" &&
                              identity.architecture->name.find("a14b") != std::string_view::npos;
        const std::string expert = expertNamedBy(asked->second.string());
        if (!identity.doubt.empty() && identity.architecture != nullptr && expert.empty())
            throw Error(ErrorKind::Input, identity.doubt, withTilde(asked->second),
                        sentence("With both files of an A14B model name them in parts.transformer and "
                                 "parts.transformer_2"));
        if (isExpert)
            findOtherExpert(identity, expert);
    }

    void findOtherExpert(const ModelIdentity& identity, const std::string& expert) {
        const CatalogueFile* other = largest(m_catalogue.files, [&](const CatalogueFile& file) {
            const std::string named = expertNamedBy(file.path.string());
            return file.identity.architecture == identity.architecture && !named.empty() && named != expert;
        });
        if (other == nullptr) {
            m_missing.emplace_back("transformer_2");
            return;
        }
        m_sources["transformer_2"] = other->path;
        if (expert == "low-noise")
            std::swap(m_sources["transformer"], m_sources["transformer_2"]);
    }

    template <typename Fits>
    void find(const std::string& part, const Fits& fits, std::int64_t latentChannels = 0) {
        if (m_sources.contains(part))
            return;
        if (const CatalogueFile* file = largest(m_catalogue.files, fits)) {
            m_sources[part] = file->path;
            return;
        }
        for (const ModelInfo& model : m_catalogue.models) {
            const fs::path folder = model.folder / part;
            if (!model.embedded && isThere(folder) && fits(describePart(folder))) {
                m_sources[part] = folder;
                return;
            }
        }
        m_latentChannels = latentChannels == 0 ? m_latentChannels : latentChannels;
        m_missing.push_back(part);
    }

    /// Beside the text encoder, in the models folders, or with an installed model of the same text encoder.
    void findTokenizer() {
        if (m_sources.contains("tokenizer"))
            return;
        if (const auto encoder = m_sources.find("text_encoder"); encoder != m_sources.end())
            for (const fs::path& folder :
                 {encoder->second.parent_path(), encoder->second.parent_path() / "tokenizer"})
                if (isThere(folder / "tokenizer.json") || isThere(folder / "spiece.model")) {
                    m_sources["tokenizer"] = folder;
                    return;
                }
        if (!m_catalogue.tokenizers.empty()) {
            m_sources["tokenizer"] = m_catalogue.tokenizers.front();
            return;
        }
        for (const ModelInfo& model : m_catalogue.models)
            if (!model.embedded && isThere(model.folder / "tokenizer")) {
                m_sources["tokenizer"] = model.folder / "tokenizer";
                return;
            }
        m_missing.emplace_back("tokenizer");
    }

    void throwIfMissing() const {
        if (m_missing.empty())
            return;
        throw Error(ErrorKind::Input,
                    sentence("the model lacks {}", fmt::to_string(fmt::join(m_missing, ", "))),
                    withTilde(m_sources.at("transformer")),
                    sentence("Put into {} (any folder below it): {}; or name files in parts.{}. "
                             "docs/models.md says where they come from",
                             withTilde(userModelFolders().back()), wantedDownloads(), m_missing.front()));
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
    std::vector<std::string> m_missing;
    std::int64_t m_latentChannels = 0;
};

}  // namespace

bool isMadeOfFiles(const Project& project) {
    return project.model.empty() || modelFile(project).has_value();
}

PartSources askedParts(const Project& project) {
    PartSources sources;
    if (const auto file = modelFile(project))
        sources["transformer"] = *file;
    for (const PartKey& row : partKeys)
        if (const std::string& asked = project.*row.member; !asked.empty())
            sources[std::string(row.part)] = findPart(asked, row.part);
    return sources;
}

Project withFullPaths(Project project) {
    const auto full = [](const fs::path& path) { return fs::absolute(path).lexically_normal().string(); };
    if (const auto file = modelFile(project))
        project.model = full(*file);
    for (const PartKey& row : partKeys)
        if (std::string& asked = project.*row.member; !asked.empty())
            asked = full(findPart(asked, row.part));
    for (LoraChoice& adapter : project.lora)
        adapter.file = full(findAdapter(adapter.file));
    return project;
}

void forgetParts(Project& project) {
    for (const PartKey& row : partKeys)
        (project.*row.member).clear();
}

void completeParts(PartSources& sources, const ModelCatalogue& catalogue) {
    PartSearch(sources, catalogue).complete();
}

json modelIndexOf(const PartSources& sources) {
    const json config = configOf(Checkpoint::open(sources.at("transformer")));
    const auto channels = [&](const char* key) { return config.value(key, std::int64_t{0}); };
    const std::string className = config.value("_class_name", std::string("WanTransformer3DModel"));
    const bool image = (config.contains("image_dim") && !config.at("image_dim").is_null()) ||
                       channels("in_channels") > channels("out_channels");
    const std::string pipeline = className == "WanVACETransformer3DModel"      ? "WanVACEPipeline"
                                 : className == "WanAnimateTransformer3DModel" ? "WanAnimatePipeline"
                                 : image                                       ? "WanImageToVideoPipeline"
                                                                               : "WanPipeline";
    const auto pair = [&](const char* part, const char* library, const std::string& name) {
        return sources.contains(part) ? json{library, name} : json{nullptr, nullptr};
    };
    json index = {{"_class_name", pipeline},
                  {"scheduler", {"diffusers", "UniPCMultistepScheduler"}},
                  {"tokenizer", {"transformers", "T5TokenizerFast"}},
                  {"text_encoder", {"transformers", "UMT5EncoderModel"}},
                  {"transformer", {"diffusers", className}},
                  {"transformer_2", pair("transformer_2", "diffusers", className)},
                  {"image_encoder", pair("image_encoder", "transformers", "CLIPVisionModel")},
                  {"vae", {"diffusers", "AutoencoderKLWan"}}};
    if (sources.contains("transformer_2"))
        index["boundary_ratio"] = image ? boundaryOfImage : boundaryOfText;
    if (channels("out_channels") == latentChannels22)
        index["expand_timesteps"] = true;
    return index;
}

}  // namespace meshreel
