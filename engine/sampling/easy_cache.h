// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// When EasyCache takes a step's predictions over (arXiv 2507.02860, as ComfyUI computes it).
struct EasyCacheSettings {
    double threshold = 0.2;  ///< what the prediction may change in sum over the steps taken over, of its size
    double start = 0.15;     ///< part of the flow's time, from its beginning, in which all steps are computed
    double end = 0.95;       ///< part after which they are computed again
};

/// Returns the steps that EasyCache may take over: those between start and end, but the first two of each
/// expert, which it learns from. Needs the loop's noise levels.
CacheSchedule easyCacheSchedule(const CachedLoop& loop, const EasyCacheSettings& settings);

/// Returns whether the step's noise level is between start and end, so that EasyCache learns from it.
bool isInEasyCache(const CachedLoop& loop, const EasyCacheSettings& settings, int step);

/// EasyCache's estimate of how far the prediction has moved: the latents' change since the last step that was
/// computed, times how much the prediction changed with the latents before.
class EasyCacheScore {
  public:
    /// Adds a step that may be taken over. True: the sum stays below `threshold`. Otherwise it begins anew.
    [[nodiscard]] bool admits(const Tensor& latents, double threshold);

    /// Learns from a step that was computed: its latents and the prompts' prediction, [videos, C, F, H, W].
    void learn(const Tensor& latents, const Tensor& prediction);

    /// Returns what was compared with the threshold last; nothing when nothing was.
    [[nodiscard]] std::optional<double> compared() const { return m_compared; }
    /// Returns how much the prediction changes with the latents, once two steps are known.
    [[nodiscard]] std::optional<double> rate() const { return m_rate; }

    /// Everything that later steps depend on; empty before the first step.
    [[nodiscard]] SchedulerState state() const;
    /// Continues after the steps that left this state. Throws Error{Internal} for one that lacks a part.
    void restore(const SchedulerState& state);

  private:
    std::optional<Tensor> m_latents;  // every 8th pixel of the last computed step's
    Tensor m_prediction;              // likewise
    double m_norm = 0;                // mean magnitude of that prediction, whole
    double m_change = 0;              // of the latents of the step that is being decided
    double m_sum = 0;
    std::optional<double> m_rate;
    std::optional<double> m_compared;
};

}  // namespace meshreel
