// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/offered_model.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/part_tensors.h"
#include "engine/models/sound/sound_config.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

/// A part that every model has, and the classes that it may be of.
struct Component {
    std::string_view name;
    std::array<std::string_view, 6> classNames;  // some empty when there are fewer
};
constexpr std::array<Component, 3> components = {
    {{"text_encoder", {"UMT5EncoderModel"}},
     {"transformer",
      {"WanTransformer3DModel", "WanVACETransformer3DModel", "WanAnimateTransformer3DModel",
       "WanAnimate2Transformer3DModel", "WanS2VTransformer3DModel", "SkyReelsV2Transformer3DModel"}},
     {"vae", {"AutoencoderKLWan"}}}};  // TAEHV stands in its place

constexpr std::string_view drivenPipeline = "WanAnimate2Pipeline";

/// FastVideo's models distilled by DMD and SkyReels-V2's plain ones are Wan's networks.
constexpr std::array<std::string_view, 12> pipelines = {"WanPipeline",
                                                        "WanImageToVideoPipeline",
                                                        "WanVideoToVideoPipeline",
                                                        "WanVACEPipeline",
                                                        "WanFunControlPipeline",
                                                        "Wan2_2FunControlPipeline",
                                                        "WanAnimatePipeline",
                                                        drivenPipeline,
                                                        "WanSpeechToVideoPipeline",
                                                        "WanDMDPipeline",
                                                        "SkyReelsV2Pipeline",
                                                        "SkyReelsV2ImageToVideoPipeline"};

/// What the names of other pipelines begin with, and what they make.
struct RelativePipeline {
    std::string_view beginning;
    Sentence name;
};
const std::array<RelativePipeline, 3>& relativePipelines() {
    static const std::array<RelativePipeline, 3> all{{
        {"SkyReelsV2DiffusionForcing", Sentence("SkyReels-V2 diffusion forcing")},
        {"WanFunCamera", Sentence("Wan Fun Camera")},
        {"WanCausal", sentence("a causal Wan model, which makes a video block by block")},
    }};
    return all;
}

[[noreturn]] void refuseModel(const fs::path& file, Sentence message,
                              Sentence hint = sentence("Use a Wan checkpoint in diffusers layout")) {
    throw Error(ErrorKind::Input, std::move(message), withTilde(file), std::move(hint));
}

std::string toText(const json& object, std::string_view key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The class of a component: model_index.json holds ["library", "Class"], or [null, null] for an absent one.
std::string componentClass(const json& index, std::string_view name) {
    const auto found = index.find(name);
    const bool isPair =
        found != index.end() && found->is_array() && found->size() == 2 && (*found)[1].is_string();
    return isPair ? (*found)[1].get<std::string>() : std::string();
}

bool readFlag(const json& index, std::string_view key) {
    const auto found = index.find(key);
    return found != index.end() && found->is_boolean() && found->get<bool>();
}

void requireWanPipeline(const json& index, const fs::path& file) {
    const std::string className = toText(index, "_class_name");
    for (const RelativePipeline& relative : relativePipelines())
        if (className.starts_with(relative.beginning))
            refuseModel(file, sentence("this is {}, which Meshreel does not run", relative.name));
    if (std::ranges::find(pipelines, className) == pipelines.end())
        refuseModel(file, className.empty() ? sentence("_class_name is missing")
                                            : sentence("this is a model for \"{}\", not for Wan", className));
    for (const Component& component : components) {
        const std::string found = componentClass(index, component.name);
        const std::string_view wanted = component.classNames.front();
        if (found.empty())
            refuseModel(file, sentence("the {} is missing, not {}", component.name, wanted));
        if (std::ranges::find(component.classNames, found) == component.classNames.end())
            refuseModel(file, sentence("the {} is {}, not {}", component.name, found, wanted));
    }
}

void requireTokenizer(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::exists(folder / "tokenizer.json", ignored) && !fs::exists(folder / "spiece.model", ignored))
        refuseModel(folder, sentence("there is neither tokenizer.json nor spiece.model"),
                    sentence("Download the model's tokenizer folder again"));
}

/// Ids of another vocabulary are words of another language to the text encoder.
void requireVocabulary(const fs::path& folder, const Umt5Config& encoder) {
    const TokenCount count = Tokenizer::countTokens(folder);
    if (!count.fits(encoder.vocabSize))
        refuseModel(folder,
                    sentence("the tokenizer has {} tokens, and the text encoder's vocabulary {}: they are of "
                             "different models",
                             count.tokens, encoder.vocabSize),
                    sentence("Name the tokenizer that came with the text encoder in parts.tokenizer"));
}

