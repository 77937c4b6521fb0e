// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/sound_cases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/sound/audio_injector.h"
#include "engine/models/sound/frame_packer.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/sound/sound_frames.h"
#include "engine/models/sound/sound_tokens.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

/// config.json, with what preprocessor_config.json says of the sound.
Wav2Vec2Config soundEncoderConfig(const GoldenFiles& files) {
    constexpr const char* processor = "preprocessor_config.json";
    nlohmann::json config = files.json("config.json");
    if (files.has(processor))
        config["do_normalize"] = files.json(processor).at("do_normalize");
    return Wav2Vec2Config::fromJson(config, files.place("config.json"));
}

}  // namespace

void verifyWav2Vec2(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("Wav2Vec2ForCTC");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const Wav2Vec2Encoder encoder(soundEncoderConfig(files), files.weights(), Arithmetic::F32,
                                  execution.memory());
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"waveform"});
        const Tensor waveform = comparison.golden().get(variantName(variant, "in.waveform")).toF32();
        const Probe whole = comparison.probe(variant, tolerance);
        const Probe probe = [&](std::string_view name, const Tensor& value) {
            if (name != "conv0_frames")
                return whole(name, value);
            // A case has the first frames of it, channel by channel.
            const std::string output = variantName(variant, "conv0");
            if (comparison.wants(output))
                comparison.compare(output,
                                   transposed(value.slice(0, comparison.golden().find(output)->shape[1])),
                                   tolerance);
        };
        const Tensor states = encoder.encode(execution, std::as_const(waveform).data<float>(), probe);
        comparison.compare(variantName(variant, "hidden_states"), states, tolerance);
    }
}

namespace {

/// A tensor of a case as one of a batch of one.
Tensor asBatch(const Tensor& value) {
    std::vector<std::int64_t> extents{1};
    std::ranges::copy(value.shape().extents(), std::back_inserter(extents));
    return value.toF32().reshaped(Shape(extents));
}

/// Compares what is ours, of a batch of one, in the shape that the case has it in.
void compareOfBatch(GoldenComparison& comparison, const std::string& output, const Tensor& ours,
                    GoldenTolerance tolerance) {
    if (!comparison.wants(output))
        return;
    const Shape& shape = comparison.golden().find(output)->shape;
    comparison.compareOnce(output, shape.elements() == ours.elements() ? ours.reshaped(shape) : ours,
                           tolerance);
}

/// The tensors of weights.safetensors, with `prefix` before their names.
LayerTensors prefixedTensors(const GoldenFiles& files, const std::string& prefix) {
    const SafetensorsFile weights = SafetensorsFile::open(files.folder() / "weights.safetensors");
    LayerTensors tensors;
    for (const std::string& name : weights.names())
        tensors.put(prefix + name, weights.get(name).toF32());
    return tensors;
}

/// Computes on the host, whatever else there is.
Execution hostOf(const Execution& execution) {
    return {execution.workers, execution.stop, execution.trace};
}

}  // namespace

void verifySoundTokens(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("CausalAudioEncoder");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const nlohmann::json json = files.json("config.json");
    SoundConfig config;
    config.width = json.at("dim").get<std::int64_t>();
    config.states = json.at("num_layers").get<std::int64_t>();
    config.localTokens = json.at("num_audio_token").get<std::int64_t>();
    const SoundTokenEncoder encoder(config, prefixedTensors(files, "casual_audio_encoder."));
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"audio"});
        const SoundTokens tokens = encoder.encode(
            hostOf(execution), asBatch(comparison.golden().get(variantName(variant, "in.audio"))));
        compareOfBatch(comparison, variantName(variant, "local"), tokens.local, files.outputTolerance());
        compareOfBatch(comparison, variantName(variant, "global"), tokens.global, files.outputTolerance());
    }
}

namespace {

/// I64 [tokens, 3] of frame, row and column.
Tensor positionsOf(std::span<const TokenPlaces> places) {
    std::vector<std::int64_t> positions;
    for (const TokenPlaces& own : places)
        for (const std::int64_t frame : own.frames)
            for (const std::int64_t row : own.rows)
                for (const std::int64_t column : own.columns)
                    positions.insert(positions.end(), {frame, row, column});
    constexpr std::int64_t axes = 3;
    return Tensor::from({std::ssize(positions) / axes, axes}, positions);
}

/// Variants that upstream knows and never uses: of the nearest frames nothing, as zeros or without tokens.
struct MotionVariant {
    std::int64_t kept = 2;  ///< add_last_motion: 2 keeps all packings, 1 the two coarse ones
    bool drops = false;

