// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "engine/mesh/lone_device.h"
#include "engine/models/non_finite.h"
#include "engine/sampling/guidance.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr std::string_view nonFiniteHint =
    "Check the checkpoint, or try a lower guidance_scale or another scheduler; the steps before are kept";

void recordStatistics(StepRecord& record, std::span<const float> latents) {
    double sum = 0;
    for (const float value : latents)
        sum += value;
    // Finite f32 values cannot overflow a double sum, so a sum that is not finite has an element that is not.
    if (!std::isfinite(sum))
        throw Error(ErrorKind::Internal, "the scheduler made a NaN or infinity in the latents",
                    fmt::format("step {}", record.step + 1), std::string(nonFiniteHint));
    const auto [least, greatest] = std::ranges::minmax(latents);
    record.latentMin = least;
    record.latentMax = greatest;
    record.latentMean = sum / static_cast<double>(latents.size());
}

Tensor predictNoise(Device& device, const WanTransformer& transformer, const Tensor& latents,
                    const Tensor& timestep, const TextContext& text, int step) {
    try {
        return transformer.forward(device, latents, timestep, text);
    } catch (const NonFiniteError& failure) {
        throw Error(ErrorKind::Internal, failure.message(),
                    fmt::format("step {}, {}", step + 1, failure.where()), std::string(nonFiniteHint));
    }
}

}  // namespace

Tensor denoise(const Execution& execution, const WanTransformer& transformer, Scheduler& scheduler,
               const TextConditioning& text, const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep) {
    using Clock = std::chrono::steady_clock;
    LoneDevice lone(execution);
    const TextContext prompt = transformer.prepareText(lone.device(), text.prompt);
    std::optional<TextContext> negative;
    if (text.negative)
        negative = transformer.prepareText(lone.device(), *text.negative);
    for (int step = settings.firstStep; step < scheduler.steps(); ++step) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("step {}", step + 1), "step");
        const Clock::time_point start = Clock::now();
        const auto index = static_cast<std::size_t>(step);
        const double timestep = scheduler.timesteps()[index];
        const Tensor modelTimestep = Tensor::from(
            {latents.extent(0)},
            std::vector<float>(static_cast<std::size_t>(latents.extent(0)), static_cast<float>(timestep)));

        const Tensor cond = predictNoise(lone.device(), transformer, latents, modelTimestep, prompt, step);
        std::optional<Tensor> uncond;
        if (negative)
            uncond = predictNoise(lone.device(), transformer, latents, modelTimestep, *negative, step);
        const Tensor noise = uncond ? guide(cond, *uncond, settings.guidanceScale) : cond;
        latents = scheduler.step(noise, latents);

        StepRecord record{.step = step, .timestep = timestep, .sigma = scheduler.sigmas()[index]};
        recordStatistics(record, latents.data<float>());
        record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        onStep({record, static_cast<float>(timestep), cond, uncond ? &*uncond : nullptr, latents});
    }
    return latents;
}

}  // namespace meshreel
