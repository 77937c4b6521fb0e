// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/model_identity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "engine/base/error.h"
#include "engine/models/families/control_channels.h"
#include "engine/models/families/inferred_config.h"
#include "engine/tensor/shape.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

/// What does for people what a relative does.
enum class Instead : std::uint8_t { Wan, Control, Character, Subjects, Speech, Editing };

Sentence describeInstead(Instead instead) {
    switch (instead) {
        case Instead::Wan:
            break;
        case Instead::Control:
            return sentence("Use Fun Control with a control video, or ATI or Wan-Move with tracks");
        case Instead::Character:
            return sentence("Use Wan 2.2 Animate with pose_video and face_video");
        case Instead::Subjects:
            return sentence("Use Phantom or VACE with reference_images");
        case Instead::Speech:
            return sentence("Use Wan 2.2 S2V with image and speech");
        case Instead::Editing:
            return sentence("Use VACE with video and mask");
    }
    return sentence("Use a Wan 2.1 or 2.2 model");
}

/// A tensor that only this relative has. `mark` is a part of its name, as diffusers or its own file spell it.
struct Relative {
    std::string_view mark;
    Sentence name;
    Instead instead = Instead::Wan;
};

// Marks of the models' own code, and of loaders that tell them apart: nodes_model_loading.py of
// kijai/ComfyUI-WanVideoWrapper, model_detection.py of Comfy-Org/ComfyUI.
const std::array<Relative, 26>& relatives() {
    static const std::array<Relative, 26> all{{
        {"fps_embedding.", Sentence("SkyReels-V2 diffusion forcing")},
        {"fps_projection.", Sentence("SkyReels-V2 diffusion forcing")},
        {"control_adapter.", Sentence("Wan Fun Control Camera"), Instead::Control},
        {"audio_cross_attn_wrapper.", Sentence("HuMo"), Instead::Speech},
        {"audio_proj.audio_proj_glob_", Sentence("HuMo"), Instead::Speech},
        {"audio_cross_attn.", sentence("MultiTalk or InfiniteTalk"), Instead::Speech},
        {"audio_proj.", sentence("a Wan model with audio (HuMo, MultiTalk)"), Instead::Speech},
        {"music_injector.", Sentence("Wan-Dancer"), Instead::Character},
        {"mask_patch_embedding.", Sentence("SCAIL-2"), Instead::Character},
        {"patch_embedding_mask.", Sentence("SCAIL-2"), Instead::Character},
        {"condition_embedding_spatial.", Sentence("SteadyDancer"), Instead::Character},
        {"motion_attn.", Sentence("MTVCrafter"), Instead::Character},
        {"dwpose_embedding.", Sentence("UniAnimate"), Instead::Character},
        {"pre_crs_attn_norm.", Sentence("LongCat-Video")},
        {".ffn.w1.", Sentence("LongCat-Video")},
        {".ref_adapter.", Sentence("Lynx"), Instead::Subjects},
        {"cross_attn.ip_adapter.", Sentence("Lynx"), Instead::Subjects},
        {".self_attn.q_loras.", Sentence("Stand-In"), Instead::Subjects},
        {"text_projection.0.", Sentence("BindWeave"), Instead::Subjects},
        {"controlnet_patch_embedding.", Sentence("Uni3C"), Instead::Control},
        {"patch_embedding_wancamctrl.", sentence("LingBot-World or Matrix-Game 3"), Instead::Control},
        {"cam_encoder.", Sentence("ReCamMaster"), Instead::Control},
        {"decoder.1.conv.3.weight", sentence("the larger variant of TAEHV (taew2_2_super)")},
        {"double_blocks.", sentence("HunyuanVideo or Flux, which are no Wan models")},
        {"joint_blocks.", sentence("another model than Wan")},
        {"transformer_blocks.", sentence("another model than Wan")},
    }};
    return all;
}

/// Channels into and out of a transformer that no model has which Meshreel runs: latents beside those of a
/// control video, a camera's path, a first image, or a video that is edited.
struct OtherChannels {
    std::int64_t in;
    std::int64_t out;
    Sentence name;
    Instead instead = Instead::Control;
};

const std::array<OtherChannels, 3>& otherChannels() {
    static const std::array<OtherChannels, 3> all{{
        {32, 16, sentence("a Wan Fun model")},
        {100, 48, sentence("a Wan Fun model")},
        {96, 48, Sentence("Lucy Edit"), Instead::Editing},
    }};
    return all;
}

