// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/mesh/shard_range.h"
#include "engine/models/batch_videos.h"
#include "engine/models/non_finite.h"
#include "engine/planning/video_shape.h"
#include "engine/sampling/guidance.h"
#include "engine/tensor/joined.h"
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
              const VisualConditioning& visual, const Shape& latents)
        : m_device(device),
          m_transformer(transformer),
          m_visual(visual),
          m_videos(text.prompt.extent(0)),
          m_guided(text.negative),
          m_tokens(tokensOf(latents, transformer.config())),
          m_rotary(transformer.rotary(
              device, {latents[0], transformer.config().inChannels, latents[2], latents[3], latents[4]})) {
        const Tensor& negative = text.negative.value_or(text.prompt);
        for (const ShardRange& rows : halvesOf(device, m_videos, m_guided)) {
            m_contexts.push_back(transformer.prepare(
                device, {.text = joinedRows(text.prompt, negative, rows), .image = imagesFor(rows.size())}));
            m_rows = rows;
        }
    }

    /// What the transformer is given of this device's videos.
    [[nodiscard]] WanInputs inputsAt(const Tensor& latents, double timestep) const;

    /// f32 [rows, C, F, H, W]: the prompts' predictions, then the negatives'; the same on every device.
    [[nodiscard]] Tensor predict(const WanInputs& inputs, int step) const;

  private:
    [[nodiscard]] std::optional<Tensor> imagesFor(std::int64_t rows) const;

    Device& m_device;
    const WanTransformer& m_transformer;
    const VisualConditioning& m_visual;
    std::int64_t m_videos;
    bool m_guided;
    std::int64_t m_tokens;
    RotaryTable m_rotary;
    ShardRange m_rows;                   // of the latents, of the last text; any other's are the same
    std::vector<WanContext> m_contexts;  // one, or of the two halves of guidance
};

std::optional<Tensor> Predictor::imagesFor(std::int64_t rows) const {
    if (!m_visual.imageTokens)
        return std::nullopt;
    const Tensor& tokens = *m_visual.imageTokens;
    const Tensor together = tokens.reshaped({1, tokens.extent(0), tokens.extent(1), tokens.extent(2)});
    return repeated(together, rows).reshaped({rows * tokens.extent(0), tokens.extent(1), tokens.extent(2)});
}

WanInputs Predictor::inputsAt(const Tensor& latents, double timestep) const {
    const auto time = static_cast<float>(timestep);
    const std::int64_t rows = m_rows.size();
    std::optional<Tensor> control;
    if (m_visual.control)
        control = repeated(*m_visual.control, rows);
    return {.latents = modelLatents(m_visual, joinedRows(latents, latents, m_rows)),
            .timesteps = m_visual.firstFrame
                             ? tokenTimesteps(rows, latents.extent(2), m_tokens, time)
                             : Tensor::from({rows}, std::vector<float>(static_cast<std::size_t>(rows), time)),
            .control = std::move(control),
            .controlScales = m_visual.controlScales};
}

Tensor Predictor::predict(const WanInputs& inputs, int step) const {
    std::vector<const WanContext*> contexts;
    for (const WanContext& context : m_contexts)
        contexts.push_back(&context);
    std::vector<Tensor> halves;
    try {
        halves = m_transformer.forward(m_device, inputs, contexts, m_rotary);
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
               const TextConditioning& text, const VisualConditioning& visual,
               const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep) {
    using Clock = std::chrono::steady_clock;
    const Execution& execution = device.execution();
    const Predictor predictor(device, transformer, text, visual, latents.shape());
    const std::int64_t videos = latents.extent(0);
    for (int step = settings.firstStep; step < settings.endStep.value_or(scheduler.steps()); ++step) {
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("step {}", step + 1), "step");
        const Clock::time_point start = Clock::now();
        const auto index = static_cast<std::size_t>(step);
        const double timestep = scheduler.timesteps()[index];

        const WanInputs inputs = predictor.inputsAt(latents, timestep);
        const Tensor predictions = predictor.predict(inputs, step);
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
            onStep({record, cond, uncond ? &*uncond : nullptr, latents, inputs.latents, inputs.timesteps});
    }
    return latents;
}

}  // namespace meshreel