template <typename Config>
Config readConfig(const fs::path& file) {
    return Config::fromJson(readJsonObject(file), withTilde(file));
}

void requireWan(const Checkpoint& checkpoint) {
    if (const Sentence relative = describeRelative(checkpoint); !relative.empty())
        refuseModel(checkpoint.path(), sentence("this is {}, which Meshreel does not run", relative),
                    insteadOfRelative(checkpoint));
}

/// A folder may hold a single file of weights without config.json: then the file's shapes give the config.
template <typename Config>
Config readPartConfig(const fs::path& folder, ModelPart part) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return readConfig<Config>(folder / "config.json");
    const Checkpoint checkpoint = Checkpoint::open(folder, part);
    requireWan(checkpoint);
    const bool hasConfig = fs::exists(folder / "config.json", ignored);
    return Config::fromJson(configOf(checkpoint),
                            withTilde(hasConfig ? folder / "config.json" : checkpoint.path()));
}

/// The first few, one behind the other.
Sentence joinGroups(std::vector<Sentence> groups) {
    constexpr std::size_t few = 4;
    const std::size_t all = groups.size();
    groups.resize(std::min(all, few));
    Sentence text = groups.front();
    for (std::size_t index = 1; index < groups.size(); ++index)
        text = sentence("{}; {}", text, groups[index]);
    return all > few ? sentence("{} and {} more", text, all - few) : text;
}

[[noreturn]] void refuseLeavingOut(const Checkpoint& checkpoint, const UnusedTensors& group) {
    refuseModel(checkpoint.path(),
                sentence("it holds tensors without which it is another model: {}", group.text()),
                givenConfig(checkpoint) ? sentence("The weights and config.json are of different models")
                                        : sentence("Use the weights of a model that Meshreel runs"));
}

/// What the networks take from a part's files must be there; what they do not take is remarked on, or
/// refused.
void checkTensors(const std::string& name, ModelPart part, const fs::path& modelFolder, ModelFacts& facts) {
    const Checkpoint checkpoint = Checkpoint::open(modelFolder / name, part);
    const json config = configOf(checkpoint);
    if (part != ModelPart::Transformer)
        requireUsedTensors(checkpoint, part, config);  // a transformer's layers are looked at one by one
    if (const Sentence other = modelNamedBy(checkpoint); !other.empty())
        facts.remarks.push_back(
            {name,
             sentence("the {} has the shapes of Wan's, and its name says that it is {}'s", name, other)});
    std::vector<Sentence> groups;
    std::size_t count = 0;
    for (const UnusedTensors& group : unusedTensors(checkpoint, part, config)) {
        if (group.changesModel)
            refuseLeavingOut(checkpoint, group);
        groups.push_back(group.text());
        count += group.count;
    }
    if (!groups.empty())
        facts.remarks.push_back(
            {name, count == 1 ? sentence("the {} holds a tensor that is not used: {}", name, groups.front())
                              : sentence("the {} holds {} tensors that are not used: {}", name, count,
                                         joinGroups(std::move(groups)))});
}

/// Parts that were chosen by the names of their files alone.
void remarkOnChoices(const json& index, ModelFacts& facts) {
    const auto found = index.find(passedOverKey);
    if (found == index.end() || !found->is_object())
        return;
    for (const auto& [part, file] : found->items())
        if (file.is_string())
            facts.remarks.push_back(
                {part,
                 sentence("the {} was chosen by its file's name: {} has the same shapes. parts.{} settles it",
                          part, withTilde(file.get<std::string>()), part)});
}

/// `leftOut`: what the names of tensors begin with that are not loaded.
using CountsTensor = bool (*)(std::string_view name);

bool everyTensor(std::string_view /*name*/) {
    return true;
}

bool isOfVaeDecoder(std::string_view name) {
    return !name.starts_with("encoder.") && !name.starts_with("quant_conv.");
}