/// Words in the names of files, their folders or their metadata by which parts that have the same shapes are
/// told apart. `model` is empty when the word names Wan's.
struct NameWord {
    ModelPart part;
    std::string_view word;
    std::string_view model;
};
constexpr std::array nameWords = {
    NameWord{ModelPart::Vae, "wan", ""},
    NameWord{ModelPart::Vae, "qwen", "Qwen-Image"},
    NameWord{ModelPart::Vae, "taew2", ""},
    NameWord{ModelPart::Vae, "taehv", "HunyuanVideo"},
    NameWord{ModelPart::Vae, "taecvx", "CogVideoX"},
    NameWord{ModelPart::ImageEncoder, "wan", ""},
    NameWord{ModelPart::ImageEncoder, "xlm", ""},
    NameWord{ModelPart::ImageEncoder, "clip_vision_h", ""},
    NameWord{ModelPart::ImageEncoder, "laion2b", "IP-Adapter"},
    NameWord{ModelPart::ImageEncoder, "ipadapter", "IP-Adapter"},
    NameWord{ModelPart::ImageEncoder, "ip-adapter", "IP-Adapter"},
};
constexpr int foldersThatName = 2;  ///< above a file

/// Classes of diffusers that have the tensors of Wan's VAE.
constexpr std::string_view wanVaeClass = "AutoencoderKLWan";
constexpr std::string_view qwenVaeClass = "AutoencoderKLQwenImage";

constexpr std::int64_t colourChannels = 3;
constexpr std::int64_t latentChannelsOf21 = 16;
constexpr std::int64_t vocabularyOfT5 = 32128;

/// At most one tensor in so many may be missing or too much in a file of a released model.
constexpr std::size_t mostDifferent = 8;

