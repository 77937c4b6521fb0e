// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/pipeline_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/estimates/video_shape.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/media/image_processor.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/model_family.h"
#include "engine/models/vae/video_frames.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/predictor.h"
#include "engine/pipelines/step_predictor.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using nlohmann::json;

// How the pipeline was called.

/// The arguments of a golden pipeline case's call; defaults are those of diffusers' WanPipeline.
struct PipelineCall {
    std::vector<std::string> prompts;          ///< one a video; empty: the case gives embeddings
    std::vector<std::string> negativePrompts;  ///< as many as prompts
    std::int64_t videosPerPrompt = 1;
    int steps = 50;
    double guidanceScale = 5.0;
    double guidanceScale2 = 5.0;  ///< for the second expert; as the first if it is not given
    std::int64_t maxSequenceLength = 512;
    std::optional<std::int64_t> height;  ///< from what the case shows
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> frames;
    double strength = 0.8;                        ///< for video to video
    std::vector<double> conditioningScales{1.0};  ///< for VACE
};

constexpr std::string_view callMark = "Call:";
constexpr std::array<std::string_view, 12> knownArguments{"prompt",
                                                          "negative_prompt",
                                                          "num_inference_steps",
                                                          "guidance_scale",
                                                          "guidance_scale_2",
                                                          "max_sequence_length",
                                                          "height",
                                                          "width",
                                                          "num_frames",
                                                          "num_videos_per_prompt",
                                                          "strength",
                                                          "conditioning_scale"};

/// The first JSON object of the README's line that starts with "Call:"; null when there is none.
json callInReadme(const std::string& readme) {
    std::istringstream lines(readme);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t brace = line.find('{');
        if (!line.starts_with(callMark) || brace == std::string::npos)
            continue;
        std::istringstream rest(line.substr(brace));
        json call;
        try {
            rest >> call;  // stops behind the object
        } catch (const json::parse_error&) {
            return nullptr;
        }
        return call;
    }
    return nullptr;
}

/// Reads a text, or a list of texts; none when the call has no such argument.
std::vector<std::string> toTexts(const json& call, const char* argument) {
    if (!call.contains(argument) || call[argument].is_null())
        return {};
    if (call[argument].is_string())
        return {call[argument].get<std::string>()};
    return call[argument].get<std::vector<std::string>>();
}

std::optional<std::int64_t> numberOf(const json& call, const char* argument) {
    const auto found = call.find(argument);
    return found != call.end() && found->is_number() ? std::optional(found->get<std::int64_t>())
                                                     : std::nullopt;
}

/// Reads one number, or a list of numbers; 1 when the call has no such argument.
std::vector<double> scalesOf(const json& call, const char* argument) {
    if (!call.contains(argument) || call[argument].is_null())
        return {1.0};
    if (call[argument].is_number())
        return {call[argument].get<double>()};
    return call[argument].get<std::vector<double>>();
}

/// As in diffusers: one negative prompt serves all prompts; without one it is empty.
std::vector<std::string> negativesFor(std::vector<std::string> negatives, std::size_t prompts) {
    if (negatives.empty())
        negatives.emplace_back();
    if (negatives.size() == 1)
        negatives.resize(prompts, std::string(negatives.front()));
    return negatives;
}

/// Reads the call from case.json's `call` or, without one, from the first JSON object of the README's line
/// "Call: …", the only place where the cases keep it. Throws Error{Input} when neither has one and
/// Error{Project} for an argument that Meshreel does not know.
PipelineCall readPipelineCall(const GoldenFiles& files) {
    const json call =
        files.description().contains("call") ? files.description()["call"] : callInReadme(files.readme());
    if (!call.is_object())
        throw Error(ErrorKind::Input, sentence("The case does not say how the pipeline was called"),
                    files.folder().string(),
                    sentence("Restore its README.md, whose line \"Call:\" holds the arguments"));
    for (const auto& [name, value] : call.items())
        if (std::ranges::find(knownArguments, name) == knownArguments.end())
            refuseCase(files, sentence("The case calls the pipeline with `{}`, which Meshreel cannot run yet",
                                       name));

    PipelineCall result;
    try {
        result.prompts = toTexts(call, "prompt");
        result.negativePrompts = negativesFor(toTexts(call, "negative_prompt"), result.prompts.size());
        result.videosPerPrompt = call.value("num_videos_per_prompt", result.videosPerPrompt);
        result.steps = call.value("num_inference_steps", result.steps);
        result.guidanceScale = call.value("guidance_scale", result.guidanceScale);
        result.guidanceScale2 = call.value("guidance_scale_2", result.guidanceScale);
        result.height = numberOf(call, "height");
        result.width = numberOf(call, "width");
        result.frames = numberOf(call, "num_frames");
        result.strength = call.value("strength", result.strength);
        result.conditioningScales = scalesOf(call, "conditioning_scale");
        result.maxSequenceLength = call.value("max_sequence_length", result.maxSequenceLength);
    } catch (const json::exception&) {
        throw Error(ErrorKind::Input,
                    sentence("An argument of the pipeline call is of the wrong type: {}", call.dump()),
                    files.folder().string(), sentence("Restore the golden case"));
    }
    return result;
}