    [[nodiscard]] std::size_t firstPacking() const { return drops ? static_cast<std::size_t>(2 - kept) : 0; }
    [[nodiscard]] std::int64_t zeroFrames() const {
        std::int64_t frames = 0;
        for (std::int64_t packing = 0; !drops && packing < 2 - kept; ++packing)
            frames += motionPackings[static_cast<std::size_t>(packing)].frames;
        return frames;
    }
};

MotionVariant motionVariant(const GoldenFiles& files, const std::string& variant) {
    const nlohmann::json& all = files.description();
    if (!all.contains("params") || !all.at("params").contains(variant))
        return {};
    const nlohmann::json& own = all.at("params").at(variant);
    return {.kept = own.value("add_last_motion", std::int64_t{2}),
            .drops = own.value("framepack_drop_mode", std::string()) == "drop"};
}

/// f32 [tokens, innerDim] of all packings from the first one on that a variant keeps.
Tensor packedTokens(const Execution& execution, const GoldenFiles& files, const Tensor& latents,
                    const MotionVariant& variant) {
    const LayerTensors weights = prefixedTensors(files, "frame_packer.");
    Tensor motion = wholeMotion(latents).clone();
    if (variant.zeroFrames() > 0)
        motion = joined({sliced(motion, 2, 0, motionLatentFrames - variant.zeroFrames()),
                         Tensor::zeros(motion.shape().with(2, variant.zeroFrames()))},
                        2);
    const auto places = motionPlaces(motion.shape());
    std::vector<Tensor> parts;
    for (std::size_t index = variant.firstPacking(); index < motionPackings.size(); ++index) {
        const std::string name = motionPackings[index].projection;
        const Tensor& weight = weights.get(name + ".weight");
        const Tensor& bias = weights.get(name + ".bias");
        const PackedMatrix matrix = PackedMatrix::pack(
            weight.reshaped({weight.extent(0), weight.elements() / weight.extent(0)}), &bias);
        const Tensor patches =
            cutMotion(execution, motion, motionPackings[index], {0, places[index].tokens()});
        Tensor tokens = Tensor::empty({patches.extent(1), weight.extent(0)});
        matrix.apply(execution, MatrixView(patches), MatrixSpan(tokens));
        parts.push_back(std::move(tokens));
    }
    return joined(parts, 0);
}

}  // namespace

void verifyMotionPacking(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("FramePackMotioner");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const nlohmann::json config = files.json("config.json");
    const std::int64_t headDim =
        config.at("inner_dim").get<std::int64_t>() / config.at("num_heads").get<std::int64_t>();
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"motion_latents"});
        const MotionVariant kind = motionVariant(files, variant);
        const Tensor latents = asBatch(comparison.golden().get(variantName(variant, "in.motion_latents")));
        comparison.compare(variantName(variant, "tokens"),
                           packedTokens(hostOf(execution), files, latents, kind), tolerance);
        const auto all = motionPlaces(latents.shape());
        const std::span<const TokenPlaces> places = std::span(all).subspan(kind.firstPacking());
        const Tensor positions = positionsOf(places);
        const RotaryTable table = rotaryTable(places, headDim, 0, positions.extent(0));
        comparison.compare(variantName(variant, "positions"), positions, exactly);
        comparison.compare(variantName(variant, "rope_cos"), table.cos, tolerance);
        comparison.compare(variantName(variant, "rope_sin"), table.sin, tolerance);
    }
}

