// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/network_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/number_types.h"
#include "engine/base/stop_token.h"
#include "engine/base/strings.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/media/image_processor.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/probe.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/vae/wan_vae_tiling.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/checkpoint_maker.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/lora.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

// Transformers.

/// The first one is compared with its intermediates, the others by their result.
constexpr std::array attentionNames{"dot_product", "flash"};

AttentionSettings attentionNamed(const char* name) {
    return {.mode = &requireAttentionMode(name)};
}

/// Which tokens of an intermediate a case holds, if not all of them: "temb_tokens10_14" is temb of the tokens
/// 10 to 13, "text_embed_first32" is text_embed of the first 32.
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
                .groups = references(),
                .control = input("control_hidden_states"),
                .controlScales = controlScales(),
                .pose = input("pose_hidden_states")};
    }

    [[nodiscard]] WanConditions conditions() const {
        return {.text = required("encoder_hidden_states"),
                .image = input("encoder_hidden_states_image"),
                .negativeText = input("negative_encoder_hidden_states"),
                .guidance = guidance(),
                .faces = input("face_pixel_values")};
    }

    [[nodiscard]] WanConditions conditionsWithoutGuidance() const {
        WanConditions plain = conditions();
        plain.negativeText.reset();
        return plain;
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

    /// That of cases with attention guidance.
    [[nodiscard]] AttentionGuidance guidance() const {
        const std::optional<Tensor> values = input("scale_tau_alpha");
        if (!values)
            return {};
        const Tensor numbers = values->toF32();
        const auto number = numbers.data<float>();
        return {.scale = number[0], .tau = number[1], .alpha = number[2]};
    }

    /// The reference of this variant alone, a frame before the video's first; none without one.
    [[nodiscard]] std::vector<TokenGroup> references() const {
        const std::string name = variantName(m_name, "in.reference_hidden_states");
        if (!m_comparison.golden().has(name))
            return {};
        const Tensor frame = m_comparison.golden().get(name);
        return {{.latents =
                     frame.reshaped({frame.extent(0), frame.extent(1), 1, frame.extent(2), frame.extent(3)}),
                 .firstFrame = -1,
                 .embedding = PatchEmbedding::Reference}};
    }

    /// The scales of this variant alone; empty: all are 1.
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
json transformerConfig(const GoldenFiles& files) {
    json config = files.json("config.json");
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
                            "control_hidden_states_scale", "pose_hidden_states", "face_pixel_values",
                            "negative_encoder_hidden_states", "scale_tau_alpha", "reference_hidden_states"});

    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(transformerConfig(files), files.place("config.json"));
    const Checkpoint weights = files.weights();
    LoneDevice lone(execution);
    for (const char* attention : attentionNames) {
        const bool firstAttention = attention == attentionNames.front();
        const WanTransformer transformer(config, weights, planAttentions(attentionNamed(attention), config),
                                         {}, {}, nullptr, {}, execution.memory());
        for (const std::string& name : variants) {
            const DitVariant variant(comparison, name, variants.front(), tolerance);
            const Tensor out = transformer.forward(lone.device(), variant.inputs(), variant.conditions(),
                                                   firstAttention ? variant.probe() : Probe{});
            const std::string output = variant.output("out");
            if (firstAttention)
                comparison.compare(output, out, tolerance);
            else
                comparison.compareAgain(output, output + " (" + attention + ")", out, tolerance);
            if (const std::string plain = variant.output("plain.out");
                firstAttention && comparison.wants(plain))
                comparison.compare(
                    plain,
                    transformer.forward(lone.device(), variant.inputs(), variant.conditionsWithoutGuidance()),
                    tolerance);
        }
    }
}

