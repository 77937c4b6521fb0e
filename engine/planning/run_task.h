// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/estimates/disk_estimate.h"
#include "engine/estimates/flop_estimate.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/model_family.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/project/project.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/prompt_relay.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// What each part of a run computes in, decided once from the project's keys. Types are f32 or bf16.
struct RunPrecision {
    WanPrecision transformer;
    DType textEncoder = DType::F32;  ///< what the linear layers of both encoders multiply
    DType vae = DType::F32;
    DType vaeWeights = DType::F32;
    DType scheduler = DType::F32;

    [[nodiscard]] Arithmetic encoderProducts() const {
        return textEncoder == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32;
    }
};

/// Returns the precision of a project without problems.
RunPrecision readPrecision(const Project& project);

/// "float32" or "bfloat16": as the keys spell it.
std::string_view toKeyValue(DType type);

enum class ClipCount : std::uint8_t;

/// "float32", "bfloat16" or "int8".
std::string_view toKeyValue(Arithmetic weights);

/// What a run computes on which mesh: decided before its parts get their places, and the same wherever they
/// are.
struct RunTask {
    Project project;
    std::filesystem::path modelFolder;  ///< empty of a model that was given: see PlanOptions
    ModelFacts model;  ///< configs read from the checkpoint; the scheduler's with the project's choice and
                       ///< flow shift
    PlannedAdapters adapters;     ///< for the transformers
    bool presetAdapters = false;  ///< the preset asked for them, and they were found in the models folders
    MeshLayout layout;
    int ranks = 1;                         ///< processes, which divide the devices in order
    int workersPerDevice = 1;              ///< compute threads
    std::chrono::seconds stallTimeout{0};  ///< waiting longer for another device counts as a hang
    AttentionSettings attention;           ///< what the project asks for
    AttentionPlans attentions;             ///< what runs
    RunPrecision precision;
    WanTask task = WanTask::TextToVideo;
    KeyframePlan keyframes;  ///< which pictures stand where; none without keyframes
    Shape latentShape;  ///< [batch, channels, latent frames, latent height, latent width] of what is sampled
                        ///< at a time: frames of references, followed by the video's or a segment's
    std::int64_t referenceFrames = 0;        ///< that are denoised with the video's and dropped at the end
    std::vector<GroupShape> groups;          ///< of tokens beside those of latentShape
    std::vector<PictureSize> pictures = {};  ///< that reference_images are encoded in, where they keep shapes
                                             ///< of their own
    VideoSegments segments;
    std::int64_t continuedFrames = 0;  ///< the video's first ones, which are the last of the clip before
    bool chainsClips = false;          ///< by adapters of Stable Video Infinity: see clip_chain.h
    std::optional<ContextWindows> windows = {};  ///< that the steps see it through; else it is seen whole
    /// How passes come by the keys of a driving video; nothing for tasks without one.
    std::optional<DrivingKeysUse> drivingKeys = {};
    std::vector<double> sigmas = {};        ///< the run's own noise levels; empty: the scheduler spaces them
    std::int64_t tokens = 0;                ///< in the transformer's sequence: of one window, and of groups
    bool guided = true;                     ///< in some step guidance makes two transformer passes
    GuidedPasses passes = GuidedPasses(1);  ///< of the step that makes most of them; see passesFor()
    AttentionGuidance attentionGuidance;    ///< of the prompts' passes
    std::vector<SpokenPrompt> prompts;      ///< what each video is told, and when
    std::vector<ExpertSteps> experts;       ///< who computes which steps of the denoising loop
    StepCachePlan stepCache;                ///< which of them are shortened
    std::uint64_t hostMemory = 0;           ///< bytes that the system can give to a process