void verifySoundPlaces(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    files.requireClass("rope_precompute");
    comparison = GoldenComparison(files.tensors(), [](const std::string&) { return true; });
    const WanTransformerConfig config;
    const nlohmann::json& all = files.description().at("params");
    for (const auto& [variant, params] : all.items()) {
        const nlohmann::json& own = params;
        const auto number = [&own](const char* key) { return own.at(key).get<std::int64_t>(); };
        const Shape latents{1, config.inChannels, number("frames"), number("height"), number("width")};
        const std::vector<TokenGroup> groups{
            {.latents = Tensor::zeros(latents.with(2, 1)), .firstFrame = SoundConfig::referenceFrame},
            {.latents = Tensor::zeros(latents.with(2, motionLatentFrames)),
             .embedding = PatchEmbedding::Motion}};
        const WanPatches patches(config);
        const TokenSequence sequence(patches, latents, groups);
        const RotaryTable table = sequence.rotary(number("head_dim"), {0, sequence.tokens()});
        comparison.compare(variantName(variant, "cos"), table.cos, files.outputTolerance());
        comparison.compare(variantName(variant, "sin"), table.sin, files.outputTolerance());
        std::vector<TokenPlaces> places{
            TokenPlaces::of(sequence.video()),
            TokenPlaces::of(patches.grid(groups.front().latents.shape(), SoundConfig::referenceFrame))};
        std::ranges::copy(motionPlaces(latents), std::back_inserter(places));
        comparison.compare(variantName(variant, "positions"), positionsOf(places), exactly);
        comparison.compare(
            variantName(variant, "segments"),
            Tensor::from({4}, std::vector<std::int64_t>{0, sequence.video().tokens(), sequence.patchTokens(),
                                                        sequence.tokens()}),
            exactly);
    }
}

void verifySoundFrames(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    files.requireClass("get_audio_embed_bucket_fps");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"features"});
        const nlohmann::json& params = files.description().at("params").at(variant);
        const std::int64_t frames =
            params.at("clips").get<std::int64_t>() * params.at("clip_frames").get<std::int64_t>();
        const Tensor features = comparison.golden().get(variantName(variant, "in.features")).toF32();
        const std::int64_t layers = features.extent(0);
        const std::int64_t width = features.extent(2);
        Tensor sound = Tensor::empty({1, layers, width, frames});
        std::vector<Tensor> heard;
        std::vector<std::int64_t> places;
        for (std::int64_t layer = 0; layer < layers; ++layer) {
            const Tensor states = features.slice(layer, layer + 1).reshaped({features.extent(1), width});
            const Tensor own = heardStates(states, Wav2Vec2Config().framesPerSecond());
            places = statesOfFrames(own.extent(0), params.at("fps").get<double>(), frames);
            putHeard(own, places, layer, sound);
            heard.push_back(own.reshaped({1, own.extent(0), width}));
        }
        comparison.compare(variantName(variant, "resampled"), joined(heard, 0), tolerance);
        compareOfBatch(comparison, variantName(variant, "frames"), sound, tolerance);
        comparison.compare(variantName(variant, "indices"), Tensor::from({frames}, places), exactly);
    }
}

namespace {

/// The tensors of a layer, packed, of a case with the original names.
LayerTensors packedLayer(const GoldenFiles& files, const WanLayer& layer) {
    const NameMap names(ModelPart::Transformer);
    const LayerTensors original = prefixedTensors(files, "");
    LayerTensors tensors(std::make_shared<const LayerSlots>(layer.parameters));
    for (const WanParameter& parameter : layer.parameters)
        tensors.put(parameter.name,
                    original.get(names.toOriginal(layer.prefix + parameter.name).value().name));
    for (const WanParameter& parameter : layer.parameters)
        if (parameter.linear)
            tensors.pack(parameter.name.substr(0, parameter.name.rfind('.')), Arithmetic::F32, true);
    return tensors;
}

}  // namespace

void verifyAudioInjector(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("AudioInjector_WAN");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const nlohmann::json json = files.json("config.json");
    WanTransformerConfig config;
    config.heads = json.at("num_heads").get<std::int64_t>();
    config.headDim = json.at("dim").get<std::int64_t>() / config.heads;
    config.layers = 1;
    config.sound = SoundConfig();
    config.sound->layers = {0};
    const std::vector<WanLayer> layers = wanLayers(config);
    const WanLayer& layer = *std::ranges::find(layers, WanLayerRole::AudioInjector,
                                               [](const WanLayer& each) { return each.place.role; });
    const LayerTensors tensors = packedLayer(files, layer);
    const AudioInjector injector(config, {}, LayerSlots(layer.parameters), 0);
    LoneDevice lone(hostOf(execution));
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant,
                           {"hidden_states", "audio_local", "audio_global"});
        const auto input = [&](const char* name) {
            return asBatch(comparison.golden().get(variantName(variant, std::string("in.") + name)));
        };
        const Tensor hidden = input("hidden_states");
        const Tensor global = input("audio_global");
        const SoundTokens sound{.local = input("audio_local"),
                                .global = global.reshaped({1, global.extent(1), config.innerDim()})};
        const std::int64_t hearing = comparison.golden().find(variantName(variant, "residual"))->shape[0];
        const TokenTimes times(Tensor::zeros({1}), {0, hidden.extent(1)});
        WanWorkspace work(config, {}, {.tokens = hidden.extent(1)}, times);
        work.hidden.assign(hidden);
        injector.run(lone.device(), tensors, injector.makeContext(lone.device(), tensors, sound),
                     {.count = hearing,
                      .tokensPerFrame = hearing / global.extent(1),
                      .keysPerFrame = sound.local.extent(2)},
                     work, [&](std::string_view, const Tensor& residual) {
                         compareOfBatch(comparison, variantName(variant, "residual"), residual, tolerance);
                     });
        compareOfBatch(comparison, variantName(variant, "out"), work.hidden, tolerance);
    }
}