template <typename Config>
Config configOf(const GoldenFiles& files, const std::string& name) {
    return Config::fromJson(files.json(name), files.place(name));
}

// What the pipeline was given to see.

constexpr std::array<std::string_view, 4> inputNames{"image", "last_image", "video", "mask"};
constexpr std::string_view referenceName = "reference";
constexpr GoldenTolerance pixelTolerance{1e-5, 0.0};

bool has(const SafetensorsFile& golden, std::string_view name) {
    return golden.find(std::string(name)) != nullptr;
}

bool isReference(const std::string& name) {
    const std::string_view text = name;
    return text.starts_with(referenceName) &&
           std::ranges::all_of(text.substr(referenceName.size()),
                               [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// u8 [T, H, W, 3] in another size.
Tensor fittedFrames(const Tensor& frames, const VideoGeometry& geometry) {
    Tensor fitted =
        Tensor::empty({frames.extent(0), geometry.height, geometry.width, frames.extent(3)}, DType::U8);
    auto out = fitted.data<std::uint8_t>().begin();
    for (std::int64_t frame = 0; frame < frames.extent(0); ++frame) {
        const Tensor picture =
            frames.slice(frame, frame + 1).reshaped({frames.extent(1), frames.extent(2), frames.extent(3)});
        const Tensor resized = fittedPicture(picture, geometry.height, geometry.width);
        out = std::ranges::copy(resized.data<std::uint8_t>(), out).out;
    }
    return fitted;
}

/// Takes the inputs out of the case and checks what becomes of them.
class InputPreparation {
  public:
    InputPreparation(const VideoGeometry& geometry, GoldenComparison& comparison)
        : m_geometry(geometry), m_comparison(comparison) {}

    [[nodiscard]] Tensor picture(const std::string& name, int index) {
        const Tensor pixels = toPixels(fitted(m_comparison.golden().get(name)));
        m_comparison.compare(fmt::format("image_pre{}", index),
                             pixels.reshaped({1, pixels.extent(1), pixels.extent(3), pixels.extent(4)}),
                             exactly);
        return pixels;
    }

    [[nodiscard]] Tensor video(const std::string& name) const {
        return videoOf(fittedFrames(m_comparison.golden().get(name), m_geometry));
    }

    [[nodiscard]] Tensor reference(const std::string& name, int index) {
        const Tensor pixels = referencePixels(m_comparison.golden().get(name), m_geometry.spatialFactor,
                                              m_geometry.height, m_geometry.width);
        m_comparison.compare(fmt::format("reference_pre{}", index),
                             pixels.reshaped({pixels.extent(1), pixels.extent(3), pixels.extent(4)}),
                             pixelTolerance);
        return pixels;
    }

  private:
    [[nodiscard]] Tensor fitted(const Tensor& picture) const {
        return fittedPicture(picture, m_geometry.height, m_geometry.width);
    }

    const VideoGeometry& m_geometry;
    GoldenComparison& m_comparison;
};

void addEdit(InputPreparation& preparation, const VideoGeometry& geometry, GoldenComparison& comparison,
             VisualInputs& inputs) {
    const SafetensorsFile& golden = comparison.golden();
    const EditFrames defaults = openEdit(geometry);
    inputs.video = has(golden, "video") ? preparation.video("video") : defaults.video;
    comparison.compare("video_pre", *inputs.video, exactly);
    inputs.mask = has(golden, "mask") ? asMask(preparation.video("mask")) : defaults.mask;
    std::vector<std::string> references;
    for (const std::string& name : golden.names())
        if (isReference(name))
            references.push_back(name);
    std::ranges::sort(references);
    for (std::size_t index = 0; index < references.size(); ++index)
        inputs.references.push_back(preparation.reference(references[index], static_cast<int>(index)));
}

/// Whether a tensor is given to the pipeline, beside latents and embeddings.
bool isPipelineInput(const std::string& name) {
    return std::ranges::find(inputNames, name) != inputNames.end() || isReference(name);
}

/// The task of a case, by what it is given.
WanTask readTask(const GoldenFiles& files, const SafetensorsFile& golden) {
    if (files.className() == "WanVACEPipeline")
        return WanTask::VaceEditing;
    if (has(golden, "last_image"))
        return WanTask::FirstLastFrame;
    if (has(golden, "image"))
        return WanTask::ImageToVideo;
    return has(golden, "video") ? WanTask::VideoToVideo : WanTask::TextToVideo;
}

/// What the case gives to see, at the video's size, as the pipeline prepares it; checks the prepared pixels
/// and what CLIP makes of them.
VisualInputs pipelineInputs(const Execution& execution, const GoldenFiles& files,
                            const VideoGeometry& geometry, GoldenComparison& comparison) {
    VisualInputs inputs;
    InputPreparation preparation(geometry, comparison);
    const SafetensorsFile& golden = comparison.golden();
    switch (readTask(files, golden)) {
        case WanTask::TextToVideo:
        case WanTask::SubjectsToVideo:  // no golden case of a pipeline covers these
        case WanTask::TracksToVideo:
        case WanTask::MoveToVideo:
        case WanTask::SourcesToVideo:
        case WanTask::KeyframesToVideo:
        case WanTask::ControlToVideo:
        case WanTask::Animation:
        case WanTask::Replacement:
        case WanTask::DrivenAnimation:
        case WanTask::SpeechToVideo:
            return inputs;
        case WanTask::VideoToVideo:
            inputs.video = preparation.video("video");
            return inputs;
        case WanTask::VaceEditing:
            addEdit(preparation, geometry, comparison, inputs);
            return inputs;
        case WanTask::FirstLastFrame:
            inputs.lastImage = preparation.picture("last_image", 1);
            [[fallthrough]];
        case WanTask::ImageToVideo:
            inputs.image = preparation.picture("image", 0);
            break;
    }
    if (!files.has("image_encoder"))
        return inputs;
    std::vector<Tensor> pictures{golden.get("image")};
    if (inputs.lastImage)
        pictures.push_back(golden.get("last_image"));
    const ImageProcessor processor = ImageProcessor::fromJson(
        files.json("image_processor/preprocessor_config.json"), files.place("image_processor"));
    const ClipVisionEncoder encoder(
        ClipVisionConfig::fromJson(files.json("image_encoder/config.json"), files.place("image_encoder")),
        Checkpoint::open(files.folder() / "image_encoder"), Arithmetic::F32, execution.memory());
    const Tensor pixels = clipPixels(processor, pictures);
    comparison.compare("clip_pixel_values", pixels, pixelTolerance);
    inputs.imageTokens = encodeImageTokens(execution, encoder, pixels);
    comparison.compare("image_embeds", *inputs.imageTokens, files.outputTolerance());
    return inputs;
}

/// Encodes with the case's VAE and checks every posterior's mean in its turn.
EncodeVideo checkedEncoder(const Execution& execution, const WanVae& vae, GoldenComparison& comparison,
                           GoldenTolerance tolerance) {
    return [&execution, &vae, &comparison, tolerance, count = std::make_shared<int>(0)](const Tensor& video) {
        const Tensor mean = vae.encode(execution, video).mean;
        comparison.compare(fmt::format("vae_encode{}_mean", (*count)++), mean, tolerance);
        return vae.normalize(mean);
    };
}

/// Checks the conditioning against the case's.
void compareConditioning(const VisualConditioning& visual, std::int64_t latentChannels, const Shape& latents,
                         GoldenComparison& comparison, GoldenTolerance tolerance) {
    if (visual.channels)
        comparison.compare("condition", *visual.channels, tolerance);
    if (!visual.given.empty()) {
        comparison.compare("condition", visual.given.front().latents, tolerance);
        Tensor mask = Tensor::empty({1, 1, latents[2], latents[3], latents[4]});
        std::ranges::fill(mask.data<float>(), 1.0F);
        std::ranges::fill(mask.data<float>().first(static_cast<std::size_t>(latents[3] * latents[4])), 0.0F);
        comparison.compare("first_frame_mask", mask, exactly);
    }
    if (!visual.control)
        return;
    comparison.compare("control_hidden_states", *visual.control, tolerance);
    comparison.compare("video_latents", sliced(*visual.control, channelAxis, 0, 2 * latentChannels),
                       tolerance);
    comparison.compare(
        "mask_latents",
        sliced(*visual.control, channelAxis, 2 * latentChannels, visual.control->extent(channelAxis)),
        exactly);
}

// The run.

constexpr const char* initialLatentsName = "latents_init";
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

    [[nodiscard]] WanTask task() const { return readTask(files, comparison.golden()); }
};

/// Returns boundary_ratio of model_index.json as a timestep; none when one transformer does all.
std::optional<double> readBoundary(const GoldenFiles& files, const Scheduler& scheduler) {
    const json index = files.json(modelIndexName);
    const auto ratio = index.find("boundary_ratio");
    if (ratio == index.end() || !ratio->is_number())
        return std::nullopt;
    return ratio->get<double>() * scheduler.config().numTrainTimesteps;
}

/// The size that the call asks for; what it leaves open is that of the latents.
VideoGeometry toGeometry(const PipelineCall& call, const SafetensorsFile& golden, const WanVaeConfig& vae) {
    const Shape& latents = golden.find(initialLatentsName)->shape;
    return {.frames = call.frames.value_or((latents[2] - 1) * vae.temporalFactor() + 1),
            .height = call.height.value_or(latents[3] * vae.spatialFactor()),
            .width = call.width.value_or(latents[4] * vae.spatialFactor()),
            .spatialFactor = vae.spatialFactor(),
            .temporalFactor = vae.temporalFactor()};
}

/// Joins equal tensors along a new first axis.
class Stack {
  public:
    void push(const Tensor& tensor) { m_parts.push_back(tensor.clone()); }

    [[nodiscard]] Tensor joined() const {
        std::vector<std::int64_t> extents{static_cast<std::int64_t>(m_parts.size())};
        if (!m_parts.empty())
            std::ranges::copy(m_parts[0].shape().extents(), std::back_inserter(extents));
        Tensor all = Tensor::empty(Shape(extents));
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

/// Returns [prompts, max, width], of which only the first `tokens` rows of each prompt stay.
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
                              Checkpoint::open(run.files.folder() / "text_encoder"), Arithmetic::F32,
                              run.execution.memory());
    text.prompt = embedTexts(run, tokenizer, encoder, run.call.prompts, "ids", "prompt_embeds");
    Tensor negative = embedTexts(run, tokenizer, encoder, run.call.negativePrompts, "ids_negative",
                                 "negative_prompt_embeds");
    if (guided)
        text.negative = std::move(negative);
    return text;
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
    Tensor last = run.comparison.golden().get(initialLatentsName).toF32().clone();
    const Shape sampled = last.shape();
    const VisualConditioning visual = conditionOnInputs(run, sampled);
    for (const ExpertSteps& stretch :
         expertSteps(scheduler->timesteps(), readBoundary(run.files, *scheduler))) {
        const std::string folder(transformerName(stretch.expert));
        const auto config = configOf<WanTransformerConfig>(run.files, folder + "/config.json");
        const WanTransformer transformer(config, Checkpoint::open(run.files.folder() / folder),
                                         planAttentions({}, config), {}, {}, nullptr, {},
                                         run.execution.memory());
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
Tensor roundedFrames(const Execution& execution, const Tensor& decoded) {
    Tensor scaled = decoded.clone();
    // Whole levels (with a little room for f32) truncate to themselves.
    for (float& value : scaled.data<float>()) {
        const float level = std::nearbyint(std::clamp(value / 2.0F + 0.5F, 0.0F, 1.0F) * 255.0F);
        value = (level + 0.25F) / 255.0F * 2.0F - 1.0F;
    }
    return toFrames(execution, scaled);
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

    compareVideos(run, "frames_u8_trunc", toFrames(run.execution, decoded));
    compareVideos(run, "frames_u8_round", roundedFrames(run.execution, decoded));
}

}  // namespace

void verifyPipeline(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    if (std::ranges::find(pipelines, files.className()) == pipelines.end())
        refuseCase(files,
                   sentence("The case is of the class {}, which Meshreel cannot run yet", files.className()));
    const PipelineCall call = readPipelineCall(files);
    const auto isOutput = [&call](const std::string& name) {
        const bool given = name == initialLatentsName || isPipelineInput(name) ||
                           (call.prompts.empty() && name.ends_with("prompt_embeds"));
        return !given;
    };
    comparison = GoldenComparison(files.tensors(), isOutput);

    const WanVae vae(configOf<WanVaeConfig>(files, "vae/config.json"),
                     Checkpoint::open(files.folder() / "vae"), {}, {}, execution.memory());
    const PipelineCase run{.execution = execution,
                           .files = files,
                           .comparison = comparison,
                           .call = call,
                           .tolerance = files.outputTolerance(),
                           .vae = vae,
                           .geometry = toGeometry(call, comparison.golden(), vae.config())};
    const TextConditioning text = conditionOnText(run);
    decodeChecked(run, denoiseChecked(run, text));
}

}  // namespace meshreel
