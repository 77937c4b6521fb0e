// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frames.h"
#include "engine/models/umt5.h"
#include "engine/models/wan_transformer.h"
#include "engine/models/wan_vae.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/verification/golden_kinds.h"
#include "engine/verification/pipeline_call.h"

namespace meshreel {
namespace {

constexpr const char* initialLatents = "latents_init";
constexpr GoldenTolerance sigmaTolerance{1e-6, 0.0};

/// One case while it runs.
struct PipelineCase {
    const Execution& execution;
    const GoldenFiles& files;
    GoldenComparison& comparison;
    PipelineCall call;
    GoldenTolerance tolerance;
};

void requireOneTransformer(const GoldenFiles& files) {
    const nlohmann::json index = files.json("model_index.json");
    const auto second = index.find("transformer_2");
    const bool twoExperts =
        second != index.end() && second->is_array() && !second->empty() && !second->front().is_null();
    if (twoExperts || files.has("transformer_2"))
        refuseCase(files, "has two transformers");
    if (index.value("expand_timesteps", false))
        refuseCase(files, "gives every token a timestep of its own");
}

template <typename Config>
Config configOf(const GoldenFiles& files, const std::string& name) {
    return Config::fromJson(files.json(name), files.place(name));
}

Tensor rowOf(const std::vector<std::int64_t>& ids) {
    const auto length = static_cast<std::int64_t>(ids.size());
    return Tensor::from({1, length}, ids);
}

/// Checks the ids and embeddings of one prompt ([1, tokens, width]: the golden keeps no padding) and returns
/// the padded embedding.
Tensor embedText(const PipelineCase& run, const Tokenizer& tokenizer, const Umt5Encoder& encoder,
                 const std::string& prompt, const std::string& idsName, const std::string& embeddingName) {
    Tokenizer::Encoded encoded = tokenizer.encode(cleanPrompt(prompt), run.call.maxSequenceLength);
    encoded.ids.resize(static_cast<std::size_t>(encoded.length));
    run.comparison.compare(idsName, rowOf(encoded.ids), exactly);

    const PromptEmbedding embedded =
        embedPrompt(run.execution, tokenizer, encoder, prompt, run.call.maxSequenceLength);
    const std::int64_t width = embedded.embedding.extent(2);
    const Tensor rows =
        embedded.embedding.reshaped({run.call.maxSequenceLength, width}).slice(0, embedded.tokens);
    run.comparison.compare(embeddingName, rows.reshaped({1, embedded.tokens, width}), run.tolerance);
    return embedded.embedding;
}

/// A given embedding [1, tokens, width], zero-padded as the pipeline does.
Tensor paddedInput(const PipelineCase& run, const std::string& name) {
    const Tensor rows = run.comparison.golden().get(name).toF32();
    Tensor padded = Tensor::zeros({1, run.call.maxSequenceLength, rows.extent(2)});
    if (rows.elements() > padded.elements())
        throw Error(ErrorKind::Input, "`" + name + "` has more rows than max_sequence_length",
                    run.files.place("io.safetensors"), "Restore the golden case");
    std::ranges::copy(std::as_const(rows).data<float>(), padded.data<float>().begin());
    return padded;
}

TextConditioning conditionOnText(const PipelineCase& run) {
    const bool guided = usesGuidance(run.call.guidanceScale);
    TextConditioning text;
    if (!run.call.prompt) {
        text.prompt = paddedInput(run, "prompt_embeds");
        if (guided)
            text.negative = paddedInput(run, "negative_prompt_embeds");
        return text;
    }
    const Tokenizer tokenizer = Tokenizer::open(run.files.folder() / "tokenizer");
    const Umt5Encoder encoder(configOf<Umt5Config>(run.files, "text_encoder/config.json"),
                              Checkpoint::open(run.files.folder() / "text_encoder"));
    text.prompt = embedText(run, tokenizer, encoder, *run.call.prompt, "ids", "prompt_embeds");
    if (guided)
        text.negative = embedText(run, tokenizer, encoder, run.call.negativePrompt, "ids_negative",
                                  "negative_prompt_embeds");
    return text;
}

/// Joins equal tensors along a new first axis.
class Stack {
  public:
    void push(const Tensor& tensor) { m_parts.push_back(tensor.clone()); }