PartWeights measure(const fs::path& folder, ModelPart part, CountsTensor counts = everyTensor) {
    const Checkpoint checkpoint = Checkpoint::open(folder, part);
    PartWeights weights;
    for (const std::string& name : checkpoint.names()) {
        if (!counts(name))
            continue;
        const auto elements = static_cast<std::uint64_t>(checkpoint.shape(name).elements());
        const auto stored = storedTypeInfo(checkpoint.storedType(name)).direct;
        weights.parameters += elements;
        ++weights.tensors;
        weights.memory += elements * byteSize(DType::F32);
        (stored == DType::F32 ? weights.mapped : weights.copied) += elements * byteSize(DType::F32);
    }
    return weights;
}

StoredLayers countLayers(const WanTransformerConfig& config, const fs::path& folder) {
    return std::make_shared<const std::vector<StoredLayer>>(
        storedLayers(config, Checkpoint::open(folder, ModelPart::Transformer)));
}

/// Its layers come into memory one at a time, its embedding table row by row.
PartWeights measureTextEncoder(const Umt5Config& config, const fs::path& folder) {
    const Checkpoint checkpoint = Checkpoint::open(folder, ModelPart::TextEncoder);
    PartWeights weights = measure(folder, ModelPart::TextEncoder);
    weights.copied = 0;
    for (std::int64_t layer = 0; layer < config.layers; ++layer)
        weights.copied = std::max<std::uint64_t>(weights.copied, umt5LayerBytes(config, checkpoint, layer));
    weights.memory = weights.copied;
    weights.linears = Umt5Encoder::storedType(config, checkpoint);
    return weights;
}

/// Returns the family of a model with such parts; null when there is none. A name that says what it was
/// trained with counts if a family has such parts.
const ModelFamily* familyOf(const ModelFacts& facts, bool tokenTimesteps, TrainedInput trained) {
    const WanTransformerConfig& transformer = facts.transformer;
    FamilyTraits traits{.extraChannels = transformer.inChannels - facts.vae.zDim,
                        .imageEmbeddings = transformer.imageDim > 0,
                        .imagePositions = transformer.imagePositions > 0,
                        .vaceBlocks = !transformer.vaceLayers.empty(),
                        .tokenTimesteps = tokenTimesteps,
                        .animates = transformer.animate.has_value(),
                        .hears = transformer.sound.has_value(),
                        .experts = facts.experts(),
                        .trained = trained};
    const ModelFamily* family = findFamily(traits);
    if (family == nullptr) {
        traits.trained = TrainedInput::None;
        family = findFamily(traits);
    }
    const bool refers = transformer.referenceChannels > 0;
    return family != nullptr && refers && !offers(*family, WanTask::ControlToVideo) ? nullptr : family;
}

/// Traits that no family has together, by name.
Sentence unknownFamily(const ModelFacts& facts) {
    const WanTransformerConfig& transformer = facts.transformer;
    const bool two = facts.experts() == 2;
    if (two && transformer.animate)
        return sentence("character animation with two experts (transformer and transformer_2)");
    if (transformer.sound)
        return sentence("speech to video with what else the model has");
    if (two && transformer.imageDim > 0)
        return sentence("a model of two experts (transformer and transformer_2) with an image encoder");
    const std::int64_t extra = transformer.inChannels - facts.vae.zDim;
    const ModelFamily* pair = two ? nullptr : findFamily({.extraChannels = extra, .experts = 2});
    if (pair != nullptr && offers(*pair, WanTask::ControlToVideo))
        return sentence("one of the two experts of Wan 2.2 Fun Control, without the other");
    if (transformer.referenceChannels > 0)
        return sentence("a model that takes a reference picture (ref_conv) and no control video");
    return sentence("a model whose transformer takes {} channels beside {} of the latents", extra,
                    facts.vae.zDim);
}

void requireFit(const ModelFacts& facts, const fs::path& folder) {
    if (facts.transformer.textDim != facts.textEncoder.dModel)
        refuseModel(
            folder,
            sentence(
                "the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)",
                facts.transformer.textDim, facts.textEncoder.dModel),
            sentence("Use transformer and text encoder of the same model"));
    if (facts.transformer.outChannels != facts.vae.zDim)
        refuseModel(
            folder,
            sentence("the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)",
                     facts.transformer.inChannels, facts.transformer.outChannels, facts.vae.zDim),
            sentence("Use transformer and VAE of the same model, of one of these kinds: {}", familyTitles()));
    if (facts.family == nullptr)
        refuseModel(folder, sentence("this is {}, which Meshreel does not run", unknownFamily(facts)),
                    sentence("Use a model of one of these kinds: {}", familyTitles()));
    if (facts.transformer.referenceChannels > 0 && facts.transformer.referenceChannels != facts.vae.zDim)
        refuseModel(
            folder,
            sentence("the transformer takes a reference of {} channels (in_dim_ref_conv), and the VAE has "
                     "{} (z_dim)",
                     facts.transformer.referenceChannels, facts.vae.zDim),
            sentence("Use transformer and VAE of the same model"));
    if (facts.vae.videoChannelsOut() != 3)
        refuseModel(folder / "vae" / "config.json",
                    sentence("the VAE makes {} colour channels, not 3", facts.vae.videoChannelsOut()),
                    sentence("Use the VAE of a Wan model"));
}

