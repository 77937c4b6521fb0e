// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// Ways of taking parts of a step's prediction over from earlier steps; a run uses one at most.
enum class StepCacheKind : std::uint8_t { None, Cfg, Sen, Mag, Tea, FirstBlock, Easy };

struct StepCacheRow {
    StepCacheKind kind;
    std::string_view key;  ///< project key that switches it on
    std::string_view name;
    bool needsGuidance;        ///< made for steps with a negative half
    bool needsTwoExperts;      ///< made for Wan 2.2's pairs of transformers
    Sentence why;              ///< reason for needsGuidance
    bool keepsBlocks = false;  ///< what blocks add to the tokens of a pass; else predictions of whole steps
};

/// Returns the rows of all kinds but None.
std::span<const StepCacheRow> stepCaches();
/// Returns the row of any kind but None.
const StepCacheRow& rowOf(StepCacheKind kind);

/// A denoising loop as the schedules of step caches see it.
struct CachedLoop {
    int steps = 0;
    int experts = 1;
    int highSteps = 0;               ///< steps of the first of two experts; they precede the others
    bool tall = false;               ///< for a video of 720 rows or more
    std::vector<float> sigmas = {};  ///< noise level of each step
    double flowShift = 1;            ///< that they were made with

    /// Returns the first step of the second of two experts; `steps` when it has none.
    [[nodiscard]] int boundary() const { return experts == 2 ? highSteps : steps; }
};

/// What each step computes at least: for a cache that looks at the latents first, what it comes down to when
/// nothing has changed much. All that is taken over comes from the steps of the same expert.
using CacheSchedule = std::vector<StepWork>;

/// Returns the schedule that approximates the negative half in four of five steps of the middle of the loop,
/// as MaxDiffusion schedules FasterCache's variant; with two experts only in the second's steps.
CacheSchedule cfgCacheSchedule(const CachedLoop& loop);

/// How far below and above its limit frequency the difference of the halves is weighed.
struct CfgCacheWeights {
    double low = 1;
    double high = 1;
};
CfgCacheWeights cfgCacheWeights(const CachedLoop& loop, int step);

/// Steps between the first 30 % and the last 10 % may take the whole prediction over.
CacheSchedule senCacheSchedule(const CachedLoop& loop);

/// Returns the schedule in which the first step of each expert is computed in full, and every other one may
/// end after the first block.
CacheSchedule firstBlockSchedule(const CachedLoop& loop);

/// When MagCache leaves the blocks out (MaxDiffusion's rules).
struct MagCacheSettings {
    std::vector<double> ratios;  ///< a curve: of each step the prompt's ratio, then the negative prompt's
    double threshold = 0;        ///< the sum of |1 - product of ratios| of the steps left out stays below it
    int mostInARow = 2;
    double retention = 0.2;  ///< part of each expert's steps, at their beginning, that is computed in full
};

/// Resamples a curve for another number of steps to [2 · steps]: of each half the nearest, ties to even.
std::vector<double> resampledRatios(std::span<const double> ratios, int steps);

/// Left out are a step's blocks: what they added the last time is added again. Depends on nothing but the
/// curve, so that a plan knows it. `ratios` has 2 · loop.steps or is resampled to that.
CacheSchedule magCacheSchedule(const CachedLoop& loop, const MagCacheSettings& settings);

/// What TeaCache goes by on one released model.
struct TeaCacheRow {
    std::string_view family;      ///< see ModelFamily
    std::int64_t layers;          ///< layers of the transformer that it was fitted to
    std::int64_t fromHeight;      ///< height of the videos, in pixels
    std::array<double, 5> curve;  ///< see TeaCacheSettings
    double threshold;
};

/// Null when nothing is published.
const TeaCacheRow* publishedTeaCache(std::string_view family, std::int64_t layers, std::int64_t height);

/// When TeaCache leaves the blocks out (arXiv 2411.19108).
struct TeaCacheSettings {
    std::vector<double> curve;  ///< polynomial, highest power first: of the change of what the model makes of
                                ///< the time, how much its prediction changes
    double threshold = 0;       ///< the sum over the steps left out stays below it
};

/// Returns the steps that TeaCache may shorten: all but the first ones of each expert.
CacheSchedule teaCacheCandidates(const CachedLoop& loop);

/// Returns how much each of the time embeddings f32 [steps, width] differs from the one before: Σ|now -
/// before| / Σ|before|, 0 for the first.
std::vector<double> relativeChanges(const Tensor& embeddings);

/// Returns the schedule by the relativeChanges() of every step of the loop.
CacheSchedule teaCacheSchedule(const CachedLoop& loop, std::span<const double> changes,
                               const TeaCacheSettings& settings);

/// SenCache's score (arXiv 2602.24208, as MaxDiffusion computes it): the distances of latents and time to the
/// step that was last computed, summed up over the steps since. MaxDiffusion sums distances to that step, not
/// increments, which uses the threshold up faster than the paper does.
class SenScore {
  public:
    /// A step computed in full, with the latents before its update; the sums begin anew.
    void begin(Tensor latents, double timestep);

    /// Adds a step that may be taken over. True: it stays within `threshold` and is the `mostInARow`th at
    /// most.
    [[nodiscard]] bool admits(const Tensor& latents, double timestep, double threshold, int mostInARow);

    [[nodiscard]] bool begun() const { return m_begun; }

    /// Everything that later steps depend on, f64 [4], beside the latents.
    [[nodiscard]] Tensor sums() const;
    [[nodiscard]] const Tensor& latents() const { return m_latents; }
    void restore(Tensor latents, const Tensor& sums);

  private:
    Tensor m_latents;
    double m_time = 0;
    double m_latentDistance = 0;
    double m_timeDistance = 0;
    int m_inARow = 0;
    bool m_begun = false;
};

/// Returns the negative half that FasterCache makes up: cond + the difference of the halves when both were
/// last known, its spatial frequencies weighed. All f32 [videos, C, F, H, W]; low are the frequencies below a
/// quarter of the range along both axes.
Tensor madeUpUncond(const Tensor& cond, const Tensor& lastCond, const Tensor& lastUncond,
                    const CfgCacheWeights& weights);

}  // namespace meshreel
