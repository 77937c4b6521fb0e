// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/predictor.h"
#include "engine/pipelines/step_predictor.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/sparse_counts.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Classifier-free guidance is on above a scale of 1, as in diffusers' WanPipeline.
inline bool usesGuidance(double guidanceScale) {
    return guidanceScale > 1.0;
}

/// What one step came to.
struct DenoiseStep {
    StepRecord record;
    const StepPrediction& prediction;
    const Tensor& latents;                   ///< after the step, f32
    std::function<WanInputs()> modelInputs;  ///< the transformer's inputs, for all videos
    const StepPredictor& cache;              ///< after the step
    std::vector<DeviceTime> devices;         ///< how all devices of the mesh spent the step
    std::optional<FixedMCounts> fixedM;      ///< for the step, if attention has fixed m
    std::optional<SparseCounts> sparse;      ///< for the step, if some step leaves blocks out
};

inline const StepCachePlan noStepCache{};
inline const SchedulerState noState{};

struct DenoiseSettings {
    double guidanceScale = 1;  ///< where `passes` do not say more
    /// Of each video, where the text has a negative prompt; empty: the prompt's and the negative prompt's.
    GuidedPasses passes = {};
    int expert = 1;                    ///< for the records
    int firstStep = 0;                 ///< the scheduler's step index: above 0 when resumed
    std::optional<int> endStep = {};   ///< the first step that is left to others; absent: none is
    bool fixedM = false;               ///< attention has fixed m: count what runs on the bound
    bool sparse = false;               ///< some step's attention leaves blocks out: count them
    DType schedulerType = DType::F32;  ///< that guided predictions and latents are rounded to: f32 or bf16
    DrivingOptions driving = {};       ///< how passes see a driving video, where there is one
    const std::optional<ContextWindows>& windows = noWindows;
    const StepCachePlan& cache = noStepCache;
    const SchedulerState& cacheState = noState;  ///< StepPredictor::state() after the step before firstStep
};

/// Steps firstStep … endStep-1 of the flow-matching loop on `latents` [videos, C, F, H, W] f32:
///   noise = uncond + scale·(cond − uncond); latents = scheduler.step(noise, latents), of subjects and
///   sources with further passes, as guide() says; both rounded to settings.schedulerType; a step cache takes
///   parts of cond and uncond over from earlier steps. Of a clip that goes on from another the first frames
///   are withBegun() and the noise is followingBegun(). The transformer is given modelLatents() of them.
///   Every device of the mesh calls it with the same latents, conditioning and scheduler (its own object,
///   with its timesteps set and its state restored) and gets the same latents back: prompts and negatives are
///   divided over data × fsdp, predictions gathered, and each device walks its own scheduler. What depends on
///   the text alone is computed once, before the first step. `onStep` is called after each step on the first
///   device only. Throws Error{Internal} naming step and block at the first NaN or infinity, Error{Cancelled}
///   when stopped.
Tensor denoise(Device& device, const WanTransformer& transformer, Scheduler& scheduler,
               const TextConditioning& text, const VisualConditioning& visual,
               const DenoiseSettings& settings, Tensor latents,
               const std::function<void(const DenoiseStep&)>& onStep);

}  // namespace meshreel