/// The second of two experts, which must be a transformer like the first.
void readSecondExpert(ModelFacts& facts, const json& index, const fs::path& modelFolder) {
    const std::string name(transformerName(2));
    if (componentClass(index, name).empty())
        return;
    const fs::path folder = modelFolder / name;
    if (readPartConfig<WanTransformerConfig>(folder, ModelPart::Transformer) != facts.transformer)
        refuseModel(folder, sentence("the two transformers are not of one kind"),
                    sentence("Use the two experts of the same model"));
    facts.secondWeights = measure(folder, ModelPart::Transformer);
    facts.secondLayers = countLayers(facts.transformer, folder);
    const auto ratio = index.find("boundary_ratio");
    if (ratio != index.end() && ratio->is_number())
        facts.boundaryRatio = ratio->get<double>();
}

void readImageEncoder(ModelFacts& facts, const fs::path& modelFolder) {
    if (!facts.family->traits.imageEmbeddings)
        return;
    const fs::path folder = modelFolder / "image_encoder";
    facts.imageEncoder = readPartConfig<ClipVisionConfig>(folder, ModelPart::ImageEncoder);
    if (facts.imageEncoder->hiddenSize != facts.transformer.imageDim)
        refuseModel(
            folder,
            sentence("the transformer wants images of width {} (image_dim), and the image encoder gives "
                     "{} (hidden_size)",
                     facts.transformer.imageDim, facts.imageEncoder->hiddenSize),
            sentence("Use transformer and image encoder of the same model"));
    const fs::path processor = modelFolder / "image_processor" / "preprocessor_config.json";
    std::error_code ignored;
    facts.imageProcessor = fs::exists(processor, ignored)
                               ? readConfig<ImageProcessor>(processor)
                               : ImageProcessor::forSide(facts.imageEncoder->imageSize);
    facts.imageEncoderWeights = measure(folder, ModelPart::ImageEncoder);
    facts.imageEncoderWeights.linears =
        ClipVisionEncoder::storedType(*facts.imageEncoder, Checkpoint::open(folder, ModelPart::ImageEncoder));
}

/// config.json of the sound encoder; preprocessor_config.json beside it says whether sound is normalised.
Wav2Vec2Config readAudioEncoderConfig(const fs::path& folder) {
    std::error_code ignored;
    json config = fs::is_directory(folder, ignored)
                      ? configOf(Checkpoint::open(folder, ModelPart::AudioEncoder))
                      : readJsonObject(folder / "config.json");
    if (const fs::path processor = folder / "preprocessor_config.json"; fs::exists(processor, ignored))
        if (const json own = readJsonObject(processor); own.contains("do_normalize"))
            config["do_normalize"] = own.at("do_normalize");
    return Wav2Vec2Config::fromJson(config, withTilde(folder));
}

void readAudioEncoder(ModelFacts& facts, const fs::path& modelFolder) {
    if (!facts.transformer.sound)
        return;
    const fs::path folder = modelFolder / "audio_encoder";
    const SoundConfig& wanted = *facts.transformer.sound;
    facts.audioEncoder = readAudioEncoderConfig(folder);
    if (facts.audioEncoder->hiddenSize != wanted.width || facts.audioEncoder->layers + 1 != wanted.states)
        refuseModel(folder,
                    sentence("the transformer wants {} states of a sound of width {}, and the sound encoder "
                             "gives {} of width {}",
                             wanted.states, wanted.width, facts.audioEncoder->layers + 1,
                             facts.audioEncoder->hiddenSize),
                    sentence("Use wav2vec2-large-xlsr-53, which S2V was made with"));
    facts.audioEncoderWeights = measure(folder, ModelPart::AudioEncoder);
    facts.audioEncoderWeights.linears =
        Wav2Vec2Encoder::storedType(*facts.audioEncoder, Checkpoint::open(folder, ModelPart::AudioEncoder));
}

