// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frames.h"
#include "engine/mesh/lone_device.h"
#include "engine/models/text_encoder/umt5.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/planning/model/model_facts.h"
#include "engine/planning/model/model_index.h"
#include "engine/sampling/expert_steps.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/verification/golden_kinds.h"
#include "engine/verification/pipeline_call.h"
#include "engine/verification/pipeline_inputs.h"

namespace meshreel {
namespace {

constexpr const char* initialLatents = "latents_init";
constexpr GoldenTolerance sigmaTolerance{1e-6, 0.0};
constexpr std::array<std::string_view, 4> pipelines{"WanPipeline", "WanImageToVideoPipeline",
                                                    "WanVideoToVideoPipeline", "WanVACEPipeline"};

/// One case while it runs.
struct PipelineCase {
    const Execution& execution;
    const GoldenFiles& files;
    GoldenComparison& comparison;
    PipelineCall call;
    GoldenTolerance tolerance;
    const WanVae& vae;
    VideoGeometry geometry;

    [[nodiscard]] WanTask task() const { return taskOf(files, comparison.golden()); }
};

/// boundary_ratio of model_index.json as a timestep; none where one transformer does all.
std::optional<double> boundaryOf(const GoldenFiles& files, const Scheduler& scheduler) {
    const nlohmann::json index = files.json(modelIndexName);
    const auto ratio = index.find("boundary_ratio");
    if (ratio == index.end() || !ratio->is_number())
        return std::nullopt;
    return ratio->get<double>() * scheduler.config().numTrainTimesteps;
}

/// Of the call, or where it leaves it open of the latents.
VideoGeometry geometryOf(const PipelineCall& call, const SafetensorsFile& golden, const WanVaeConfig& vae) {
    const Shape& latents = golden.find(initialLatents)->shape;
    return {.frames = call.frames.value_or((latents[2] - 1) * vae.temporalFactor() + 1),
            .height = call.height.value_or(latents[3] * vae.spatialFactor()),
            .width = call.width.value_or(latents[4] * vae.spatialFactor()),
            .spatialFactor = vae.spatialFactor(),
            .temporalFactor = vae.temporalFactor()};
}

template <typename Config>
Config configOf(const GoldenFiles& files, const std::string& name) {
    return Config::fromJson(files.json(name), files.place(name));
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

/// Tokens that a golden tensor [prompts, tokens, …] keeps: those of the longest prompt, or more.
std::int64_t tokensKept(const PipelineCase& run, const std::string& name, std::int64_t longest) {
    if (!run.comparison.wants(name))
        return longest;
    const Shape& shape = run.comparison.golden().find(name)->shape;
    return shape.rank() < 2 ? longest : std::clamp(shape[1], longest, run.call.maxSequenceLength);
}

/// [prompts, tokens] with 0 behind the end mark.
Tensor idRows(const std::vector<Tokenizer::Encoded>& prompts, std::int64_t tokens) {
    Tensor rows = Tensor::zeros({static_cast<std::int64_t>(prompts.size()), tokens}, DType::I64);
    auto out = rows.data<std::int64_t>().begin();
    for (const Tokenizer::Encoded& prompt : prompts)
        out = std::copy_n(prompt.ids.begin(), tokens, out);
    return rows;
}

/// [prompts, max, width] of which only the first `tokens` rows of each prompt stay.
Tensor withTokens(const std::vector<Tensor>& prompts, std::int64_t tokens) {
    Stack rows;
    const std::int64_t width = prompts.front().extent(2);
    for (const Tensor& prompt : prompts)
        rows.push(prompt.reshaped({prompt.extent(1), width}).slice(0, tokens));
    return rows.joined();
}

/// [prompts * count, …]: each prompt `count` times in a row, as diffusers' num_videos_per_prompt.
Tensor repeatedEach(const Tensor& prompts, std::int64_t count) {
    Stack rows;
    const std::int64_t width = prompts.extent(2);
    for (std::int64_t prompt = 0; prompt < prompts.extent(0); ++prompt)
        for (std::int64_t copy = 0; copy < count; ++copy)
            rows.push(prompts.slice(prompt, prompt + 1).reshaped({prompts.extent(1), width}));
    return rows.joined();
}

/// Checks ids and embeddings of the prompts and returns the padded embeddings, one a video.
Tensor embedTexts(const PipelineCase& run, const Tokenizer& tokenizer, const Umt5Encoder& encoder,
                  const std::vector<std::string>& prompts, const std::string& idsName,
                  const std::string& embeddingName) {
    const std::int64_t limit = run.call.maxSequenceLength;
    std::vector<Tokenizer::Encoded> ids;
    std::int64_t longest = 0;
    for (const std::string& prompt : prompts) {
        ids.push_back(tokenizer.encode(cleanPrompt(prompt), limit));
        longest = std::max(longest, ids.back().length);
    }
    std::vector<Tensor> embeddings;
    PromptEmbeddings embedded = embedPrompts(run.execution, tokenizer, encoder, prompts, limit);
    for (PromptEmbedding& prompt : embedded.prompts)
        embeddings.push_back(std::move(prompt.embedding));
    run.comparison.compare(idsName, idRows(ids, tokensKept(run, idsName, longest)), exactly);
    run.comparison.compare(embeddingName, withTokens(embeddings, tokensKept(run, embeddingName, longest)),
                           run.tolerance);
    return repeatedEach(withTokens(embeddings, limit), run.call.videosPerPrompt);
}

/// Given embeddings [prompts, tokens, width], zero-padded as the pipeline does, one a video.
Tensor paddedInput(const PipelineCase& run, const std::string& name) {
    const Tensor given = run.comparison.golden().get(name).toF32();
    const std::int64_t tokens = given.extent(1);
    const std::int64_t width = given.extent(2);
    if (tokens > run.call.maxSequenceLength)
        throw Error(ErrorKind::Input, sentence("`{}` has more rows than max_sequence_length", name),
                    run.files.place("io.safetensors"), sentence("Restore the golden case"));
    Tensor padded = Tensor::zeros({given.extent(0), run.call.maxSequenceLength, width});
    for (std::int64_t prompt = 0; prompt < given.extent(0); ++prompt)
        std::ranges::copy(given.slice(prompt, prompt + 1).data<float>(),
                          padded.slice(prompt, prompt + 1).data<float>().begin());
    return repeatedEach(padded, run.call.videosPerPrompt);
}

TextConditioning conditionOnText(const PipelineCase& run) {
    const bool guided = usesGuidance(run.call.guidanceScale);
    TextConditioning text;
    if (run.call.prompts.empty()) {
        text.prompt = paddedInput(run, "prompt_embeds");
        if (guided)
            text.negative = paddedInput(run, "negative_prompt_embeds");
        return text;
    }
    const Tokenizer tokenizer = Tokenizer::open(run.files.folder() / "tokenizer");
    const Umt5Encoder encoder(configOf<Umt5Config>(run.files, "text_encoder/config.json"),
                              Checkpoint::open(run.files.folder() / "text_encoder"));
    text.prompt = embedTexts(run, tokenizer, encoder, run.call.prompts, "ids", "prompt_embeds");
    Tensor negative = embedTexts(run, tokenizer, encoder, run.call.negativePrompts, "ids_negative",
                                 "negative_prompt_embeds");
    if (guided)
        text.negative = std::move(negative);
    return text;
}

template <typename T>
Tensor vectorTensor(std::span<const T> values) {
    return Tensor::from({static_cast<std::int64_t>(values.size())},
                        std::vector<T>(values.begin(), values.end()));
}

VisualConditioning conditionOnInputs(const PipelineCase& run, const Shape& latents) {
    const VisualInputs inputs = pipelineInputs(run.execution, run.files, run.geometry, run.comparison);
    const bool tokenTimesteps = run.files.json(modelIndexName).value("expand_timesteps", false);
    VisualConditioning visual =
        conditionOn(run.task(), tokenTimesteps, inputs, run.geometry,
                    checkedEncoder(run.execution, run.vae, run.comparison, run.tolerance));
    visual.controlScales = {run.call.conditioningScales.begin(), run.call.conditioningScales.end()};
    compareConditioning(visual, run.vae.config().zDim, latents, run.comparison, run.tolerance);
    return visual;
}

/// Frames of the sampled latents that stand for VACE's references.
std::int64_t referenceFrames(const PipelineCase& run, const Shape& latents) {
    return run.task() == WanTask::VaceEditing
               ? latents[2] - ((run.geometry.frames - 1) / run.geometry.temporalFactor + 1)
               : 0;
}

Tensor denoiseChecked(const PipelineCase& run, const TextConditioning& text) {
    const auto scheduler =
        makeScheduler(configOf<SchedulerConfig>(run.files, "scheduler/scheduler_config.json"));
    scheduler->setTimesteps(run.call.steps);
    run.comparison.compare("sigmas", vectorTensor(scheduler->sigmas()), sigmaTolerance);
    run.comparison.compare("timesteps", vectorTensor(scheduler->timesteps()), exactly);

    Stack timesteps;
    Stack cond;
    Stack uncond;
    Stack latents;
    const auto keep = [&](const DenoiseStep& step) {
        const WanInputs inputs = step.modelInputs();
        timesteps.push(inputs.timesteps);
        if (step.record.step == 0)
            run.comparison.compare("model_input_step0", inputs.latents, run.tolerance);
        cond.push(step.prediction.cond);
        if (step.prediction.uncond)
            uncond.push(*step.prediction.uncond);
        latents.push(step.latents);
    };
    LoneDevice lone(run.execution);
    Tensor last = run.comparison.golden().get(initialLatents).toF32().clone();
    const Shape sampled = last.shape();
    const VisualConditioning visual = conditionOnInputs(run, sampled);
    for (const ExpertSteps& stretch :
         expertSteps(scheduler->timesteps(), boundaryOf(run.files, *scheduler))) {
        const std::string folder(transformerName(stretch.expert));
        const WanTransformer transformer(configOf<WanTransformerConfig>(run.files, folder + "/config.json"),
                                         Checkpoint::open(run.files.folder() / folder), AttentionSettings{});
        last =
            denoise(lone.device(), transformer, *scheduler, text, visual,
                    {.guidanceScale = stretch.expert == 1 ? run.call.guidanceScale : run.call.guidanceScale2,
                     .expert = stretch.expert,
                     .firstStep = stretch.firstStep,
                     .endStep = stretch.endStep},
                    last, keep);
    }
    // [steps, videos] or [steps, videos, tokens]: upstream gives TI2V a time for each token even where all
    // are the same.
    constexpr std::size_t stepsAndVideos = 2;
    run.comparison.compareBroadcast("timesteps_model", timesteps.joined(), stepsAndVideos, exactly);
    run.comparison.compare("noise_cond", cond.joined(), run.tolerance);
    if (text.negative)
        run.comparison.compare("noise_uncond", uncond.joined(), run.tolerance);
    run.comparison.compare("latents_steps", latents.joined(), run.tolerance);
    run.comparison.inform("latents_final_f64", last, run.tolerance);
    return finishedLatents(visual, referenceFrames(run, sampled), last);
}

/// As diffusers' output_type "pil": rounded to nearest, ties to even.
Tensor roundedFrames(const Tensor& decoded) {
    Tensor scaled = decoded.clone();
    // Whole levels (with a little room for f32) truncate to themselves.
    for (float& value : scaled.data<float>()) {
        const float level = std::nearbyint(std::clamp(value / 2.0F + 0.5F, 0.0F, 1.0F) * 255.0F);
        value = (level + 0.25F) / 255.0F * 2.0F - 1.0F;
    }
    return toFrames(scaled);
}

/// `frames` are [batch, time, height, width, 3]; a golden without batch holds the first video.
void compareVideos(const PipelineCase& run, const std::string& name, const Tensor& frames) {
    constexpr std::size_t batchedRank = 5;
    if (!run.comparison.wants(name))
        return;
    Tensor videos = frames;
    if (run.comparison.golden().find(name)->shape.rank() < batchedRank)
        videos = frames.slice(0, 1).reshaped(
            {frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
    run.comparison.compareFrames(name, videos, run.files.tolerance("frames_max_level"),
                                 run.files.tolerance("frames_differing_fraction"));
}

void decodeChecked(const PipelineCase& run, const Tensor& latents) {
    const Tensor input = run.vae.denormalize(latents);
    run.comparison.compare("vae_in", input, run.tolerance);
    const Tensor decoded = run.vae.decode(run.execution, input);
    run.comparison.compare("vae_out", decoded, run.tolerance);

    compareVideos(run, "frames_u8_trunc", toFrames(decoded));
    compareVideos(run, "frames_u8_round", roundedFrames(decoded));
}

}  // namespace

void verifyPipeline(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    if (std::ranges::find(pipelines, files.className()) == pipelines.end())
        refuseCase(files,
                   sentence("The case is of the class {}, which Meshreel cannot run yet", files.className()));
    const PipelineCall call = readPipelineCall(files);
    const auto isOutput = [&call](const std::string& name) {
        const bool given = name == initialLatents || isPipelineInput(name) ||
                           (call.prompts.empty() && name.ends_with("prompt_embeds"));
        return !given;
    };
    comparison = GoldenComparison(files.tensors(), isOutput);

    const WanVae vae(configOf<WanVaeConfig>(files, "vae/config.json"),
                     Checkpoint::open(files.folder() / "vae"));
    const PipelineCase run{.execution = execution,
                           .files = files,
                           .comparison = comparison,
                           .call = call,
                           .tolerance = files.outputTolerance(),
                           .vae = vae,
                           .geometry = geometryOf(call, comparison.golden(), vae.config())};
    const TextConditioning text = conditionOnText(run);
    decodeChecked(run, denoiseChecked(run, text));
}

}  // namespace meshreel
