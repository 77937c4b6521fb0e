// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/planning/run_plan.h"

namespace meshreel {
namespace {

std::string tera(double operations) {
    constexpr double teraOperations = 1e12;
    return fmt::format("{:.3g} TFLOP", operations / teraOperations);
}

std::string line(std::string_view label, const std::string& fact) {
    constexpr int labelWidth = 14;
    return fmt::format("{:<{}}{}\n", fmt::format("{}:", label), labelWidth, fact);
}

}  // namespace

std::string describePlan(const RunPlan& plan) {
    const Project& project = plan.project;
    const WanTransformerConfig& transformer = plan.model.transformer;
    const PartWeights& weights = plan.model.transformerWeights;
    std::string text;
    text += line("Model", fmt::format("{} ({})", project.model, withTilde(plan.modelFolder)));
    text +=
        line("Transformer", fmt::format("{} layers, {} heads x {}, feed-forward {}, {:.3g} M parameters",
                                        transformer.layers, transformer.heads, transformer.headDim,
                                        transformer.ffnDim, static_cast<double>(weights.parameters) / 1e6));
    text += line("Video", fmt::format("{}x{}, {} frames at {} fps, {}", project.width, project.height,
                                      project.numFrames, project.fps, project.videoFormat));
    text += line("Latents", fmt::format("{}, {} tokens", plan.latentShape.text(), plan.tokens));
    text += line("Sampling",
                 fmt::format("{}, {} steps, flow shift {}, guidance {}{}", plan.model.scheduler.className,
                             project.numInferenceSteps, plan.model.scheduler.flowShift, project.guidanceScale,
                             plan.guided ? "" : " (off)"));
    text += line("Noise", fmt::format("{}, seed {}", project.noise, project.seed));
    text += line(
        "Attention",
        fmt::format("{} (self: {}, cross: {}), blocks q {}, kv {}, kv compute {}", plan.attention.mode->name,
                    effectiveKernelName(plan.attention, plan.tokens, plan.tokens),
                    effectiveKernelName(plan.attention, plan.tokens, project.maxSequenceLength),
                    plan.attention.blocks.blockQ, plan.attention.blocks.blockKv,
                    plan.attention.blocks.blockKvCompute));
    text += line("Mesh", fmt::format("{}; {} workers", plan.layout.shape().text(), plan.workersPerDevice));
    text +=
        line("Memory", fmt::format("{} at most (conditioning {}, denoising {}, decoding {}); {} available",
                                   formatBytes(plan.memory.peak()), formatBytes(plan.memory.conditioning),
                                   formatBytes(plan.memory.denoising), formatBytes(plan.memory.decoding),
                                   formatBytes(plan.memory.available)));
    text +=
        line("Work", fmt::format("{} a step, {} in all", tera(plan.flops.step), tera(plan.flops.denoising)));
    text += line("Disk", fmt::format("up to {}{}", formatBytes(plan.disk.runFolder),
                                     plan.disk.available == 0
                                         ? std::string()
                                         : fmt::format("; {} free", formatBytes(plan.disk.available))));
    for (const std::string& warning : plan.warnings)
        text += line("Warning", warning);
    return text;
}

}  // namespace meshreel