/// The small decoder that parts.preview names, which must fit the VAE's latents.
void readPreviewDecoder(ModelFacts& facts, const fs::path& modelFolder) {
    const fs::path folder = modelFolder / "preview";
    if (!isThere(folder))
        return;
    const auto config = readPartConfig<WanVaeConfig>(folder, ModelPart::Vae);
    const Sentence hint = sentence("Name taew2_1 or taew2_2 in parts.preview, or leave it out");
    if (!config.tiny)
        refuseModel(folder, sentence("this is not a small decoder (TAEHV), which previews need"), hint);
    if (config.zDim != facts.vae.zDim)
        refuseModel(folder,
                    sentence("the small decoder takes latents of {} channels, and the model's have {}",
                             config.zDim, facts.vae.zDim),
                    hint);
    checkTensors("preview", ModelPart::Vae, modelFolder, facts);
    facts.preview = config;
}

}  // namespace

std::string_view transformerName(int expert) {
    return expert == 1 ? "transformer" : "transformer_2";
}

ModelFacts readModelFacts(const fs::path& modelFolder) {
    const fs::path indexFile = modelFolder / modelIndexName;
    const json index = readJsonObject(indexFile);
    requireWanPipeline(index, indexFile);
    requireTokenizer(modelFolder / "tokenizer");
    ModelFacts facts;
    facts.transformer =
        readPartConfig<WanTransformerConfig>(modelFolder / "transformer", ModelPart::Transformer);
    facts.textEncoder = readPartConfig<Umt5Config>(modelFolder / "text_encoder", ModelPart::TextEncoder);
    facts.vae = readPartConfig<WanVaeConfig>(modelFolder / "vae", ModelPart::Vae);
    facts.scheduler = readConfig<SchedulerConfig>(modelFolder / "scheduler" / "scheduler_config.json");
    readSecondExpert(facts, index, modelFolder);
    TrainedInput trained =
        readTrainedInput(Checkpoint::open(modelFolder / transformerName(1), ModelPart::Transformer));
    if (toText(index, "_class_name") == drivenPipeline && !takesDrivingVideo(trained))
        trained = TrainedInput::Driving;
    facts.family = familyOf(facts, readFlag(index, "expand_timesteps"), trained);
    requireFit(facts, modelFolder);
    if (!readFlag(index, randomWeightsKey))
        requireVocabulary(modelFolder / "tokenizer", facts.textEncoder);
    readImageEncoder(facts, modelFolder);
    readAudioEncoder(facts, modelFolder);
    facts.transformerLayers = countLayers(facts.transformer, modelFolder / "transformer");
    for (int expert = 1; expert <= facts.experts(); ++expert)
        checkTensors(std::string(transformerName(expert)), ModelPart::Transformer, modelFolder, facts);
    checkTensors("text_encoder", ModelPart::TextEncoder, modelFolder, facts);
    checkTensors("vae", ModelPart::Vae, modelFolder, facts);
    if (facts.imageEncoder)
        checkTensors("image_encoder", ModelPart::ImageEncoder, modelFolder, facts);
    if (facts.audioEncoder)
        checkTensors("audio_encoder", ModelPart::AudioEncoder, modelFolder, facts);
    readPreviewDecoder(facts, modelFolder);
    remarkOnChoices(index, facts);
    facts.transformerWeights = measure(modelFolder / "transformer", ModelPart::Transformer);
    facts.textEncoderWeights = measureTextEncoder(facts.textEncoder, modelFolder / "text_encoder");
    facts.vaeDecoderWeights = measure(modelFolder / "vae", ModelPart::Vae, isOfVaeDecoder);
    facts.vaeWeights =
        facts.vae.encodes() ? measure(modelFolder / "vae", ModelPart::Vae) : facts.vaeDecoderWeights;
    return facts;
}