namespace {

// The text encoder.

constexpr const char* bucketPositions = "bucket.rel_pos";

Tensor readMask(const SafetensorsFile& golden, const std::string& variant, const Shape& shape) {
    const std::string name = variant + ".in.attention_mask";
    if (golden.has(name))
        return golden.get(name);
    Tensor ones = Tensor::empty(shape, DType::I64);
    std::ranges::fill(ones.data<std::int64_t>(), 1);
    return ones;
}

void verifyEncoderVariant(const Execution& execution, const Umt5Encoder& encoder, const std::string& variant,
                          GoldenTolerance tolerance, GoldenComparison& comparison) {
    const Tensor ids = comparison.golden().get(variant + ".in.input_ids");
    const Tensor mask = readMask(comparison.golden(), variant, ids.shape());
    const Tensor states = encoder.encode(execution, ids, mask, comparison.probe(variant, tolerance));
    comparison.compareOnce(variant + ".last_hidden_state", states, tolerance);
    comparison.compareOnce(variant + ".prompt_embeds", maskPadding(states, mask), tolerance);
}

void verifyBuckets(const Umt5Config& config, GoldenComparison& comparison) {
    if (!comparison.golden().has(bucketPositions))
        return;
    const Tensor positions = comparison.golden().get(bucketPositions);
    Tensor buckets = Tensor::empty(positions.shape(), DType::I64);
    std::ranges::transform(positions.data<std::int64_t>(), buckets.data<std::int64_t>().begin(),
                           [&config](std::int64_t position) {
                               return relativePositionBucket(position, config.buckets, config.maxDistance);
                           });
    comparison.compare("bucket.index", buckets, exactly);
}

bool isEncoderOutput(const std::string& name) {
    return isModelOutput(name) && name != bucketPositions;
}

}  // namespace

void verifyUmt5(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), isEncoderOutput);
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireKnownInputs(files, comparison.golden(), variant, {"input_ids", "attention_mask"});

    const Umt5Config config = Umt5Config::fromJson(files.json("config.json"), files.place("config.json"));
    verifyBuckets(config, comparison);
    const Umt5Encoder encoder(config, files.weights(), Arithmetic::F32, execution.memory());
    for (const std::string& variant : variants)
        verifyEncoderVariant(execution, encoder, variant, files.outputTolerance(), comparison);
}

namespace {

// The VAE.

/// Only the README says which variant is tiled: "t: with enable_tiling(tile 32x32, stride 24x24)" or "t:
/// enable_tiling(32, 32, 24, 24)", height first.
std::optional<VaeTiling> readTiling(const std::string& readme, const std::string& variant) {
    const RegularExpression form("\\b" + variant +
                                 R"(: [^;\n]*tile (\d{1,6})x(\d{1,6}), stride (\d{1,6})x(\d{1,6}))");
    const RegularExpression call("\\b" + variant +
                                 R"(: [^;\n]*enable_tiling\((\d{1,6}), (\d{1,6}), (\d{1,6}), (\d{1,6})\))");
    auto found = form.search(readme);
    if (!found)
        found = call.search(readme);
    if (!found)
        return std::nullopt;
    const auto number = [&](std::size_t group) { return std::stoll((*found)[group]); };
    return VaeTiling{number(1), number(2), number(3), number(4)};
}

void verifyVaeVariant(const Execution& execution, const WanVae& vae, const std::string& variant,
                      const VaeTiling* tiling, GoldenTolerance tolerance, GoldenComparison& comparison) {
    const Probe probe = comparison.probe(variant, tolerance);
    const std::string video = variant + ".in.video";
    if (comparison.golden().has(video)) {
        const WanVae::Posterior posterior =
            vae.encode(execution, comparison.golden().get(video), tiling, probe);
        comparison.compareOnce(variant + ".enc.mean", posterior.mean, tolerance);
        comparison.compareOnce(variant + ".enc.logvar", posterior.logvar, tolerance);
        comparison.compareOnce(variant + ".enc.latents_norm", vae.normalize(posterior.mean), tolerance);
    }
    const std::string latents = variant + ".in.z";
    if (comparison.golden().has(latents))
        comparison.compareOnce(variant + ".dec.out",
                               vae.decode(execution, comparison.golden().get(latents), tiling, probe),
                               tolerance);
}

}  // namespace

void verifyVae(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    const WanVaeConfig config = WanVaeConfig::fromJson(files.json("config.json"), files.place("config.json"));
    files.requireClass(config.tiny ? tinyVaeClass : "AutoencoderKLWan");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireKnownInputs(files, comparison.golden(), variant, {"video", "z"});

    const std::string readme = files.readme();
    for (const std::string& variant : variants) {
        const WanVae vae(config.tiny && variant == "preview" ? config.forPreview() : config, files.weights(),
                         {}, {}, execution.memory());
        const std::optional<VaeTiling> tiling = readTiling(readme, variant);
        verifyVaeVariant(execution, vae, variant, tiling ? &*tiling : nullptr, files.outputTolerance(),
                         comparison);
    }
}

