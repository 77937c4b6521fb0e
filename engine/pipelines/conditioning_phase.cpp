// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/conditioning_phase.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/pipelines/animation_conditioning.h"
#include "engine/pipelines/decode.h"
#include "engine/pipelines/image_conditioning.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/mesh_broadcast.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/pipelines/video_axes.h"
#include "engine/planning/prompt_length.h"
#include "engine/project/batch.h"
#include "engine/project/number_list.h"
#include "engine/sampling/random/noise.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

std::optional<PromptCache> promptCacheOf(const GenerationContext& context) {
    if (context.machine.caches == nullptr)
        return std::nullopt;
    return PromptCache(context.machine.caches->prompts, context.warnings());
}

void conditionOnText(const GenerationContext& context, const Tokenizer& tokenizer, const Umt5Encoder& encoder,
                     Conditions& conditions) {
    const Project& project = context.plan.project;
    std::vector<std::string> prompts;
    for (const BatchItem& item : batchItems(project))
        prompts.push_back(item.prompt);
    const std::size_t videos = prompts.size();
    if (context.plan.guided)
        prompts.push_back(project.negativePrompt);
    const std::optional<PromptCache> cache = promptCacheOf(context);
    auto [embedded, skipped] = embedPrompts(context.host, tokenizer, encoder, prompts,
                                            project.maxSequenceLength, cache ? &*cache : nullptr);
    if (skipped)
        context.observer.message(MessageLevel::Info,
                                 "Text encoder skipped: the prompts were encoded before (prompt cache)");
    if (std::ranges::any_of(embedded, &PromptEmbedding::truncated))
        for (const ProjectProblem& cut : cutPrompts(project, tokenizer))
            context.observer.message(MessageLevel::Warning, cut.message);
    std::vector<Tensor> rows;
    for (std::size_t video = 0; video < videos; ++video)
        rows.push_back(embedded[video].embedding);
    conditions.text = {joined(rows, 0), std::nullopt};
    if (context.plan.guided)
        conditions.text.negative = repeated(embedded.back().embedding, static_cast<std::int64_t>(videos));
    conditions.textEncoderSkipped = skipped;
}

/// One for each VACE block: a single number serves all.
std::vector<float> controlScales(const RunPlan& plan) {
    const auto read = parseNumbers(plan.project.conditioningScale);
    const auto& scales = std::get<std::vector<double>>(read);
    std::vector<float> each(scales.begin(), scales.end());
    if (each.size() == 1)
        each.resize(plan.model.transformer.vaceLayers.size(), float{each.front()});
    return each;
}

/// What the leading process finds in the files; nothing on others.
VisualInputs readInputs(const GenerationContext& context, const ModelParts& parts) {
    const RunPlan& plan = context.plan;
    if (plan.task == WanTask::TextToVideo || !context.machine.leads())
        return {};
    VisualInputs inputs = readVisualInputs(plan);
    if (parts.imageEncoder)
        inputs.imageTokens =
            imageTokensOf(context.host, *parts.imageEncoder, plan.model.imageProcessor, readPictures(plan));
    return inputs;
}

/// What every device of the mesh makes of the leading process's inputs, all the same.
template <typename MakeOf>
VisualConditioning conditionOnMesh(const GenerationContext& context, const ModelParts& parts,
                                   const VisualInputs& inputs, const MakeOf& make) {
    VisualConditioning visual;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        const auto span = traceSpan(device.execution().trace, "AutoencoderKLWan_encode");
        const VisualInputs own = broadcastInputs(device.everyone(), inputs);
        const WanVae& vae = parts.vaeOf(device);
        const EncodeVideo encode = [&](const Tensor& video) {
            return vae.normalize(vae.encode(device, context.plan.vaeStrips, video).mean);
        };
        VisualConditioning made = make(device, own, encode);
        if (device.index() == context.machine.mesh.firstDevice())
            visual = std::move(made);
    });
    return visual;
}

