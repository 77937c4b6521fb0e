// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/run_work.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/real.h"
#include "engine/planning/cost/text_flops.h"
#include "engine/planning/cost/transformer_flops.h"
#include "engine/planning/cost/transformer_work.h"
#include "engine/planning/cost/vae_work.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, runStages.size()> stageNames{"preparing", "conditioning", "denoising",
                                                                    "decoding"};

WorkClass linearClass(DType type) {
    return type == DType::BF16 ? WorkClass::LinearBf16 : WorkClass::LinearF32;
}

/// Of the longer prompt. A token stands for about four letters; the end has a mark.
std::int64_t likelyTextTokens(const Project& project) {
    constexpr std::size_t lettersOfToken = 4;
    const std::size_t letters = std::max(project.prompt.size(), project.negativePrompt.size());
    return std::min(project.maxSequenceLength, static_cast<std::int64_t>(letters / lettersOfToken) + 1);
}

Work preparing(const RunPlan& plan) {
    Work work;
    work[WorkClass::Runs] = 1;
    const bool both = plan.bothExpertsResident && plan.model.secondWeights;
    work[WorkClass::Packing] =
        static_cast<double>(plan.model.transformerWeights.parameters + plan.model.vaeWeights.parameters +
                            (both ? plan.model.secondWeights->parameters : 0));
    return work;
}

Work encoding(const RunPlan& plan) {
    Work work;
    const WorkClass products =
        plan.precision.vae == DType::BF16 ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32;
    for (const std::int64_t frames : encodedFrames(plan)) {
        const VideoExtent video{.frames = frames, .height = plan.project.height, .width = plan.project.width};
        const VaeWork vae = vaeEncodeWork(plan.model.vae, video);
        work[products] += vae.computedFlops;
        work[WorkClass::Features] += vae.values;
        work[WorkClass::VaeLayers] += vae.layers;
    }
    return work;
}

Work conditioning(const RunPlan& plan, std::int64_t textTokens) {
    const double prompts = real(plan.latentShape[0]) * (plan.guided ? 2 : 1);
    Work work = encoding(plan);
    work[linearClass(plan.precision.textEncoder)] +=
        prompts * textEncodeFlops(plan.model.textEncoder, textTokens);
    work[WorkClass::Prompts] = prompts;
    work[WorkClass::TextWeights] = static_cast<double>(plan.model.textEncoderWeights.parameters);
    return work;
}

/// The steps of each expert, guided or not, on one device.
Work stepsOf(const RunPlan& plan, std::int64_t textTokens) {
    RunPlan stretchPlan = plan;
    Work work;
    for (const ExpertSteps& stretch : plan.experts) {
        stretchPlan.guided = plan.guidanceOf(stretch.expert) > 1;
        work += real(stretch.endStep - stretch.firstStep) * stepWork(stretchPlan, textTokens);
    }
    return real(plan.segments.count) * work;
}

/// The keys and values of the text, once for each segment, on one device.
Work textContext(const RunPlan& plan, std::int64_t textTokens) {
    Work work;
    const double prompts = real(plan.latentShape[0]) * (plan.guided ? 2 : 1);
    work[WorkClass::LinearF32] +=
        real(plan.segments.count) * prompts *
        (real(plan.model.experts()) * textContextFlops(plan.model.transformer, textTokens) +
         faceFlops(plan.model.transformer, plan.segments.frames));
    return work;
}

Work decoding(const RunPlan& plan) {
    Work work;
    const WorkClass products =
        plan.precision.vae == DType::BF16 ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32;
    const double videos = real(plan.latentShape[0]);
    const VaeWork vae = vaeDecodeWork(plan.model.vae, plan.videoLatentShape());
    work[products] = videos * vae.computedFlops;
    work[WorkClass::Features] = videos * vae.values;
    work[WorkClass::VaeLayers] = videos * vae.layers;
    return work;
}

}  // namespace

std::vector<std::int64_t> encodedFrames(const RunPlan& plan) {
    const std::int64_t frames = plan.project.numFrames;
    std::vector<std::int64_t> videos;
    switch (plan.task) {
        case WanTask::TextToVideo:
            break;
        case WanTask::ImageToVideo:
        case WanTask::FirstLastFrame:
            return {plan.model.tokenTimesteps() ? 1 : frames};
        case WanTask::VideoToVideo:
            return {frames};
        case WanTask::VaceEditing:  // what stays, what changes, and the references
            videos = {frames, frames};
            videos.resize(videos.size() + static_cast<std::size_t>(plan.referenceFrames), 1);
            break;
        case WanTask::Animation:
        case WanTask::Replacement:  // the character, what is given, the poses
            for (std::int64_t segment = 0; segment < plan.segments.count; ++segment)
                videos.insert(videos.end(), {1, plan.segments.frames, plan.segments.frames});
            break;
    }
    return videos;
}

std::string_view nameOf(RunStage stage) {
    return stageNames[static_cast<std::size_t>(stage)];
}

RunWork runWorkOf(const RunPlan& plan) {
    const std::int64_t textTokens = likelyTextTokens(plan.project);
    RunWork work{
        .steps = plan.steps(), .devices = plan.devicesPerRank(), .workersPerDevice = plan.workersPerDevice};
    work[RunStage::Preparing] = preparing(plan);
    work[RunStage::Conditioning] = conditioning(plan, textTokens);
    work[RunStage::Denoising] = real(work.devices) * stepsOf(plan, textTokens);
    work[RunStage::Denoising][WorkClass::Steps] = real(work.steps);
    work.aroundSteps = real(work.devices) * textContext(plan, textTokens);
    work.aroundSteps[WorkClass::Checkpoints] = real(work.steps);
    work[RunStage::Decoding] = decoding(plan);
    return work;
}

nlohmann::ordered_json runWorkJson(const RunWork& work) {
    nlohmann::ordered_json json{
        {"steps", work.steps}, {"devices", work.devices}, {"workers_per_device", work.workersPerDevice}};
    for (const RunStage stage : runStages)
        json[std::string(nameOf(stage))] = workJson(work[stage]);
    json["around_steps"] = workJson(work.aroundSteps);
    return json;
}

RunWork runWorkFrom(const nlohmann::json& json) {
    RunWork work{.steps = json.at("steps").get<int>(),
                 .devices = json.at("devices").get<int>(),
                 .workersPerDevice = json.at("workers_per_device").get<int>()};
    for (const RunStage stage : runStages)
        work[stage] = workFrom(json.at(std::string(nameOf(stage))));
    work.aroundSteps = workFrom(json.at("around_steps"));
    return work;
}

}  // namespace meshreel