namespace {

// The image encoder.

constexpr const char* imageEnd = ".image";
constexpr const char* processorFile = "preprocessor_config.json";

bool isImage(const std::string& name) {
    return name.ends_with(imageEnd);
}

void verifyImage(const Execution& execution, const ClipVisionEncoder& encoder,
                 const ImageProcessor& processor, const std::string& variant, GoldenTolerance tolerance,
                 GoldenComparison& comparison) {
    const Tensor image = comparison.golden().get(variant + imageEnd);
    constexpr double closeLevel = 1;   // of a byte, as the cases allow
    constexpr double anyFraction = 1;  // of the bytes
    if (comparison.wants(variant + ".hf_resized"))
        comparison.compareFrames(variant + ".hf_resized", processor.resized(image), closeLevel, anyFraction);
    const Tensor pixels = processor.toPixels(image);
    comparison.compare(variant + ".hf_pixel_values", pixels, tolerance);
    comparison.compare(variant + ".wan_pixel_values", processor.stretchedPixels(image), tolerance);
    static_cast<void>(encoder.encode(execution, pixels, comparison.probe(variant, tolerance)));
}

}  // namespace

void verifyClipVision(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) { return !isImage(name); });
    const ClipVisionConfig config =
        ClipVisionConfig::fromJson(files.json("config.json"), files.place("config.json"));
    const ImageProcessor processor =
        files.has(processorFile)
            ? ImageProcessor::fromJson(files.json(processorFile), files.place(processorFile))
            : ImageProcessor::forSide(config.imageSize);
    const ClipVisionEncoder encoder(config, files.weights(), Arithmetic::F32, execution.memory());
    for (const std::string& name : comparison.golden().names())
        if (isImage(name))
            verifyImage(execution, encoder, processor,
                        name.substr(0, name.size() - std::string(imageEnd).size()), files.outputTolerance(),
                        comparison);
}

namespace {

// Adapters.

constexpr std::string_view inputPrefix = "in.";
constexpr std::string_view withoutAdapter = "base";

/// "FILE[@STRENGTH][#comfy|#diffusers]": what an output was made with.
struct AdapterRun {
    std::string file;
    double strength = 1.0;
    LoraScope scope = LoraScope::Everything;
};

std::optional<AdapterRun> parseRun(const std::string& name) {
    static const RegularExpression form(R"(([^@#]+)(?:@([0-9.]{1,12}))?(?:#(comfy|diffusers))?)");
    const auto found = form.match(name);
    if (!found)
        return std::nullopt;
    const RegularExpression::Groups& groups = *found;
    return AdapterRun{.file = groups[1] + ".safetensors",
                      .strength = groups[2].empty() ? 1.0 : std::stod(groups[2]),
                      .scope = groups[3] == "diffusers" ? LoraScope::LowRankLayers : LoraScope::Everything};
}

/// The run of an output: what stands in front of ".out" or ".W.TENSOR".
std::string runPrefix(const std::string& output) {
    const std::size_t weight = output.find(".W.");
    return output.substr(0, weight != std::string::npos ? weight : output.rfind('.'));
}

}  // namespace

void verifyLora(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("WanTransformer3DModel");
    comparison = GoldenComparison(files.tensors(),
                                  [](const std::string& name) { return !name.starts_with(inputPrefix); });
    const GoldenTolerance tolerance = files.outputTolerance();
    std::map<std::string, std::vector<std::string>> outputsOf;
    for (const std::string& output : comparison.outputs())
        outputsOf[runPrefix(output)].push_back(output);
    const auto input = [&](const char* name) {
        return comparison.golden().get(std::string(inputPrefix) + name);
    };
    for (const auto& [name, outputs] : outputsOf) {
        Checkpoint weights = files.weights();
        const auto run = parseRun(name);
        if (!run || (name != withoutAdapter && !files.has(run->file)))
            continue;  // reported as not produced
        if (name != withoutAdapter)
            weights.addPatch(
                LoraAdapter::open(files.folder() / run->file, weights, run->strength, run->scope));
        for (const std::string& output : outputs)
            if (const std::size_t at = output.find(".W."); at != std::string::npos)
                comparison.compare(output, weights.get(output.substr(at + 3)), tolerance);
        if (std::ranges::find(outputs, name + ".out") == outputs.end())
            continue;
        const WanTransformerConfig config =
            WanTransformerConfig::fromJson(files.json("config.json"), files.place("config.json"));
        const WanTransformer transformer(
            config, weights, planAttentions({.mode = &requireAttentionMode("dot_product")}, config), {}, {},
            nullptr, {}, execution.memory());
        LoneDevice lone(execution);
        comparison.compare(
            name + ".out",
            transformer.forward(lone.device(),
                                {.latents = input("hidden_states"), .timesteps = input("timestep")},
                                WanConditions{.text = input("encoder_hidden_states")}),
            tolerance);
    }
}