std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool containsAny(const std::string& text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// File name, its folders' and what the file says of itself, in small letters: what people go by.
std::string wordsAbout(const Checkpoint& checkpoint) {
    std::string words;
    const std::filesystem::path& path = checkpoint.path();
    for (std::filesystem::path part = path;
         words.size() < 400 && part.has_relative_path() && part != part.root_path();
         part = part.parent_path())
        words += part.filename().string() + " ";
    for (const auto& [key, value] : checkpoint.shards().front().metadata())
        if (key.find("name") != std::string::npos || key.find("title") != std::string::npos ||
            key.find("description") != std::string::npos)
            words += value.substr(0, 400) + " ";
    return lowered(words);
}

const Relative* findRelative(const Checkpoint& checkpoint) {
    for (const TensorFile& file : checkpoint.shards())
        for (const FileTensor& tensor : file.tensors())
            for (const Relative& relative : relatives())
                if (tensor.name.find(relative.mark) != std::string::npos)
                    return &relative;
    return nullptr;
}

std::int64_t extentOf(const Checkpoint& checkpoint, std::string_view name, std::size_t axis) {
    if (!checkpoint.has(name))
        return 0;
    const Shape& shape = checkpoint.shape(name);
    return axis < shape.rank() ? shape[axis] : 0;
}

/// Ignores the config: many have classes that count channels in other ways.
const OtherChannels* findOtherChannels(const Checkpoint& checkpoint) {
    constexpr std::string_view patches = "patch_embedding.weight";
    const std::int64_t pixels = extentOf(checkpoint, patches, 2) * extentOf(checkpoint, patches, 3) *
                                extentOf(checkpoint, patches, 4);
    const std::int64_t in = extentOf(checkpoint, patches, 1);
    const std::int64_t out = extentOf(checkpoint, "proj_out.weight", 0) / std::max<std::int64_t>(pixels, 1);
    const auto found = std::ranges::find_if(
        otherChannels(), [&](const OtherChannels& model) { return model.in == in && model.out == out; });
    return found == otherChannels().end() ? nullptr : &*found;
}

Sentence describeOtherChannels(const Checkpoint& checkpoint) {
    const OtherChannels* model = findOtherChannels(checkpoint);
    return model == nullptr ? Sentence() : sentence("{} ({} input channels)", model->name, model->in);
}

/// T5 has one relative bias for all blocks, UMT5 one in each.
Sentence foreignTextEncoder(const Checkpoint& checkpoint) {
    int blocks = 0;
    int biases = 0;
    for (const std::string& name : checkpoint.names()) {
        if (!name.starts_with("encoder.block."))
            continue;
        blocks += name.ends_with("SelfAttention.q.weight") ? 1 : 0;
        biases += name.ends_with("relative_attention_bias.weight") ? 1 : 0;
    }
    if (blocks < 2 || biases != 1)
        return {};
    const bool ofFlux = extentOf(checkpoint, "shared.weight", 0) == vocabularyOfT5 ||
                        extentOf(checkpoint, "encoder.embed_tokens.weight", 0) == vocabularyOfT5;
    return ofFlux ? sentence(
                        "T5 as Flux and Stable Diffusion 3 have it (a relative bias in its first block only)")
                  : sentence("T5 (a relative bias in its first block only), not UMT5");
}

/// Judges by the class that a config gives it; without one by shapes that Wan's VAEs do not have.
Sentence foreignVae(const Checkpoint& checkpoint) {
    if (const std::optional<nlohmann::json> config = givenConfig(checkpoint)) {
        const auto found = config->find("_class_name");
        if (found == config->end() || !found->is_string())
            return {};
        const auto& className = found->get_ref<const std::string&>();
        if (className == qwenVaeClass)
            return sentence("the VAE of Qwen-Image");
        if (className == wanVaeClass)
            return {};
        if (className.starts_with("Autoencoder"))
            return sentence("a VAE of class {}", className);
        // That of the transformer beside it: the shapes show it.
    }
    constexpr std::string_view first = "encoder.conv_in.weight";
    constexpr std::string_view last = "decoder.conv_out.weight";
    constexpr std::size_t videoAxes = 5;
    for (const std::string_view name : {first, last})
        if (checkpoint.has(name) && checkpoint.shape(name).rank() != videoAxes)
            return sentence("a VAE of images (its kernels have no axis of time)");
    if (extentOf(checkpoint, "post_quant_conv.weight", 0) != latentChannelsOf21)
        return {};
    const std::int64_t in = extentOf(checkpoint, first, 1);
    const std::int64_t out = extentOf(checkpoint, last, 0);
    if (out == 4 * colourChannels && in == colourChannels)
        return sentence("a VAE that makes videos of twice the size (2x upscale)");
    if (out != colourChannels || in != colourChannels)
        return sentence("a VAE of {} colour channels in and {} out", in, out);
    return {};
}

/// The nearest name that says anything: the file's, what it says of itself, its folders'.
void readNames(const Checkpoint& checkpoint, ModelIdentity& identity) {
    if (const auto config = givenConfig(checkpoint);
        identity.part == ModelPart::Vae && config && config->value("_class_name", "") == wanVaeClass) {
        identity.namedForWan = true;
        return;
    }
    std::vector<std::string> names{lowered(checkpoint.path().filename().string())};
    for (const auto& [key, value] : checkpoint.shards().front().metadata())
        if (key.find("title") != std::string::npos || key.find("architecture") != std::string::npos)
            names.push_back(lowered(value.substr(0, 400)));
    std::filesystem::path folder = checkpoint.path().parent_path();
    for (int level = 0; level < foldersThatName; ++level, folder = folder.parent_path())
        names.push_back(lowered(folder.filename().string()));
    for (const std::string& name : names) {
        for (const NameWord& row : nameWords)
            if (row.part == identity.part && name.find(row.word) != std::string::npos) {
                identity.namedForWan = identity.namedForWan || row.model.empty();
                identity.namedFor = row.model.empty() ? identity.namedFor : Sentence(row.model);
            }
        if (identity.namedForWan && !identity.namedFor.empty()) {
            identity.namedForWan = false;  // both at once says nothing
            identity.namedFor = {};
        } else if (identity.namedForWan || !identity.namedFor.empty()) {
            return;
        }
    }
}

using Shapes = std::map<std::string, Shape>;

Shapes collectShapes(const Checkpoint& checkpoint) {
    Shapes shapes;
    for (const std::string& name : checkpoint.names())
        shapes.emplace(name, checkpoint.shape(name));
    return shapes;
}

/// Tensors that files of the same model may or may not have.
bool isOptional(std::string_view name) {
    return name == "encoder.embed_tokens.weight" || name.starts_with("visual_projection.") ||
           name.ends_with("position_ids") || name == "masked_spec_embed" ||
           name.starts_with("encoder.pos_conv_embed.conv.");
}

struct Difference {
    const Architecture* architecture = nullptr;
    std::vector<std::string> missing;
    std::vector<std::string> unexpected;
    std::size_t otherShape = 0;

    [[nodiscard]] std::size_t size() const { return missing.size() + unexpected.size() + otherShape; }
};

Difference compare(const Architecture& architecture, Shapes found) {
    Difference difference{.architecture = &architecture, .missing = {}, .unexpected = {}};
    for (const TensorSpec& spec : tensorsOf(architecture)) {
        const auto at = found.find(spec.name);
        if (at == found.end()) {
            if (!isOptional(spec.name))
                difference.missing.push_back(spec.name);
            continue;
        }
        difference.otherShape += at->second == spec.shape ? 0 : 1;
        found.erase(at);
    }
    for (const auto& [name, shape] : found)
        if (!isOptional(name))
            difference.unexpected.push_back(name);
    return difference;
}

/// The released model that is nearest, if its tensors have the file's shapes as far as both hold them.
Difference nearestArchitecture(const Checkpoint& checkpoint, ModelPart part) {
    const Shapes found = collectShapes(checkpoint);
    Difference best;
    for (const Architecture& architecture : architectures()) {
        if (architecture.family.part != nameOf(part))
            continue;
        Difference difference = compare(architecture, found);
        // A file that lacks whole layers is a model of another size.
        const bool same = difference.otherShape == 0 && difference.size() * mostDifferent <= found.size();
        if (same && (best.architecture == nullptr || difference.size() < best.size()))
            best = std::move(difference);
    }
    return best;
}

constexpr std::string_view controlExpert = "wan2.2-fun-control-a14b";

bool isShared14B(const Architecture& architecture) {
    return architecture.name == "wan2.1-t2v-14b" || architecture.name == "wan2.2-t2v-a14b";
}

/// A lone expert of Wan 2.2's text-to-video model has exactly the shapes of Wan 2.1's.
void settleExpert(const Checkpoint& checkpoint, ModelIdentity& identity) {
    const NamedGenerations named = readGenerations(wordsAbout(checkpoint));
    const std::optional<Expert> expert = identity.expert;
    const bool image = identity.architecture->name == "wan2.2-i2v-a14b";
    const bool control = identity.architecture->name == controlExpert;
    const bool says22 = image || expert || named.wan22;
    const bool says21 = named.wan21;
    if (control || (says22 && !says21)) {
        if (!control)
            identity.architecture = findArchitecture(image ? "wan2.2-i2v-a14b" : "wan2.2-t2v-a14b");
        identity.family = "Wan 2.2";
        const Sentence which = expert ? titleOf(*expert) : sentence("one of the two experts");
        identity.what = control ? sentence("{} of Fun Control, A14B", which)
                        : image ? sentence("{} of image to video, A14B", which)
                                : sentence("{} of text to video, A14B", which);
        if (!expert)
            identity.doubt = sentence(
                "The two experts have the same shapes, and neither name nor metadata says which this is: the "
                "file's name in its repository holds \"high_noise\" or \"low_noise\"");
        return;
    }
    if (says21 && !says22)
        return;
    identity.family = {};
    identity.what = sentence("text to video, 14B of Wan 2.1, or one expert of Wan 2.2 A14B");
    identity.doubt = sentence(
        "Both have exactly these shapes, and a lone expert makes wrong pictures without a word. Name and "
        "metadata do not decide: rename the file as it is called in its repository (\"wan2.1\", or "
        "\"wan2.2\" with \"high_noise\" or \"low_noise\")");
}

void nameFamily(ModelIdentity& identity) {
    const std::string_view name = identity.architecture->name;
    const auto begins = [name](std::string_view wan, std::string_view tiny) {
        return name.starts_with(wan) || name.starts_with(tiny);
    };
    identity.family = begins("wan2.1", "taew2_1")   ? Sentence("Wan 2.1")
                      : begins("wan2.2", "taew2_2") ? Sentence("Wan 2.2")
                                                    : sentence("Wan 2.1 and 2.2");
    const std::size_t dash = name.rfind('-');
    std::string size(name.substr(dash == std::string_view::npos ? 0 : dash + 1));
    std::ranges::transform(size, size.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    identity.what = tableText(identity.architecture->help);
    if (identity.part == ModelPart::Transformer)
        identity.what = commaList({identity.what, size});
}

/// Describes a size that was never released, as far as the config shows it.
void describeOtherSize(const Checkpoint& checkpoint, ModelIdentity& identity) {
    if (identity.part != ModelPart::Transformer)
        return;
    try {
        const nlohmann::json config = configOf(checkpoint);
        const auto channels = config.value("in_channels", std::int64_t{0});
        const auto latents = config.value("out_channels", channels);
        const bool image = config.contains("image_dim") && !config.at("image_dim").is_null();
        const bool isControlled = channels - latents == controlChannels(latents, false) ||
                                  channels - latents == controlChannels(latents, true);
        identity.what = config.contains("vace_layers") ? sentence("VACE editing, of no released size")
                        : isControlled                 ? sentence("Fun Control, of no released size")
                        : image || channels > latents  ? sentence("image to video, of no released size")
                                                       : sentence("text to video, of no released size");
    } catch (const Error& error) {
        identity.doubt = error.asSentence();
    } catch (const nlohmann::json::exception&) {
        identity.doubt = sentence("The config.json beside it is not that of a Wan transformer");
    }
}

/// Names what no tensor shows, of any size.
void nameByInput(ModelIdentity& identity) {
    if (!takesDrivingVideo(identity.trained))
        return;
    identity.family = Sentence("Wan 2.2");
    identity.what = identity.trained == TrainedInput::DrivingInFewSteps
                        ? sentence("character animation by a video (Animate-2), in few steps")
                        : sentence("character animation by a video (Animate-2)");
}

/// The names of a file and of the folders that name it, in small letters with blanks around each; of the
/// Hugging Face cache the repository's, too.
std::string namingWords(const Checkpoint& checkpoint) {
    std::string words = " ";
    std::filesystem::path path = checkpoint.path();
    for (int level = 0; level <= foldersThatName; ++level, path = path.parent_path())
        words += path.filename().string() + " ";
    for (path = checkpoint.path(); path.has_relative_path(); path = path.parent_path())
        if (path.filename() == "snapshots")
            words += path.parent_path().filename().string() + " ";
    for (const auto& [key, value] : checkpoint.shards().front().metadata())
        if (key.find("name") != std::string::npos || key.find("title") != std::string::npos)
            words += value.substr(0, 400) + " ";
    return lowered(words);
}

bool namesAnimate2(const std::string& words) {
    return containsAny(words, {"animate-2", "animate_2", "animate2"});
}

/// Wan 2.2 Animate-2 has the tensors of image to video, and attends to a driving video with them. Its config
/// says so by its class or in model_type; without these the name of file or folder does.
bool isAnimate2(const Checkpoint& checkpoint) {
    constexpr std::int64_t imageChannels = 36;
    if (extentOf(checkpoint, "patch_embedding.weight", 1) != imageChannels ||
        checkpoint.has("face_encoder.out_proj.weight"))
        return false;
    if (const auto config = givenConfig(checkpoint)) {
        if (config->value("_class_name", nlohmann::json()) == "WanAnimate2Transformer3DModel")
            return true;
        const auto type = config->find("model_type");
        if (type != config->end() && type->is_string())
            return *type == "animate2";
    }
    std::filesystem::path path = checkpoint.path();
    for (int level = 0; level <= foldersThatName; ++level, path = path.parent_path())
        if (namesAnimate2(lowered(path.filename().string())))
            return true;
    return namingWords(checkpoint).find("animate-2") != std::string::npos;
}

/// Base and distilled weights differ by their names only.
TrainedInput drivingInputOf(const std::string& words) {
    return words.find("distill") != std::string::npos ? TrainedInput::DrivingInFewSteps
                                                      : TrainedInput::Driving;
}

}  // namespace

Sentence describeRelative(const Checkpoint& checkpoint) {
    if (const Relative* named = findRelative(checkpoint))
        return named->name;
    if (!checkpoint.layout().part)
        return {};
    switch (*checkpoint.layout().part) {
        case ModelPart::Transformer:
            return describeOtherChannels(checkpoint);
        case ModelPart::Vae:
            return foreignVae(checkpoint);
        case ModelPart::TextEncoder:
            return foreignTextEncoder(checkpoint);
        case ModelPart::ImageEncoder:
        case ModelPart::AudioEncoder:
            return {};
    }
    return {};
}

Sentence insteadOfRelative(const Checkpoint& checkpoint) {
    if (const Relative* named = findRelative(checkpoint))
        return describeInstead(named->instead);
    if (checkpoint.layout().part == ModelPart::Transformer) {
        if (const OtherChannels* model = findOtherChannels(checkpoint))
            return describeInstead(model->instead);
    }
    return describeInstead(Instead::Wan);
}

namespace {

/// Weights with the tensors of a plain Wan model, the words that name them, and what they lack without it.
struct TrainedName {
    TrainedInput input;
    std::array<std::string_view, 5> words;  ///< some empty when there are fewer
    Sentence meaning;
};

const std::array<TrainedName, 4>& trainedNames() {
    static const std::array<TrainedName, 4> all{{
        {TrainedInput::Subjects,
         {"phantom"},
         sentence("Phantom was trained with pictures of its subjects (reference_images); without them the "
                  "video is made from the prompt alone")},
        {TrainedInput::Tracks,
         {"wan2.1-ati", "wan2_1-ati", "_ati_", "--ati ", " ati "},
         sentence("ATI was trained with tracks of points (tracks); without them the video is made from the "
                  "image and the prompt alone")},
        {TrainedInput::Moves,
         {"wan-move", "wan_move", "wanmove"},
         sentence("Wan-Move was trained with tracks of points (tracks); without them the video is made from "
                  "the image and the prompt alone")},
        {TrainedInput::Sources,
         {"bernini"},
         sentence(
             "Bernini-R was trained with a video to edit (video) and pictures to show (reference_images); "
             "without them the video is made from the prompt alone")},
    }};
    return all;
}

/// What the first row says that has a word among them.
TrainedInput trainedInputOf(const std::string& words) {
    for (const TrainedName& row : trainedNames())
        if (std::ranges::any_of(row.words, [&](std::string_view word) {
                return !word.empty() && words.find(word) != std::string::npos;
            }))
            return row.input;
    return TrainedInput::None;
}

}  // namespace

TrainedInput readTrainedInput(const Checkpoint& checkpoint) {
    if (checkpoint.layout().part != ModelPart::Transformer)
        return TrainedInput::None;
    const std::string words = namingWords(checkpoint);
    return isAnimate2(checkpoint) ? drivingInputOf(words) : trainedInputOf(words);
}

TrainedInput readTrainedInput(std::string_view fileName) {
    const std::string words = lowered(fmt::format(" {} ", fileName));
    return namesAnimate2(words) ? drivingInputOf(words) : trainedInputOf(words);
}

Sentence describeTrainedInput(TrainedInput input) {
    const auto& names = trainedNames();
    const auto found = std::ranges::find(names, input, &TrainedName::input);
    return found == names.end() ? Sentence() : found->meaning;
}

Sentence modelNamedBy(const Checkpoint& checkpoint) {
    ModelIdentity identity{.part = checkpoint.layout().part};
    readNames(checkpoint, identity);
    return identity.namedFor;
}

ModelIdentity identify(const Checkpoint& checkpoint) {
    ModelIdentity identity{.part = checkpoint.layout().part};
    identity.relative = describeRelative(checkpoint);
    if (!identity.relative.empty())
        identity.instead = insteadOfRelative(checkpoint);
    if (!identity.part)
        return identity;
    readNames(checkpoint, identity);
    if (!identity.namedFor.empty())
        identity.doubt = sentence("Its tensors have the shapes of Wan's, and its name says that it is {}'s",
                                  identity.namedFor);
    if (identity.part == ModelPart::Transformer) {
        identity.trained = readTrainedInput(checkpoint);
        const ExpertReading reading = readExpert(checkpoint.path(), checkpoint.shards().front().metadata());
        identity.expert = reading.expert();
        if (identity.doubt.empty())
            identity.doubt = reading.contradiction();
    }
    Difference nearest = nearestArchitecture(checkpoint, *identity.part);
    if (nearest.architecture == nullptr) {
        describeOtherSize(checkpoint, identity);
        nameByInput(identity);
        return identity;
    }
    identity.architecture = nearest.architecture;
    identity.missing = std::move(nearest.missing);
    identity.unexpected = std::move(nearest.unexpected);
    nameFamily(identity);
    nameByInput(identity);
    if (isShared14B(*identity.architecture) || identity.architecture->name == "wan2.2-i2v-a14b" ||
        identity.architecture->name == controlExpert)
        settleExpert(checkpoint, identity);
    return identity;
}

}  // namespace meshreel