    [[nodiscard]] Tensor joined() const {
        std::vector<std::int64_t> extents =
            m_parts.empty() ? std::vector<std::int64_t>{} : m_parts[0].shape().extents();
        extents.insert(extents.begin(), static_cast<std::int64_t>(m_parts.size()));
        Tensor all = Tensor::empty(Shape(std::move(extents)));
        auto out = all.data<float>().begin();
        for (const Tensor& part : m_parts)
            out = std::ranges::copy(part.data<float>(), out).out;
        return all;
    }

  private:
    std::vector<Tensor> m_parts;
};

template <typename T>
Tensor vectorOf(std::span<const T> values) {
    return Tensor::from({static_cast<std::int64_t>(values.size())},
                        std::vector<T>(values.begin(), values.end()));
}

Tensor denoiseChecked(const PipelineCase& run, const TextConditioning& text) {
    const auto scheduler =
        makeScheduler(configOf<SchedulerConfig>(run.files, "scheduler/scheduler_config.json"));
    scheduler->setTimesteps(run.call.steps);
    run.comparison.compare("sigmas", vectorOf(scheduler->sigmas()), sigmaTolerance);
    run.comparison.compare("timesteps", vectorOf(scheduler->timesteps()), exactly);

    const WanTransformer transformer(configOf<WanTransformerConfig>(run.files, "transformer/config.json"),
                                     Checkpoint::open(run.files.folder() / "transformer"),
                                     AttentionSettings{});
    Stack timesteps;
    Stack cond;
    Stack uncond;
    Stack latents;
    const auto keep = [&](const DenoiseStep& step) {
        timesteps.push(Tensor::from({1}, std::vector<float>{step.modelTimestep}));
        cond.push(step.noiseCond);
        if (step.noiseUncond != nullptr)
            uncond.push(*step.noiseUncond);
        latents.push(step.latents);
    };
    const Tensor start = run.comparison.golden().get(initialLatents).toF32().clone();
    Tensor last = denoise(run.execution, transformer, *scheduler, text,
                          {.guidanceScale = run.call.guidanceScale}, start, keep);
    run.comparison.compare("timesteps_model", timesteps.joined(), exactly);
    run.comparison.compare("noise_cond", cond.joined(), run.tolerance);
    if (text.negative)
        run.comparison.compare("noise_uncond", uncond.joined(), run.tolerance);
    run.comparison.compare("latents_steps", latents.joined(), run.tolerance);
    run.comparison.inform("latents_final_f64", last, run.tolerance);
    return last;
}

/// As diffusers' output_type "pil": rounded to nearest, ties to even.
Tensor roundedFrames(const Tensor& decoded, const Tensor& truncated) {
    Tensor scaled = decoded.clone();
    // Whole levels (with a little room for f32) truncate to themselves.
    for (float& value : scaled.data<float>()) {
        const float level = std::nearbyint(std::clamp(value / 2.0F + 0.5F, 0.0F, 1.0F) * 255.0F);
        value = (level + 0.25F) / 255.0F * 2.0F - 1.0F;
    }
    return toFrames(scaled).reshaped(truncated.shape());
}

void decodeChecked(const PipelineCase& run, const Tensor& latents) {
    const WanVae vae(configOf<WanVaeConfig>(run.files, "vae/config.json"),
                     Checkpoint::open(run.files.folder() / "vae"));
    const Tensor input = vae.denormalize(latents);
    run.comparison.compare("vae_in", input, run.tolerance);
    const Tensor decoded = vae.decode(run.execution, input);
    run.comparison.compare("vae_out", decoded, run.tolerance);

    const double maxLevel = run.files.tolerance("frames_max_level");
    const double fraction = run.files.tolerance("frames_differing_fraction");
    const Tensor frames = toFrames(decoded);  // [1, time, height, width, 3]; the golden has no batch
    const Tensor video =
        frames.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
    run.comparison.compareFrames("frames_u8_trunc", video, maxLevel, fraction);
    run.comparison.compareFrames("frames_u8_round", roundedFrames(decoded, video), maxLevel, fraction);
}

}  // namespace

void verifyPipeline(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("WanPipeline");
    requireOneTransformer(files);
    const PipelineCall call = readPipelineCall(files);
    const auto isOutput = [&call](const std::string& name) {
        const bool given = name == initialLatents || (!call.prompt && name.ends_with("prompt_embeds"));
        return !given;
    };
    comparison = GoldenComparison(files.tensors(), isOutput);

    const PipelineCase run{execution, files, comparison, call, files.outputTolerance()};
    const TextConditioning text = conditionOnText(run);
    decodeChecked(run, denoiseChecked(run, text));
}

}  // namespace meshreel
