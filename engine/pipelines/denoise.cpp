// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "engine/attention/fixed_m_log.h"
#include "engine/attention/sparse_log.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/execution.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/transport.h"
#include "engine/tensor/compute_device.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

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

/// Values that `type` can hold, as f32.
Tensor rounded(const Tensor& values, DType type) {
    return values.to(type).toF32();
}

/// The prompt's pass alone where the text has no negative prompt.
GuidedPasses passesOfVideo(const TextConditioning& text, const VisualConditioning& visual,
                           const DenoiseSettings& settings) {
    const std::size_t groups = visual.groups.size();
    GuidedPasses passes = settings.passes;
    if (passes.empty())
        passes = {{.groups = groups, .scale = settings.guidanceScale},
                  {.hearsPrompt = false, .groups = groups}};
    if (!text.negative)
        passes.resize(1);
    return passes;
}

/// What a device has counted by now.
struct DeviceCounters {
    TransferCounters transfers;
    std::optional<double> gpuSeconds;

    static DeviceCounters of(const Device& device) {
        const ComputeDevice* const gpu = device.execution().gpu;
        return {.transfers = device.counters(), .gpuSeconds = gpu == nullptr ? std::nullopt : gpu->seconds()};
    }
};

/// How the device spent `seconds`, at whose beginning it had counted `before`.
DeviceTime timeSince(const DeviceCounters& before, double seconds, const Device& device) {
    const DeviceCounters now = DeviceCounters::of(device);
    const double waited = now.transfers.waitSeconds - before.transfers.waitSeconds;
    const double copied = now.transfers.copySeconds - before.transfers.copySeconds;
    return {.computing = std::max(0.0, seconds - waited),
            .exchanging = copied,
            .waiting = std::max(0.0, waited - copied),
            .bytesReceived = now.transfers.bytesReceived - before.transfers.bytesReceived,
            .gpu = now.gpuSeconds ? std::optional(*now.gpuSeconds - *before.gpuSeconds) : std::nullopt};
}

/// Everybody's, in the order of devices.
std::vector<DeviceTime> gathered(Device& device, const DeviceTime& own) {
    std::vector<DeviceTime> all(static_cast<std::size_t>(device.everyone().size()));
    std::vector<Block> parts;
    for (DeviceTime& part : all)
        parts.push_back(toBlock(std::span(&part, 1)));
    device.everyone().allGather(toBlock(std::span(&own, 1)), parts);
    return all;
}

}  // namespace

Tensor denoise(Device& device, const WanTransformer& transformer, Scheduler& scheduler,
               const TextConditioning& text, const VisualConditioning& visual,
               const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep) {
    using Clock = std::chrono::steady_clock;
    const Execution& execution = device.execution();
    const Predictor predictor(device, transformer, text, visual, latents.shape(),
                              {.passes = passesOfVideo(text, visual, settings),
                               .promptsAlone = asksPromptsAlone(settings.cache),
                               .driving = settings.driving},
                              settings.windows);
    const auto steps = makeStepPredictor(predictor, settings.cache, scheduler.timesteps());
    steps->restore(settings.cacheState);
    // From a warm-up.
    static_cast<void>(transformer.fixedM().take(device.index()));
    static_cast<void>(transformer.sparse().take(device.index()));
    for (int step = settings.firstStep; step < settings.endStep.value_or(scheduler.steps()); ++step) {
        throwIfStopped(execution.stop);
        device.everyone().barrier();  // the first device may still be reporting the previous step
        auto span = traceSpan(execution.trace, fmt::format("step {}", step + 1), "step");
        const Clock::time_point start = Clock::now();
        const DeviceCounters countedBefore = DeviceCounters::of(device);
        const auto index = static_cast<std::size_t>(step);
        const double timestep = scheduler.timesteps()[index];

        const Tensor before = withBegun(visual, latents, scheduler, step);
        const StepPrediction predicted =
            steps->predict({.index = step, .timestep = timestep, .latents = before});
        const Tensor guided = followingBegun(visual, predicted.guided, before, scheduler, step);
        latents =
            rounded(scheduler.step(rounded(guided, settings.schedulerType), before), settings.schedulerType);

        StepRecord record{.step = step,
                          .timestep = timestep,
                          .sigma = scheduler.sigmas()[index],
                          .expert = settings.expert,
                          .work = predicted.work};
        recordStatistics(record, latents.data<float>());
        device.everyone().barrier();  // a step lasts until all devices are through
        record.seconds = secondsSince(start);
        const DeviceTime own = timeSince(countedBefore, record.seconds, device);
        if (own.gpu)
            span.tell("gpu_seconds", *own.gpu);
        std::vector<DeviceTime> devices = gathered(device, own);
        std::optional<FixedMCounts> fixedM;
        if (settings.fixedM)
            fixedM = countOnMesh(device, transformer.fixedM().take(device.index()));
        std::optional<SparseCounts> sparse;
        if (settings.sparse)
            sparse = countOnMesh(device, transformer.sparse().take(device.index()));
        if (device.isFirst())
            onStep({.record = record,
                    .prediction = predicted,
                    .latents = latents,
                    .modelInputs = [&] { return predictor.inputsAt(before, timestep); },
                    .cache = *steps,
                    .devices = std::move(devices),
                    .fixedM = fixedM,
                    .sparse = sparse});
    }
    return latents;
}

}  // namespace meshreel