namespace {

// Narrow numbers.

constexpr std::string_view scaledMark = "scaled.";
constexpr std::string_view f32Mark = "_f32";
template <typename Float8>
Tensor makeTable() {
    constexpr std::int64_t bytes = 256;
    Tensor table = Tensor::empty({bytes});
    for (std::size_t bits = 0; bits < bytes; ++bits)
        table.data<float>()[bits] = toFloat(Float8{static_cast<std::uint8_t>(bits)});
    return table;
}

/// The bits of every value in the narrower type, sign-extended.
template <typename Narrow>
Tensor narrowedBits(const Tensor& values, Narrow (*narrow)(float)) {
    Tensor bits = Tensor::empty(values.shape(), DType::I32);
    std::ranges::transform(values.data<float>(), bits.data<std::int32_t>().begin(), [narrow](float value) {
        return std::int32_t{static_cast<std::int16_t>(narrow(value).bits)};
    });
    return bits;
}

}  // namespace

void verifyLowp(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    constexpr std::string_view input = "x_f32";
    comparison = GoldenComparison(files.tensors(), [&](const std::string& name) { return name != input; });
    comparison.compare("f8_e4m3fn_to_f32", makeTable<Float8E4M3>(), exactly);
    comparison.compare("f8_e5m2_to_f32", makeTable<Float8E5M2>(), exactly);
    if (comparison.golden().has(input)) {
        const Tensor values = comparison.golden().get(input);
        comparison.compare("x_bf16_bits", narrowedBits(values, toBFloat16), exactly);
        comparison.compare("x_f16_bits", narrowedBits(values, toHalf), exactly);
    }
    const Checkpoint weights = files.weights();
    for (const std::string& output : comparison.outputs())
        if (output.starts_with(scaledMark) && output.ends_with(f32Mark)) {
            const std::string tensor =
                output.substr(scaledMark.size(), output.size() - scaledMark.size() - f32Mark.size());
            // The case calls the weight of its one layer by its last part.
            comparison.compare(output, weights.get(weights.has(tensor) ? tensor : "layer." + tensor),
                               exactly);
        }
}

namespace {

/// Assembles a matrix from the parts that two devices of a tensor axis have: cut where no block ends.
Tensor inTwoParts(const Checkpoint& checkpoint, const std::string& name) {
    const Shape& shape = checkpoint.shape(name);
    const std::int64_t cut = shape[1] / 2 - 1;
    Tensor whole = Tensor::empty(shape);
    for (const auto& [first, columns] : {std::pair{std::int64_t{0}, cut}, {cut, shape[1] - cut}}) {
        const Tensor part =
            checkpoint.getPart(name, {.rows = shape[0], .firstColumn = first, .columns = columns}).toF32();
        for (std::int64_t row = 0; row < shape[0]; ++row)
            std::ranges::copy(
                std::as_const(part).data<float>().subspan(static_cast<std::size_t>(row * columns),
                                                          static_cast<std::size_t>(columns)),
                whole.data<float>().begin() + static_cast<std::ptrdiff_t>(row * shape[1] + first));
    }
    return whole;
}

}  // namespace

/// Outputs are called FILE:TENSOR.
void verifyStorage(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    const GoldenTolerance tolerance = files.outputTolerance();
    comparison = GoldenComparison(files.tensors(), [](const std::string&) { return true; });
    for (const std::string& output : comparison.outputs()) {
        const std::size_t colon = output.find(':');
        if (colon == std::string::npos)
            continue;
        const Checkpoint weights = Checkpoint::open(files.folder() / output.substr(0, colon));
        const std::string tensor = output.substr(colon + 1);
        comparison.compare(output, weights.get(tensor, comparison.golden().get(output).shape()), tolerance);
        comparison.compareAgain(output, output + " in two parts", inTwoParts(weights, tensor), tolerance);
    }
}

namespace {

// Made checkpoints.

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

int numberIn(std::string_view text, const std::string& pattern) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        throw Error(ErrorKind::Input, sentence("'{}' is not a number", text), pattern,
                    sentence("Restore the golden case"));
    return value;
}

/// "a..b" or "a,b,c".
std::vector<int> indicesIn(std::string_view text, const std::string& pattern) {
    std::vector<int> indices;
    if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
        const int last = numberIn(text.substr(dots + 2), pattern);
        for (int index = numberIn(text.substr(0, dots), pattern); index <= last; ++index)
            indices.push_back(index);
        return indices;
    }
    while (true) {
        const std::size_t comma = text.find(',');
        indices.push_back(numberIn(text.substr(0, comma), pattern));
        if (comma == std::string_view::npos)
            return indices;
        text.remove_prefix(comma + 1);
    }
}

