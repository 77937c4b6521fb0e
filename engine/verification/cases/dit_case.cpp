// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/mesh/lone_device.h"
#include "engine/models/transformer/token_shards.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

/// The first one is compared with its intermediates, the others by their result.
constexpr std::array attentionNames{"dot_product", "flash"};

AttentionSettings attentionNamed(const char* name) {
    return {.mode = &requireAttentionMode(name)};
}

/// Which tokens of an intermediate a case holds, where that is not all of them: "temb_tokens10_14" is temb of
/// the tokens 10 to 13, "text_embed_first32" is text_embed of the first 32.
struct KeptTokens {
    std::string name;
    ShardRange tokens;

    static std::optional<KeptTokens> parse(const std::string& output) {
        if (const std::size_t at = output.rfind("_first"); at != std::string::npos)
            if (const auto end = number(output.substr(at + 6)))
                return KeptTokens{output.substr(0, at), {0, *end}};
        const std::size_t at = output.rfind("_tokens");
        const std::size_t between = output.rfind('_');
        if (at == std::string::npos || between <= at)
            return std::nullopt;
        const auto begin = number(output.substr(at + 7, between - at - 7));
        const auto end = number(output.substr(between + 1));
        if (!begin || !end)
            return std::nullopt;
        return KeptTokens{output.substr(0, at), {*begin, *end}};
    }

  private:
    static std::optional<std::int64_t> number(const std::string& text) {
        std::int64_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        return failure == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                          : std::nullopt;
    }
};

/// One variant of a case, its inputs and what it must give.
class DitVariant {
  public:
    DitVariant(GoldenComparison& comparison, std::string name, std::string first, GoldenTolerance tolerance)
        : m_comparison(comparison),
          m_name(std::move(name)),
          m_first(std::move(first)),
          m_tolerance(tolerance) {}

    [[nodiscard]] WanInputs inputs() const {
        return {.latents = required("hidden_states"),
                .timesteps = required("timestep"),
                .control = input("control_hidden_states"),
                .controlScales = controlScales(),
                .pose = input("pose_hidden_states")};
    }

    [[nodiscard]] WanConditions conditions() const {
        return {.text = required("encoder_hidden_states"),
                .image = input("encoder_hidden_states_image"),
                .faces = input("face_pixel_values")};
    }

    [[nodiscard]] std::string output(const std::string& name) const { return variantName(m_name, name); }

    /// Compares intermediates, also those of which the case keeps some tokens.
    [[nodiscard]] Probe probe() const {
        return [this, whole = m_comparison.probe(m_name, m_tolerance)](std::string_view name,
                                                                       const Tensor& value) {
            const std::string own = output(std::string(name));
            if (m_comparison.wants(own) && name.starts_with("motion."))
                compareFirstFrames(own, value);
            whole(name, value);
            for (const std::string& wanted : m_comparison.outputs())
                if (const auto kept = KeptTokens::parse(wanted); kept && kept->name == own)
                    compareTokens(wanted, kept->tokens, value);
        };
    }

  private:
    /// A variant that lacks an input shares that of the first one.
    [[nodiscard]] std::optional<Tensor> input(const std::string& name) const {
        for (const std::string& owner : {m_name, m_first})
            if (const std::string full = variantName(owner, "in." + name); m_comparison.golden().has(full))
                return m_comparison.golden().get(full);
        return std::nullopt;
    }

    [[nodiscard]] Tensor required(const std::string& name) const {
        return input(name) ? *input(name) : m_comparison.golden().get(variantName(m_name, "in." + name));
    }

    /// Of this variant alone: without them they are 1.
    [[nodiscard]] std::vector<float> controlScales() const {
        const std::string name = variantName(m_name, "in.control_hidden_states_scale");
        if (!m_comparison.golden().has(name))
            return {};
        const Tensor scales = m_comparison.golden().get(name).toF32();
        return {scales.data<float>().begin(), scales.data<float>().end()};
    }

    /// Intermediates of the face video: a case holds those of the first few frames.
    void compareFirstFrames(const std::string& wanted, const Tensor& value) const {
        const Shape& shape = m_comparison.golden().find(wanted)->shape;
        if (shape.rank() == value.shape().rank() && shape[0] < value.extent(0))
            m_comparison.compareOnce(wanted, value.slice(0, shape[0]), m_tolerance);
    }

    void compareTokens(const std::string& wanted, const ShardRange& tokens, const Tensor& value) const {
        if (value.shape().rank() == 3 && tokens.begin <= tokens.end && tokens.end <= value.extent(1))
            m_comparison.compareOnce(wanted, tokensOfEach(value, tokens), m_tolerance);
    }

    GoldenComparison& m_comparison;
    std::string m_name;
    std::string m_first;
    GoldenTolerance m_tolerance;
};

/// The case's class decides where the config does not name one.
nlohmann::json transformerConfig(const GoldenFiles& files) {
    nlohmann::json config = files.json("config.json");
    if (!config.contains("_class_name"))
        config["_class_name"] = files.className();
    return config;
}

}  // namespace

void verifyDit(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass(
        {"WanTransformer3DModel", "WanVACETransformer3DModel", "WanAnimateTransformer3DModel"});
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireKnownInputs(files, comparison.golden(), variant,
                           {"hidden_states", "timestep", "encoder_hidden_states",
                            "encoder_hidden_states_image", "control_hidden_states",
                            "control_hidden_states_scale", "pose_hidden_states", "face_pixel_values"});

    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(transformerConfig(files), files.place("config.json"));
    const Checkpoint weights = files.weights();
    LoneDevice lone(execution);
    for (const char* attention : attentionNames) {
        const bool firstAttention = attention == attentionNames.front();
        const WanTransformer transformer(config, weights, attentionNamed(attention));
        for (const std::string& name : variants) {
            const DitVariant variant(comparison, name, variants.front(), tolerance);
            const Tensor out = transformer.forward(lone.device(), variant.inputs(), variant.conditions(),
                                                   firstAttention ? variant.probe() : Probe{});
            const std::string output = variant.output("out");
            if (firstAttention)
                comparison.compare(output, out, tolerance);
            else
                comparison.compareAgain(output, output + " (" + attention + ")", out, tolerance);
        }
    }
}

}  // namespace meshreel