namespace {

// Released models that need not be on this machine.

/// "Wan-AI/Wan2.1-T2V-14B-Diffusers" as "wan2.1-t2v-14b-diffusers"; empty for paths.
std::string plainName(std::string_view nameOrId) {
    if (nameOrId.empty() || std::string_view("/.~").find(nameOrId.front()) != std::string_view::npos)
        return {};
    std::string name(nameOrId.substr(nameOrId.rfind('/') + 1));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name;
}

/// A release with the transformer of another architecture, whose name shows how it is used. The longer ones
/// come first.
struct ReleasedUse {
    std::string_view name;  ///< the first words of its own
    std::string_view architecture;
    TrainedInput trained;
};
constexpr std::array<ReleasedUse, 2> releasedUses{
    {{"wan2.2-animate-2-14b-distilled", "wan2.1-i2v-14b", TrainedInput::DrivingInFewSteps},
     {"wan2.2-animate-2-14b", "wan2.1-i2v-14b", TrainedInput::Driving}}};

const ReleasedUse* findReleasedUse(const std::string& name) {
    const auto* const found = std::ranges::find_if(releasedUses, [&](const ReleasedUse& use) {
        return (name + '-').starts_with(std::string(use.name) + '-');
    });
    return found == releasedUses.end() ? nullptr : found;
}

/// The architecture whose name is the first words of `name`.
const Architecture* transformerNamedBy(const std::string& name) {
    if (const ReleasedUse* use = findReleasedUse(name))
        return &requireArchitecture(use->architecture);
    const auto found = std::ranges::find_if(architectures(), [&](const Architecture& each) {
        return each.family.part == transformerName(1) &&
               (name + '-').starts_with(std::string(each.name) + '-');
    });
    return found == architectures().end() ? nullptr : &*found;
}

template <typename Config>
Config configFrom(const Architecture& architecture) {
    return Config::fromJson(configOf(architecture), std::string(architecture.name));
}

PartWeights weightsOf(const Architecture& architecture, CountsTensor counts = everyTensor) {
    PartWeights weights;
    for (const TensorSpec& tensor : tensorsOf(architecture)) {
        if (!counts(tensor.name))
            continue;
        const auto elements = static_cast<std::uint64_t>(tensor.shape.elements());
        weights.parameters += elements;
        ++weights.tensors;
        weights.memory += elements * byteSize(DType::F32);
        (tensor.dtype == DType::F32 ? weights.mapped : weights.copied) += elements * byteSize(DType::F32);
    }
    const bool isNarrow = std::ranges::all_of(tensorsOf(architecture), [](const TensorSpec& tensor) {
        return tensor.shape.rank() < 2 || tensor.dtype == DType::BF16;
    });
    weights.linears = isNarrow ? DType::BF16 : DType::F32;
    return weights;
}

/// Its layers come into memory one at a time.
PartWeights countTextEncoderWeights(const Architecture& architecture) {
    constexpr std::string_view layers = "encoder.block.";
    std::map<std::string, std::uint64_t> bytes;  // for each layer
    for (const TensorSpec& tensor : tensorsOf(architecture, {}, DType::F32))
        if (tensor.name.starts_with(layers))
            bytes[tensor.name.substr(0, tensor.name.find('.', layers.size()))] += tensor.bytes();
    PartWeights weights = weightsOf(architecture);
    weights.memory = 0;
    for (const auto& [layer, size] : bytes)
        weights.memory = std::max(weights.memory, size);
    weights.copied = weights.memory;
    return weights;
}

const Architecture& vaeFor(const WanTransformerConfig& transformer) {
    const auto found = std::ranges::find_if(architectures(), [&](const Architecture& each) {
        return each.family.part == "vae" && configFrom<WanVaeConfig>(each).zDim == transformer.outChannels;
    });
    return *found;
}

void addSecondExpert(ModelFacts& facts) {
    facts.secondWeights = facts.transformerWeights;
    facts.secondLayers = facts.transformerLayers;
    facts.boundaryRatio = facts.family->defaults.boundaryRatio;
}

const Architecture& releasedTextEncoder() {
    return requireArchitecture("umt5-xxl");
}

const Architecture& releasedImageEncoder() {
    return requireArchitecture("clip-vit-h");
}

const Architecture& releasedAudioEncoder() {
    return requireArchitecture("wav2vec2-large");
}

void addAudioEncoder(ModelFacts& facts) {
    const Architecture& encoder = releasedAudioEncoder();
    facts.audioEncoder = configFrom<Wav2Vec2Config>(encoder);
    facts.audioEncoderWeights = weightsOf(encoder);
}

void addImageEncoder(ModelFacts& facts) {
    const Architecture& encoder = releasedImageEncoder();
    facts.imageEncoder = configFrom<ClipVisionConfig>(encoder);
    facts.imageProcessor = ImageProcessor::forSide(facts.imageEncoder->imageSize);
    facts.imageEncoderWeights = weightsOf(encoder);
}

}  // namespace

