// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/model_parts.h"

#include <chrono>
#include <string>

#include "engine/mesh/lone_device.h"
#include "engine/models/non_finite.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr std::ptrdiff_t pageBytes = 4096;

// Square side of the warm-up's latents: a multiple of every Wan patch size.
constexpr std::int64_t warmUpSide = 4;

/// What it computes is not looked at: a NaN of damaged weights comes again in step 1 and is told as such.
void warmUpTransformer(const Execution& execution, const WanTransformer& transformer, const Tensor& latents,
                       std::int64_t textWidth) {
    LoneDevice lone(execution);
    try {
        static_cast<void>(transformer.forward(lone.device(), latents, Tensor::zeros({1}),
                                              Tensor::zeros({1, 1, textWidth})));
    } catch (const NonFiniteError&) {
        return;
    }
}

/// Asks every page of the map, so that the disk's time is spent here and not in the first use.
void readThrough(const Execution& execution, const Checkpoint& checkpoint) {
    for (const std::string& name : checkpoint.names()) {
        throwIfStopped(execution.stop);
        const Tensor tensor = checkpoint.get(name);
        const auto bytes = static_cast<std::ptrdiff_t>(tensor.bytes());
        const volatile std::byte* data = tensor.raw();
        for (std::ptrdiff_t offset = 0; offset < bytes; offset += pageBytes)
            static_cast<void>(data[offset]);
    }
}

Checkpoint openPart(const Execution& execution, const RunPlan& plan, const std::string& folder) {
    const auto span = traceSpan(execution.trace, "read " + folder);
    Checkpoint checkpoint = Checkpoint::open(plan.modelFolder / folder);
    readThrough(execution, checkpoint);
    return checkpoint;
}

}  // namespace

ModelFiles openModelFiles(const Execution& execution, const RunPlan& plan, ModelScope scope) {
    ModelFiles files;
    if (scope == ModelScope::Everything) {
        files.tokenizer = Tokenizer::open(plan.modelFolder / "tokenizer");
        files.textEncoder = openPart(execution, plan, "text_encoder");
        files.transformer = openPart(execution, plan, "transformer");
    }
    files.vae = openPart(execution, plan, "vae");
    return files;
}

ModelParts packModel(const Execution& execution, const RunPlan& plan, const ModelFiles& files) {
    ModelParts parts;
    if (files.textEncoder) {
        const auto span = traceSpan(execution.trace, "pack text_encoder");
        parts.textEncoder = std::make_unique<Umt5Encoder>(plan.model.textEncoder, *files.textEncoder);
        throwIfStopped(execution.stop);
    }
    if (files.transformer) {
        const auto span = traceSpan(execution.trace, "pack transformer");
        parts.transformer =
            std::make_unique<WanTransformer>(plan.model.transformer, *files.transformer, plan.attention);
        throwIfStopped(execution.stop);
    }
    const auto span = traceSpan(execution.trace, "pack vae");
    parts.vae = std::make_unique<WanVae>(plan.model.vae, *files.vae);
    return parts;
}

double warmUp(const Execution& execution, const RunPlan& plan, const ModelParts& parts) {
    using Clock = std::chrono::steady_clock;
    const auto span = traceSpan(execution.trace, "warm-up");
    const std::int64_t channels = plan.latentShape[1];
    const Tensor latents = Tensor::zeros({1, channels, 1, warmUpSide, warmUpSide});
    if (parts.transformer && parts.textEncoder)
        warmUpTransformer(execution, *parts.transformer, latents, plan.model.textEncoder.dModel);

    const Clock::time_point start = Clock::now();
    static_cast<void>(parts.vae->decode(execution, latents));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    // One latent frame decodes to one frame when it is the first, so frames are what the cost goes with.
    const auto positions =
        static_cast<double>(plan.project.numFrames * plan.latentShape[3] * plan.latentShape[4]);
    return seconds * positions / static_cast<double>(warmUpSide * warmUpSide);
}

}  // namespace meshreel
