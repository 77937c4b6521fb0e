// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/conditioning_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/pipelines/image_conditioning.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/mesh_broadcast.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/project/number_list.h"
#include "engine/sampling/noise.h"

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
    std::vector<std::string> prompts{project.prompt};
    if (context.plan.guided)
        prompts.push_back(project.negativePrompt);
    const std::optional<PromptCache> cache = promptCacheOf(context);
    auto [embedded, skipped] = embedPrompts(context.host, tokenizer, encoder, prompts,
                                            project.maxSequenceLength, cache ? &*cache : nullptr);
    if (skipped)
        context.observer.message(MessageLevel::Info,
                                 "Text encoder skipped: the prompts were encoded before (prompt cache)");
    if (std::ranges::any_of(embedded, &PromptEmbedding::truncated))
        context.observer.message(
            MessageLevel::Warning,
            fmt::format(
                "The prompt is longer than max_sequence_length ({} tokens); what is beyond was left out",
                project.maxSequenceLength));
    conditions.text = {std::move(embedded.front().embedding), std::nullopt};
    if (embedded.size() > 1)
        conditions.text.negative = std::move(embedded.back().embedding);
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

/// On every process the same; the leading one alone reads the files.
VisualConditioning conditionOnInputs(const GenerationContext& context, const ModelParts& parts) {
    const RunPlan& plan = context.plan;
    if (plan.task == WanTask::TextToVideo)
        return {};
    VisualInputs inputs;
    if (context.machine.leads()) {
        inputs = readVisualInputs(plan);
        if (parts.imageEncoder)
            inputs.imageTokens = imageTokensOf(context.host, *parts.imageEncoder, plan.model.imageProcessor,
                                               readPictures(plan));
    }
    VisualConditioning visual;
    context.machine.mesh.run(context.machine.stop, context.machine.trace, [&](Device& device) {
        const auto span = traceSpan(device.execution().trace, "AutoencoderKLWan_encode");
        const VisualInputs own = broadcastInputs(device.everyone(), inputs);
        const WanVae& vae = parts.vaeOf(device);
        const auto encode = [&](const Tensor& video) {
            return vae.normalize(vae.encode(device, plan.vaeStrips, video).mean);
        };
        VisualConditioning made =
            conditionOn(plan.task, plan.model.tokenTimesteps(), own, plan.geometry(), encode);
        if (device.index() == context.machine.mesh.firstDevice())
            visual = std::move(made);
    });
    if (plan.task == WanTask::VaceEditing)
        visual.controlScales = controlScales(plan);
    return visual;
}

Tensor noiseOf(const RunPlan& plan) {
    const NoiseKindRow* kind = findNoiseKind(plan.project.noise);
    if (!kind)
        throw Error(ErrorKind::Project, "there is no noise named \"" + plan.project.noise + "\"", "noise",
                    "Use counter or torch_cpu");
    return initialLatents(kind->kind, static_cast<std::uint64_t>(plan.project.seed), plan.latentShape);
}

/// Noise, or a video with as much noise as the first step takes away.
Tensor firstLatents(const RunPlan& plan, const VisualConditioning& visual) {
    Tensor noise = noiseOf(plan);
    return visual.startVideo ? plan.makeScheduler()->addNoise(*visual.startVideo, noise, 0) : noise;
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
            fmt::format("the checkpoint of the run ({} after {} steps) does not belong to its project ({}, "
                        "{} steps)",
                        resumeFrom->latents.shape().text(), resumeFrom->stepsDone, plan.latentShape.text(),
                        plan.steps()),
            "checkpoint.safetensors", "Start the run again");
    return *resumeFrom;
}

}  // namespace

Conditions condition(const GenerationContext& context, LoadedModel& model,
                     const std::optional<SamplerSnapshot>& resumeFrom) {
    Conditions conditions;
    ModelParts& parts = model.parts;
    if (parts.textEncoder)
        conditionOnText(context, *model.tokenizer, *parts.textEncoder, conditions);
    parts.textEncoder.reset();
    conditions.visual = conditionOnInputs(context, parts);
    parts.imageEncoder.reset();
    conditions.start = firstSnapshot(context, conditions.visual, resumeFrom);
    return conditions;
}

}  // namespace meshreel
