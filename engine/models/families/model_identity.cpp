// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/model_identity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "engine/base/error.h"
#include "engine/models/families/inferred_config.h"

namespace meshreel {
namespace {

/// A tensor that only this relative has. `mark` is a part of its name, as diffusers or its own file spell it.
struct Relative {
    std::string_view mark;
    Sentence name;
};

const std::array<Relative, 14>& relatives() {
    static const std::array<Relative, 14> all{{
        {"casual_audio_encoder.", sentence("Wan 2.2 S2V (speech to video)")},
        {"audio_injector.", sentence("Wan 2.2 S2V (speech to video)")},
        {"trainable_cond_mask", sentence("Wan 2.2 S2V (speech to video)")},
        {"fps_embedding.", Sentence("SkyReels-V2 diffusion forcing")},
        {"fps_projection.", Sentence("SkyReels-V2 diffusion forcing")},
        {"ref_conv.", Sentence("Wan Fun Control")},
        {"control_adapter.", Sentence("Wan Fun Camera")},
        {"audio_cross_attn.", sentence("MultiTalk or InfiniteTalk")},
        {"audio_proj.", sentence("a Wan model with audio (HuMo, MultiTalk)")},
        {"cam_encoder.", Sentence("ReCamMaster")},
        {"dwpose_embedding.", Sentence("UniAnimate")},
        {"double_blocks.", sentence("HunyuanVideo or Flux, which are no Wan models")},
        {"joint_blocks.", sentence("another model than Wan")},
        {"transformer_blocks.", sentence("another model than Wan")},
    }};
    return all;
}

/// Channels into a transformer that no released Wan model has, but Fun models have.
constexpr std::array funChannels = {std::int64_t{32}, std::int64_t{52}, std::int64_t{100}};

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

Sentence relativeNamedBy(const Checkpoint& checkpoint) {
    for (const TensorFile& file : checkpoint.shards())
        for (const FileTensor& tensor : file.tensors())
            for (const Relative& relative : relatives())
                if (tensor.name.find(relative.mark) != std::string::npos)
                    return relative.name;
    return {};
}

using Shapes = std::map<std::string, Shape>;

Shapes shapesOf(const Checkpoint& checkpoint) {
    Shapes shapes;
    for (const std::string& name : checkpoint.names())
        shapes.emplace(name, checkpoint.shape(name));
    return shapes;
}

/// Tensors that files of the same model may or may not have.
bool isOptional(std::string_view name) {
    return name == "encoder.embed_tokens.weight" || name.starts_with("visual_projection.") ||
           name.ends_with("position_ids");
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
    const Shapes found = shapesOf(checkpoint);
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

bool isShared14B(const Architecture& architecture) {
    return architecture.name == "wan2.1-t2v-14b" || architecture.name == "wan2.2-t2v-a14b";
}

/// A lone expert of Wan 2.2's text-to-video model has exactly the shapes of Wan 2.1's.
void settleExpert(const Checkpoint& checkpoint, ModelIdentity& identity) {
    const std::string words = wordsAbout(checkpoint);
    const std::string expert = expertNamedBy(words);
    const bool image = identity.architecture->name == "wan2.2-i2v-a14b";
    const bool says22 = image || !expert.empty() || containsAny(words, {"wan2.2", "wan2_2", "wan22", "a14b"});
    const bool says21 = containsAny(words, {"wan2.1", "wan2_1", "wan21"});
    if (says22 && !says21) {
        identity.architecture = findArchitecture(image ? "wan2.2-i2v-a14b" : "wan2.2-t2v-a14b");
        identity.family = "Wan 2.2";
        const Sentence which = expert.empty()           ? sentence("one of the two experts")
                               : expert == "high-noise" ? sentence("high-noise expert")
                                                        : sentence("low-noise expert");
        identity.what = image ? sentence("{} of image to video, A14B", which)
                              : sentence("{} of text to video, A14B", which);
        if (expert.empty())
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
    identity.family = name.starts_with("wan2.1")   ? Sentence("Wan 2.1")
                      : name.starts_with("wan2.2") ? Sentence("Wan 2.2")
                                                   : sentence("Wan 2.1 and 2.2");
    const std::size_t dash = name.rfind('-');
    std::string size(name.substr(dash == std::string_view::npos ? 0 : dash + 1));
    std::ranges::transform(size, size.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    identity.what = tableText(identity.architecture->help);
    if (identity.part == ModelPart::Transformer)
        identity.what = commaList({identity.what, size});
}

/// Of a size that was never released: as far as the config tells.
void describeOtherSize(const Checkpoint& checkpoint, ModelIdentity& identity) {
    if (identity.part != ModelPart::Transformer)
        return;
    try {
        const nlohmann::json config = configOf(checkpoint);
        const auto channels = config.value("in_channels", std::int64_t{0});
        if (std::ranges::find(funChannels, channels) != funChannels.end())
            identity.relative = sentence("a Wan Fun model ({} input channels)", channels);
        const bool image = config.contains("image_dim") && !config.at("image_dim").is_null();
        identity.what = config.contains("vace_layers") ? sentence("VACE editing, of no released size")
                        : image || channels > config.value("out_channels", channels)
                            ? sentence("image to video, of no released size")
                            : sentence("text to video, of no released size");
    } catch (const Error& error) {
        identity.doubt = error.asSentence();
    } catch (const nlohmann::json::exception&) {
        identity.doubt = sentence("The config.json beside it is not that of a Wan transformer");
    }
}

}  // namespace

std::string expertNamedBy(const std::string& path) {
    const std::string words = lowered(path);
    const bool high =
        containsAny(words, {"high_noise", "high-noise", "highnoise", "_high_", "-high-", "_high.", "-high."});
    const bool low =
        containsAny(words, {"low_noise", "low-noise", "lownoise", "_low_", "-low-", "_low.", "-low."});
    return high == low ? std::string() : high ? "high-noise" : "low-noise";
}

ModelIdentity identify(const Checkpoint& checkpoint) {
    ModelIdentity identity{.part = checkpoint.layout().part};
    identity.relative = relativeNamedBy(checkpoint);
    if (!identity.part)
        return identity;
    Difference nearest = nearestArchitecture(checkpoint, *identity.part);
    if (nearest.architecture == nullptr) {
        describeOtherSize(checkpoint, identity);
        return identity;
    }
    identity.architecture = nearest.architecture;
    identity.missing = std::move(nearest.missing);
    identity.unexpected = std::move(nearest.unexpected);
    nameFamily(identity);
    if (isShared14B(*identity.architecture) || identity.architecture->name == "wan2.2-i2v-a14b")
        settleExpert(checkpoint, identity);
    return identity;
}

}  // namespace meshreel
