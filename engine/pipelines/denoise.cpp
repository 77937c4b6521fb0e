// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "engine/mesh/shard_range.h"
#include "engine/models/batch_videos.h"
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

/// Values that `type` can hold, as f32.
Tensor rounded(const Tensor& values, DType type) {
    return values.to(type).toF32();
}

/// Rows of the batch (the videos, behind them their negative halves) that this device takes, each with its
/// way through the transformer. A device that takes both halves alone takes them one after the other, which
/// halves its memory; they differ by their text only.
std::vector<ShardRange> halvesOf(Device& device, std::int64_t videos, bool guided) {
    if (guided && device.batch().size() == 1)
        return {{0, videos}, {videos, 2 * videos}};
    return {ownVideos(device, guided ? 2 * videos : videos)};
}

/// Rows [begin, end) of `first` followed by `second`.
Tensor joinedRows(const Tensor& first, const Tensor& second, const ShardRange& rows) {
    const std::int64_t split = first.extent(0);
    if (rows.end <= split)
        return first.slice(rows.begin, rows.end);
    if (rows.begin >= split)
        return second.slice(rows.begin - split, rows.end - split);
    std::vector<std::int64_t> extents = first.shape().extents();
    extents.front() = rows.size();
    Tensor joined = Tensor::empty(Shape(std::move(extents)));
    const auto rest =
        std::ranges::copy(first.slice(rows.begin, split).data<float>(), joined.data<float>().begin());
    std::ranges::copy(second.slice(0, rows.end - split).data<float>(), rest.out);
    return joined;
}

/// The transformer's predictions for all videos, whoever computed them.
class Predictor {
  public:
    Predictor(Device& device, const WanTransformer& transformer, const TextConditioning& text,
              const Shape& latents)
        : m_device(device),
          m_transformer(transformer),
          m_videos(text.prompt.extent(0)),
          m_guided(text.negative),
          m_rotary(transformer.rotary(device, latents)) {
        const Tensor& negative = text.negative.value_or(text.prompt);
        for (const ShardRange& rows : halvesOf(device, m_videos, m_guided)) {
            m_contexts.push_back(
                transformer.prepare(device, {.text = joinedRows(text.prompt, negative, rows)}));
            m_rows = rows;
        }
    }

    /// f32 [rows, C, F, H, W]: the prompts' predictions, then the negatives'; the same on every device.
    [[nodiscard]] Tensor predict(const Tensor& latents, double timestep, int step) const;

  private:
    Device& m_device;
    const WanTransformer& m_transformer;
    std::int64_t m_videos;
    bool m_guided;
    RotaryTable m_rotary;
    ShardRange m_rows;                   // of the latents, of the last text; any other's are the same
    std::vector<WanContext> m_contexts;  // one, or of the two halves of guidance
};

Tensor Predictor::predict(const Tensor& latents, double timestep, int step) const {
    const Tensor ownLatents = joinedRows(latents, latents, m_rows);
    const Tensor times = Tensor::from(
        {m_rows.size()},
        std::vector<float>(static_cast<std::size_t>(m_rows.size()), static_cast<float>(timestep)));
    std::vector<const WanContext*> contexts;
    for (const WanContext& context : m_contexts)
        contexts.push_back(&context);
    std::vector<Tensor> halves;
    try {
        halves =
            m_transformer.forward(m_device, {.latents = ownLatents, .timesteps = times}, contexts, m_rotary);
    } catch (const NonFiniteError& failure) {
        throw Error(ErrorKind::Internal, failure.message(),
                    fmt::format("step {}, {}", step + 1, failure.where()), std::string(nonFiniteHint));
    }
    const Tensor own = halves.size() == 1 ? halves.front()
                                          : joinedRows(halves.front(), halves.back(), {0, 2 * m_rows.size()});
    return gatherVideos(m_device, own, m_guided ? 2 * m_videos : m_videos);
}

}  // namespace

Tensor denoise(Device& device, const WanTransformer& transformer, Scheduler& scheduler,
               const TextConditioning& text, const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep) {
    using Clock = std::chrono::steady_clock;
    const Execution& execution = device.execution();
    const Predictor predictor(device, transformer, text, latents.shape());
    const std::int64_t videos = latents.extent(0);
    for (int step = settings.firstStep; step < settings.endStep.value_or(scheduler.steps()); ++step) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("step {}", step + 1), "step");
        const Clock::time_point start = Clock::now();
        const auto index = static_cast<std::size_t>(step);
        const double timestep = scheduler.timesteps()[index];

        const Tensor predictions = predictor.predict(latents, timestep, step);
        const Tensor cond = predictions.slice(0, videos);
        std::optional<Tensor> uncond;
        if (text.negative)
            uncond = predictions.slice(videos, 2 * videos);
        const Tensor noise = uncond ? guide(cond, *uncond, settings.guidanceScale) : cond;
        latents =
            rounded(scheduler.step(rounded(noise, settings.schedulerType), latents), settings.schedulerType);

        StepRecord record{.step = step,
                          .timestep = timestep,
                          .sigma = scheduler.sigmas()[index],
                          .expert = settings.expert};
        recordStatistics(record, latents.data<float>());
        record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (device.isFirst())
            onStep({record, static_cast<float>(timestep), cond, uncond ? &*uncond : nullptr, latents});
    }
    return latents;
}

}  // namespace meshreel
