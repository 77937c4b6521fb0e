// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// What has to be done to a tensor of the original file to get the one that diffusers has.
enum class Reshaping : std::uint8_t {
    None,
    Rows,       ///< one of several equal ranges of the first axis
    Flatten,    ///< to one axis
    DropFirst,  ///< a first axis of extent 1 goes
    Transpose,  ///< of a matrix
};

/// One name, or one kind of name, in the original files and in those of diffusers. Parts between dots may be
/// placeholders:
///   {i} {j}     an index
///   {i+1}       an index greater by one
///   *           any last part (weight, bias, gamma, …)
///   {flat}      i·stride + j, where a level's blocks are counted on (stride: residual blocks of the context
///   + 2) {up}        i·stride + stride - 1, the last of a level: it enlarges or shrinks {blocks}    the
///   residual blocks of the context; {blocks+1} one more {motion+1}  the motion encoder's residual blocks,
///   plus one
/// An empty name at diffusers: the tensor is not used there.
struct NameRule {
    std::string_view original;
    std::string_view diffusers;
    Reshaping reshaping = Reshaping::None;
    int part = 0;  ///< of Reshaping::Rows
    int parts = 1;
};

/// Of the transformers: text, image and first-and-last-frame to video, VACE, Animate.
std::span<const NameRule> transformerRules();

/// Of both VAEs; a name fits the rules of one of them only.
std::span<const NameRule> vaeRules();

std::span<const NameRule> textEncoderRules();

/// Of a text encoder that llama.cpp converted: its names stand for the original ones.
std::span<const NameRule> llamaTextEncoderRules();

std::span<const NameRule> imageEncoderRules();

/// The networks of a Wan model.
enum class ModelPart : std::uint8_t { Transformer, Vae, TextEncoder, ImageEncoder };

/// "transformer", "vae", "text_encoder", "image_encoder": the folders of diffusers.
std::string_view nameOf(ModelPart part);

/// Numbers that some names depend on, and that stand in no name by themselves.
struct NameContext {
    int residualBlocks = 2;  ///< of a level of the VAE's encoder; its decoder has one more
    int motionBlocks = 7;    ///< residual blocks of Animate's motion encoder
    bool vaeLevels = false;  ///< the VAE's blocks are counted by level on both sides, as Wan 2.2's are

    /// Of the names of one part, in either naming.
    static NameContext of(std::span<const std::string> names);
};

/// A name on the other side.
struct MappedName {
    std::string name;  ///< empty: the tensor is not used on that side
    Reshaping reshaping = Reshaping::None;
    int part = 0;
    int parts = 1;

    friend bool operator==(const MappedName&, const MappedName&) = default;
};

/// Names of one part in the files of the original project and of diffusers.
class NameMap {
  public:
    explicit NameMap(ModelPart part, NameContext context = {});

    /// Of other rules than those of a part.
    NameMap(std::span<const NameRule> rules, NameContext context) : m_rules(rules), m_context(context) {}

    /// Several where a tensor is split; none for a name that no rule knows.
    [[nodiscard]] std::vector<MappedName> toDiffusers(std::string_view original) const;

    /// One, or none for a name that no rule knows. `reshaping` is what makes the diffusers tensor of the
    /// original.
    [[nodiscard]] std::optional<MappedName> toOriginal(std::string_view diffusers) const;

  private:
    std::span<const NameRule> m_rules;
    NameContext m_context;
};

/// Whose names the tensors of a file have.
enum class Naming : std::uint8_t {
    Diffusers,  ///< of diffusers and transformers
    Original,   ///< of the Wan project; ComfyUI uses them too
    LlamaCpp,   ///< of a text encoder converted by llama.cpp
};

/// What the names of a file tell.
struct WeightLayout {
    std::optional<ModelPart> part{};  ///< nothing: names of no part of a Wan model
    Naming naming = Naming::Diffusers;
    std::string prefix{};  ///< in front of the names: "model.diffusion_model."

    static WeightLayout of(std::span<const std::string> names);
};

/// What stands beside a weight in fp8 files instead of being one.
struct ScaleName {
    std::string weight;  ///< that it belongs to
    bool applies;        ///< multiplies the weight (and not the activations)
};
std::optional<ScaleName> scaleNameOf(std::string_view name);

/// A tensor that says how a weight is stored, where that is a way that Meshreel does not read.
struct QuantisedLayout {
    std::string_view suffix;       ///< of its name, in place of the weight's ".weight"
    std::string_view name;         ///< "bitsandbytes NF4"
    bool inPlaceOfWeight = false;  ///< there is no ".weight": this tensor holds its numbers
};

/// Where several fit, the first one names the layout.
std::span<const QuantisedLayout> quantisedLayouts();

/// The weight whose numbers a tensor holds in its place: "a.weight" of "a.qweight". Nothing for others.
std::optional<std::string> weightStoredAs(std::string_view name);

/// The weight that a tensor of such a layout stands beside: "a.weight" of "a.qzeros". Nothing for others.
std::optional<std::string> weightBeside(std::string_view name);

/// "a" of "a.weight" and of every other name that the layouts give a weight "a".
std::string_view stemOf(std::string_view name);

/// Tensors that are no weights of the network: markers, the tokenizer inside ComfyUI's text encoders.
bool isNoWeight(std::string_view name);

/// Behind a weight's stem: ComfyUI's description of how it is stored, as the bytes of a JSON object.
inline constexpr std::string_view comfyQuantSuffix = ".comfy_quant";

/// The tensor whose presence says that fp8 weights have scales.
inline constexpr std::string_view scaledFp8Marker = "scaled_fp8";

}  // namespace meshreel
