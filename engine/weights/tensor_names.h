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

/// The networks of a Wan model.
enum class ModelPart : std::uint8_t { Transformer, Vae, TextEncoder, ImageEncoder, AudioEncoder };

/// "transformer", "vae", "text_encoder", "image_encoder", "audio_encoder": the folders of diffusers.
std::string_view nameOf(ModelPart part);

/// Whose names the tensors of a file have.
enum class Naming : std::uint8_t {
    Diffusers,  ///< names of diffusers and transformers
    Original,   ///< names of the Wan project; ComfyUI uses them too
    LlamaCpp,   ///< a text encoder that llama.cpp converted: its names stand for the original ones
};

/// Numbers that some names depend on, and that are in no name themselves.
struct NameContext {
    int residualBlocks = 2;  ///< blocks in a level of the VAE's encoder; its decoder has one more
    int motionBlocks = 7;    ///< residual blocks of Animate's motion encoder
    bool vaeLevels = false;  ///< the VAE's blocks are counted by level on both sides, as Wan 2.2's are

    /// Returns what the names of one part show, in either naming.
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
    /// With `naming` LlamaCpp the names of llama.cpp's text encoder stand for the original ones.
    explicit NameMap(ModelPart part, NameContext context = {}, Naming naming = Naming::Original)
        : m_part(part), m_naming(naming), m_context(context) {}

    /// Several where a tensor is split; none for a name that no rule knows.
    [[nodiscard]] std::vector<MappedName> toDiffusers(std::string_view original) const;

    /// Returns one, or none for a name that no rule knows. `reshaping` is what makes the diffusers tensor of
    /// the original.
    [[nodiscard]] std::optional<MappedName> toOriginal(std::string_view diffusers) const;

  private:
    ModelPart m_part;
    Naming m_naming;
    NameContext m_context;
};

/// What the names of a file show.
struct WeightLayout {
    std::optional<ModelPart> part{};  ///< absent: the names of no part of a Wan model
    Naming naming = Naming::Diffusers;
    std::string prefix{};  ///< prefix of the names: "model.diffusion_model."

    /// `part`: the one to look for in a file that may hold several; without it, or where the file does not
    /// hold it, the first that is found, the transformer before all others.
    static WeightLayout of(std::span<const std::string> names, std::optional<ModelPart> part = {});
};

/// Returns a name as the network has it: without the parts between dots that wrappers of a training put into
/// it (torch.compile's "_orig_mod", FSDP's "_fsdp_wrapped_module", …).
std::string withoutWrappers(std::string_view name);

/// Returns the part that a name in an all-in-one file belongs to, by its prefix there: "vae.",
/// "text_encoders.". Nothing for names of the transformer and others.
std::optional<ModelPart> partInside(std::string_view name);

/// What is beside a weight in fp8 files instead of being one.
struct ScaleName {
    std::string weight;  ///< that it belongs to
    bool applies;        ///< multiplies the weight (and not the activations)
};
std::optional<ScaleName> parseScaleName(std::string_view name);

/// A tensor that says how a weight is stored, if Meshreel does not read that.
struct QuantisedLayout {
    std::string_view suffix;       ///< suffix of its name, instead of the weight's ".weight"
    std::string_view name;         ///< "bitsandbytes NF4"
    bool inPlaceOfWeight = false;  ///< there is no ".weight": this tensor holds its numbers
};

/// Returns the layouts; if several fit, the first one names the layout.
std::span<const QuantisedLayout> quantisedLayouts();

/// Returns the weight whose numbers a tensor holds in its place: "a.weight" of "a.qweight". Nothing for
/// others.
std::optional<std::string> weightStoredAs(std::string_view name);

/// Returns the weight that a tensor of such a layout accompanies: "a.weight" for "a.qzeros". Nothing for
/// others.
std::optional<std::string> weightBeside(std::string_view name);

/// "a" of "a.weight" and of every other name that the layouts give a weight "a".
std::string_view stemOf(std::string_view name);

/// Returns whether a tensor is not a weight of the network: markers, the tokenizer inside ComfyUI's text
/// encoders.
bool isNoWeight(std::string_view name);

/// Follows a weight's stem: ComfyUI's description of how it is stored, as the bytes of a JSON object.
inline constexpr std::string_view comfyQuantSuffix = ".comfy_quant";

/// The tensor whose presence says that fp8 weights have scales.
inline constexpr std::string_view scaledFp8Marker = "scaled_fp8";

}  // namespace meshreel