VisualConditioning conditionOnInputs(const GenerationContext& context, const ModelParts& parts,
                                     const VisualInputs& inputs) {
    const RunPlan& plan = context.plan;
    if (plan.task == WanTask::TextToVideo || isAnimation(plan.task))
        return {};
    VisualConditioning visual = conditionOnMesh(
        context, parts, inputs, [&](Device&, const VisualInputs& own, const EncodeVideo& encode) {
            return conditionOn(plan.task, plan.model.tokenTimesteps(), own, plan.geometry(), encode);
        });
    if (plan.task == WanTask::VaceEditing)
        visual.controlScales = controlScales(plan);
    return visual;
}

/// Noise, or a video with as much noise as the first step takes away.
Tensor firstLatents(const RunPlan& plan, const VisualConditioning& visual) {
    Tensor noise = noiseOf(plan);
    if (!visual.startVideo)
        return noise;
    return plan.makeScheduler()->addNoise(repeated(*visual.startVideo, noise.extent(0)), noise, 0);
}

/// Where the generation begins; on a process that does not lead only the number of steps done.
SamplerSnapshot firstSnapshot(const GenerationContext& context, const VisualConditioning& visual,
                              const std::optional<SamplerSnapshot>& resumeFrom) {
    const RunPlan& plan = context.plan;
    if (!resumeFrom)
        return {0, context.machine.leads() ? firstLatents(plan, visual) : Tensor(), {}};
    if (context.machine.leads() && resumeFrom->latents.shape() != plan.latentShape)
        throw Error(
            ErrorKind::Input,
            sentence("the checkpoint of the run ({} after {} steps) does not belong to its project ({}, "
                     "{} steps)",
                     resumeFrom->latents.shape().text(), resumeFrom->stepsDone, plan.latentShape.text(),
                     plan.steps()),
            "checkpoint.safetensors", sentence("Start the run again"));
    return *resumeFrom;
}

}  // namespace

// A video's depends on its own seed only.
Tensor noiseOf(const RunPlan& plan, int segment) {
    const NoiseKindRow* kind = findNoiseKind(plan.project.noise);
    if (!kind)
        throw Error(ErrorKind::Project, sentence("there is no noise named \"{}\"", plan.project.noise),
                    "noise", sentence("Use counter or torch_cpu"));
    const Shape& all = plan.latentShape;
    std::vector<Tensor> videos;
    for (const BatchItem& item : batchItems(plan.project))
        videos.push_back(
            initialLatents(kind->kind, item.seed.value(), {1, all[1], all[2], all[3], all[4]}, segment));
    return joined(videos, 0);
}

VisualConditioning conditionSegment(const GenerationContext& context, const ModelParts& parts,
                                    const VisualInputs& inputs, int segment,
                                    const std::optional<Tensor>& finished) {
    const RunPlan& plan = context.plan;
    std::optional<Tensor> before;
    if (segment > 0) {
        const std::int64_t each = finished->extent(frameAxis) / segment;
        const Tensor latents =
            sliced(*finished, frameAxis, (segment - 1) * each, finished->extent(frameAxis));
        const Tensor video = decodeOnMesh(context, parts, latents, {});
        if (context.machine.leads())
            before = sliced(video, frameAxis, video.extent(frameAxis) - plan.segments.overlap,
                            video.extent(frameAxis));
    }
    return conditionOnMesh(
        context, parts, inputs, [&](Device& device, const VisualInputs& own, const EncodeVideo& encode) {
            return conditionOnSegment(own, plan.segmentGeometry(), plan.segments, segment,
                                      broadcastOptional(device.everyone(), before), encode);
        });
}

Conditions condition(const GenerationContext& context, LoadedModel& model,
                     const std::optional<SamplerSnapshot>& resumeFrom) {
    Conditions conditions;
    ModelParts& parts = model.parts;
    if (parts.textEncoder)
        conditionOnText(context, *model.tokenizer, *parts.textEncoder, conditions);
    parts.textEncoder.reset();
    VisualInputs inputs = readInputs(context, parts);
    parts.imageEncoder.reset();
    conditions.visual = conditionOnInputs(context, parts, inputs);
    if (isAnimation(context.plan.task))
        conditions.inputs = std::move(inputs);
    conditions.start = firstSnapshot(context, conditions.visual, resumeFrom);
    return conditions;
}

}  // namespace meshreel