std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId) {
    const Architecture* transformer = transformerNamedBy(plainName(nameOrId));
    if (transformer == nullptr)
        return std::nullopt;
    ModelFacts facts;
    facts.family = familyOfArchitecture(transformer->name);
    if (const ReleasedUse* use = findReleasedUse(plainName(nameOrId))) {
        FamilyTraits traits = facts.family->traits;
        traits.trained = use->trained;
        facts.family = findFamily(traits);
    }
    facts.transformer = configFrom<WanTransformerConfig>(*transformer);
    facts.transformerWeights = weightsOf(*transformer);
    facts.transformerLayers =
        std::make_shared<const std::vector<StoredLayer>>(storedLayers(facts.transformer, StoredType::BF16));
    const Architecture& textEncoder = releasedTextEncoder();
    facts.textEncoder = configFrom<Umt5Config>(textEncoder);
    facts.textEncoderWeights = countTextEncoderWeights(textEncoder);
    const Architecture& vae = vaeFor(facts.transformer);
    facts.vae = configFrom<WanVaeConfig>(vae);
    facts.vaeWeights = weightsOf(vae);
    facts.vaeDecoderWeights = weightsOf(vae, isOfVaeDecoder);
    if (facts.family->traits.experts == 2)
        addSecondExpert(facts);
    if (facts.family->traits.imageEmbeddings)
        addImageEncoder(facts);
    if (facts.family->traits.hears)
        addAudioEncoder(facts);
    return facts;
}

namespace {

/// Counts in the number type of the release; some repositories store F32, which is more.
PublishedPart publishedPart(std::string_view name, const Architecture& architecture) {
    PublishedPart part{.name = std::string(name)};
    for (const TensorSpec& tensor : tensorsOf(architecture))
        part.bytes += tensor.bytes();
    return part;
}

}  // namespace

std::vector<PublishedPart> publishedParts(std::string_view nameOrId) {
    const std::optional<ModelFacts> facts = releasedModelFacts(nameOrId);
    if (!facts)
        return {};
    const Architecture& transformer = *transformerNamedBy(plainName(nameOrId));
    std::vector<PublishedPart> parts;
    for (int expert = 1; expert <= facts->experts(); ++expert)
        parts.push_back(publishedPart(transformerName(expert), transformer));
    parts.push_back(publishedPart("text_encoder", releasedTextEncoder()));
    parts.push_back(publishedPart("vae", vaeFor(facts->transformer)));
    if (facts->imageEncoder)
        parts.push_back(publishedPart("image_encoder", releasedImageEncoder()));
    if (facts->audioEncoder)
        parts.push_back(publishedPart("audio_encoder", releasedAudioEncoder()));
    return parts;
}

namespace {

std::optional<ModelFacts> factsByName(std::string_view name) {
    try {
        if (const ModelOffer* const offer = findOffer(name))
            return offeredModelFacts(*offer);
    } catch (const Error&) {
        // findModel() says what is wrong with the installation.
    }
    return releasedModelFacts(name);
}

}  // namespace

ProjectModel readProjectModel(const Project& project) {
    ProjectModel model;
    try {
        const fs::path folder = findModel(project.model);
        model.onDisk = true;
        model.facts = std::make_shared<const ModelFacts>(readModelFacts(folder));
    } catch (const Error& refused) {
        model.refused = refused;
        if (isMadeOfFiles(project))
            return model;
        if (std::optional<ModelFacts> known = factsByName(project.model))
            model.facts = std::make_shared<const ModelFacts>(*std::move(known));
    }
    return model;
}

std::vector<std::string> installedModelsFor(WanTask task) {
    const auto doesTask = [task](const ModelInfo& model) {
        try {
            Project project;
            project.model = model.folder.string();
            return isMadeFor(*readModelFacts(prepareModelFolder(project)).family, task);
        } catch (const Error&) {
            return false;
        }
    };
    std::vector<std::string> names;
    for (const ModelInfo& model : installedModels())
        if (doesTask(model))
            names.push_back(model.name);
    return names;
}

}  // namespace meshreel