/// Every name that "blocks.{0..29}.x" or "blocks.{0,2}.x" stands for.
std::vector<std::string> expanded(const std::string& pattern) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = pattern.find('}', open);
    if (open == std::string::npos || close == std::string::npos)
        return {pattern};
    std::vector<std::string> names;
    for (const int index : indicesIn(std::string_view(pattern).substr(open + 1, close - open - 1), pattern))
        for (std::string& name :
             expanded(pattern.substr(0, open) + std::to_string(index) + pattern.substr(close + 1)))
            names.push_back(std::move(name));
    return names;
}

Shapes goldenShapes(const json& tensors) {
    Shapes shapes;
    for (const auto& [pattern, shape] : tensors.items())
        for (const std::string& name : expanded(pattern))
            shapes[name] = shape.get<std::vector<std::int64_t>>();
    return shapes;
}

struct Found {
    Shapes shapes;
    std::int64_t parameters = 0;
    std::size_t otherDtypes = 0;  ///< tensors not of the released dtype
};

Found read(const Checkpoint& checkpoint, DType released) {
    Found found;
    for (const std::string& name : checkpoint.names()) {
        const Tensor tensor = checkpoint.get(name);
        const auto extents = tensor.shape().extents();
        found.shapes[name] = {extents.begin(), extents.end()};
        found.parameters += tensor.elements();
        found.otherDtypes += tensor.dtype() == released ? 0 : 1;
    }
    return found;
}

/// Tensors that only one side has, or that differ; `first` becomes one of them.
std::size_t differences(const Shapes& golden, const Shapes& found, std::string& first) {
    std::size_t count = 0;
    const auto differs = [&](const std::string& name, const char* how) {
        if (count++ == 0)
            first = name + " " + how;
    };
    for (const auto& [name, shape] : golden)
        if (const auto ours = found.find(name); ours == found.end())
            differs(name, "is missing");
        else if (ours->second != shape)
            differs(name, "has another shape");
    for (const auto& [name, shape] : found)
        if (!golden.contains(name))
            differs(name, "is unknown to upstream");
    return count;
}

GoldenRow countRow(const std::string& output, std::size_t wrong, std::string note) {
    return {.output = output,
            .maxAbsError = static_cast<double>(wrong),
            .passed = wrong == 0,
            .note = std::move(note)};
}

void verifyArchitecture(const Execution& execution, const Architecture& architecture, const json& golden,
                        GoldenComparison& comparison) {
    const std::string name(architecture.shapes);
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "made";
    const MadeCheckpoint made =
        makeCheckpoint(execution, {.architecture = &architecture, .sparse = true}, folder);
    const Found found = read(Checkpoint::open(folder), architecture.family.released);
    std::string first;
    const std::size_t wrong = differences(goldenShapes(golden.at("tensors")), found.shapes, first);
    comparison.add(countRow(name + ".tensors", wrong,
                            wrong > 0 ? first
                                      : fmt::format("{} tensors in {} file{}", made.tensors, made.files,
                                                    made.files > 1 ? "s" : "")));
    comparison.add(
        countRow(name + ".dtype", found.otherDtypes, std::string(nameOf(architecture.family.released))));
    const auto parameters = golden.at("num_params").get<std::int64_t>();
    comparison.add(countRow(name + ".num_params", found.parameters == parameters ? 0 : 1,
                            fmt::format("{}", found.parameters)));
    const json config = readJsonObject(folder / "config.json");
    comparison.add(countRow(name + ".config", json::diff(golden.at("config"), config).size(),
                            fmt::format("{} keys", config.size())));
}

}  // namespace

void verifyRealShapes(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    std::vector<fs::path> shapes;
    for (const fs::directory_entry& entry : fs::directory_iterator(files.folder()))
        if (entry.path().extension() == ".json" && entry.path().filename() != "case.json")
            shapes.push_back(entry.path());
    std::ranges::sort(shapes);
    for (const fs::path& file : shapes) {
        throwIfStopped(execution.stop);
        const std::string name = file.stem().string();
        if (const Architecture* architecture = findArchitecture(name))
            verifyArchitecture(execution, *architecture, readJsonObject(file), comparison);
        else
            comparison.fail(name, "make-checkpoint does not know this architecture");
    }
    comparison.add({.output = "original_tensors",
                    .maxAbsError = std::numeric_limits<double>::quiet_NaN(),
                    .informational = true,
                    .note = "checkpoints are made in diffusers' layout only"});
}

}  // namespace meshreel