    /// Images or videos are encoded, for which the VAE's encoder is held.
    [[nodiscard]] bool encodesVideo() const { return task != WanTask::TextToVideo || continuedFrames > 0; }
    /// Returns whether the video begins with pictures of the clip before in place of `image`.
    [[nodiscard]] bool beginsWithClip() const;
    /// Returns whether latents of the clip before stand first in every step.
    [[nodiscard]] bool holdsClip() const;
    /// Returns how many frames of the clip before are read; 0: there is none.
    [[nodiscard]] std::int64_t takenFrames() const;
    /// Returns who says so.
    [[nodiscard]] ClipCount clipCount() const;
    [[nodiscard]] int devicesPerRank() const { return layout.devices() / ranks; }
    /// Steps of the denoising loop.
    [[nodiscard]] int loopSteps() const { return experts.empty() ? 0 : experts.back().endStep; }
    /// Returns the steps of the loops of all segments.
    [[nodiscard]] int steps() const { return segments.count * loopSteps(); }
    [[nodiscard]] double guidanceFor(int expert) const;
    /// Returns the passes that a step of this expert makes of a video.
    [[nodiscard]] GuidedPasses passesFor(int expert) const;
    /// Returns the tokens of a pass.
    [[nodiscard]] std::int64_t tokensOf(const GuidedPass& pass) const;
    /// Returns whether a video's prompt and negative prompt are given the same but for their text.
    [[nodiscard]] bool sharesPasses() const;
    /// Returns the latent frames that the transformer sees at a time.
    [[nodiscard]] std::int64_t passFrames() const;
    /// Returns the part of the video in which points move: from the last frame on that it begins with.
    [[nodiscard]] VideoGeometry movingPart() const;
    /// Returns the points of a track that lead to the video's end; 0 for a task without tracks.
    [[nodiscard]] std::int64_t trackPoints() const;
    /// Returns the frames that a seed's noise has behind those of latentShape: Phantom's program draws noise
    /// for its subjects, too, and makes nothing of it.
    [[nodiscard]] std::int64_t noiseFramesBehind() const;
    /// Returns the windows of a step of the loop; 1 where there are none.
    [[nodiscard]] int windowsIn(int step) const;
    /// Returns whether the transformer sees the negative prompt.
    [[nodiscard]] bool readsNegativePrompt() const { return guided || attentionGuidance.acts(); }
    /// Returns whether parts of a prompt hold for some of the time.
    [[nodiscard]] bool isTimed() const;
    /// Returns the texts of the video that has most of them: those that context windows share out, or one.
    [[nodiscard]] std::int64_t textsOfPrompt() const;
    /// Returns when each of the frames of latentShape is, among all latent frames of the video.
    [[nodiscard]] std::vector<LatentTime> frameTimes(int segment) const;
    /// Returns the latent frames of the video, without references, however it is cut into segments.
    [[nodiscard]] std::int64_t videoLatentFrames() const;
    /// Returns how passes are to see a driving video; of tasks without one it means nothing.
    [[nodiscard]] DrivingOptions drivingOptions() const;
    /// Returns the passes of a guided step for each video, or of a step without guidance when no step has it.
    [[nodiscard]] int rowsOfVideo() const { return static_cast<int>(passes.size()); }
    /// Returns the latent frames that are kept of a segment: without references; of a clip after a sound with
    /// those that stand before them when it is decoded.
    [[nodiscard]] std::int64_t keptFrames() const;
    /// Returns how many of the frames that a segment decodes to are no new ones of the video: they are in the
    /// segment before, or are not shown.
    [[nodiscard]] std::int64_t oldFrames(int segment) const;
    /// Returns which frame of the video a segment's first new one is.
    [[nodiscard]] std::int64_t firstNewFrame(int segment) const;
    /// Returns keptFrames() of all segments one after the other.
    [[nodiscard]] Shape videoLatentShape() const;
    [[nodiscard]] VideoGeometry geometry() const;
    /// Returns the geometry of what is sampled at a time.
    [[nodiscard]] VideoGeometry segmentGeometry() const;
    /// Returns the run's scheduler before its first step.
    [[nodiscard]] std::unique_ptr<Scheduler> makeScheduler() const;
};

/// Returns the task of another project that names the same model, steps, mesh and attention: what follows
/// from its number types, its size and its length is decided again. Throws Error{Project} for a video that
/// the model cannot make.
RunTask withProject(const RunTask& task, const Project& project);

/// Returns the same work on another mesh.
RunTask withLayout(const RunTask& task, const MeshLayout& layout);

/// Returns the task with latents, tokens and attentions derived from its project and mesh.
RunTask withVideo(RunTask task);

/// Returns how the task's model attends on its mesh with these settings, which are legal.
AttentionPlans planAttentions(const RunTask& task, const AttentionSettings& settings);

/// Returns the tokens of the video in one pass of the transformer.
TokenGrid videoGrid(const RunTask& task);

/// Returns whether guidance makes two passes in some step of the loop.
bool guidesSomeStep(const RunTask& task);

// Return what a run takes: functions only of the task and of where its parts are.

MemoryEstimate memoryOf(const RunTask& task, const Placement& placement);
FlopEstimate estimateFlops(const RunTask& task);
/// Of a device, for keys of the driving video that are kept in this way.
std::uint64_t drivingKeyBytes(const RunTask& task, DrivingKeysUse use);
DiskEstimate estimateDisk(const RunTask& task);

/// A placement with the memory that it takes.
struct Placed {
    Placement placement;
    MemoryEstimate memory;
};
Placed placedAs(const RunTask& task, Placement placement);

}  // namespace meshreel