namespace {

/// Text rows as the model pads them: with zeros.
Tensor paddedRows(const Tensor& text, std::int64_t rows) {
    Tensor padded = Tensor::zeros({1, std::max(rows, text.extent(0)), text.extent(1)});
    std::ranges::copy(text.toF32().data<float>(), padded.data<float>().begin());
    return padded;
}

/// Every second element of [1, tokens, 1, headDim], in which each is twice.
Tensor oncePerPair(const Tensor& interleaved) {
    Tensor once = Tensor::empty({interleaved.extent(1), interleaved.extent(3) / 2});
    const auto to = once.data<float>();
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = interleaved.data<float>()[2 * i];
    return once;
}

/// One variant of a case of the whole transformer.
class SoundVariant {
  public:
    SoundVariant(const GoldenFiles& files, GoldenComparison& comparison, std::string name)
        : m_files(files), m_comparison(comparison), m_name(std::move(name)) {}

    [[nodiscard]] WanInputs inputs() const {
        WanInputs inputs{.latents = asBatch(tensor("in.hidden_states")),
                         .timesteps = tensor("in.timestep").toF32(),
                         .groups = {{.latents = asBatch(tensor("in.reference_latents")),
                                     .firstFrame = SoundConfig::referenceFrame}},
                         .pose = asBatch(tensor("in.pose_latents"))};
        if (!params().value("drop_motion_frames", false))
            inputs.groups.push_back(
                {.latents = asBatch(tensor("in.motion_latents")), .embedding = PatchEmbedding::Motion});
        return inputs;
    }

    [[nodiscard]] WanConditions conditions(std::int64_t textRows) const {
        WanConditions conditions{.text = paddedRows(tensor("in.encoder_hidden_states"), textRows),
                                 .sound = asBatch(tensor("in.audio"))};
        conditions.soundLead = params().at("motion_frames").at(0).get<std::int64_t>();
        return conditions;
    }

    [[nodiscard]] Probe probe() const {
        return [this](std::string_view name, const Tensor& value) {
            compareOfBatch(m_comparison, variantName(m_name, std::string(name)),
                           name.starts_with("rope_") ? oncePerPair(value) : value, m_files.outputTolerance());
        };
    }

    void compare(const Tensor& out) const {
        compareOfBatch(m_comparison, variantName(m_name, "out"), out, m_files.outputTolerance());
    }

  private:
    [[nodiscard]] Tensor tensor(const std::string& name) const {
        return m_comparison.golden().get(variantName(m_name, name));
    }
    [[nodiscard]] const nlohmann::json& params() const {
        return m_files.description().at("params").at(m_name);
    }

    const GoldenFiles& m_files;
    GoldenComparison& m_comparison;
    std::string m_name;
};

}  // namespace

void verifySoundTransformer(const Execution& execution, const GoldenFiles& files,
                            GoldenComparison& comparison) {
    files.requireClass("WanModel_S2V");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const Checkpoint weights = files.weights();
    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(configOf(weights), files.place("config.json"));
    const std::int64_t textRows = files.json("config.json").value("text_len", std::int64_t{512});
    const AttentionPlans attention = planAttentions({.mode = &requireAttentionMode("flash")}, config);
    const WanTransformer transformer(config, weights, attention, {}, {}, nullptr, {}, execution.memory());
    LoneDevice lone(execution);
    for (const std::string& name : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), name,
                           {"hidden_states", "reference_latents", "motion_latents", "pose_latents",
                            "encoder_hidden_states", "audio", "timestep"});
        const SoundVariant variant(files, comparison, name);
        variant.compare(transformer.forward(lone.device(), variant.inputs(), variant.conditions(textRows),
                                            variant.probe()));
    }
}

}  // namespace meshreel
