// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/paired_keys.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Bytes of an f32 number, as a factor of estimates.
inline constexpr double f32Bytes = sizeof(float);

/// Copies of the latents that a run holds: themselves, the two predictions and their guided sum, and what
/// UniPC of order 2 remembers.
inline constexpr double latentCopies = 8;

/// Passes of the transformer with as many tokens each.
struct PassCount {
    std::int64_t tokens = 0;
    std::int64_t times = 0;
};

/// The quantities that determine the sizes of all tensors.
struct Workload {
    Shape latentShape;                          ///< [videos, channels, frames, height, width]
    std::int64_t passFrames = 0;                ///< latent frames of one window
    std::int64_t tokens = 0;                    ///< in the transformer's sequence: of one window
    std::int64_t groupElements = 0;             ///< of latents of token groups, for a video
    bool guided = false;                        ///< in some step guidance makes two transformer passes
    std::vector<std::int64_t> passTokens = {};  ///< of each of the passes that it makes of a video, the
                                                ///< prompt's first; empty: of two, all tokens
    bool partsGuidance = false;                 ///< the two share nothing of a pass
    bool guidesAttention = false;               ///< prompts attend to the negative prompt, too
    std::int64_t textsOfPrompt = 1;             ///< that context windows share out; of the prompt with most
    std::int64_t clipFrames = 0;                ///< of the clip before, in pixels
    std::vector<PictureSize> pictures = {};     ///< that are encoded in sizes of their own
    std::int64_t heldFrames = 0;                ///< latent frames of it that stand first in every step
    std::int64_t decodedFrames = 0;  ///< latent frames that are decoded at a time; 0: those of latentShape
    int clips = 0;  ///< of a video after a sound: each begins with the decoded end of the one before
    double soundSeconds = 0;                      ///< that a sound encoder hears
    std::optional<AttentionPlan> timedText = {};  ///< attention to a text whose parts have times
    /// How passes come by the keys of a driving video, which has the frames of a pass but the first.
    std::optional<DrivingKeysUse> drivingKeys = {};
    std::int64_t segments = 1;  ///< in which the video is made, each with a loop of steps of its own
    std::optional<AttentionPlan> sparseSelf = {};  ///< self-attention that leaves blocks out, of some steps
    int windows = 1;                               ///< that the first step sees the video through
    std::int64_t steps = 0;  ///< steps in which the transformer's blocks run, once for each window
    std::vector<PassCount> negativePasses = {};  ///< what guidance adds to them in a run, of one video
    int keptStreams = 0;                         ///< copies of each row's tokens that a step cache keeps
    bool asksBehindFirstBlock = false;
    Placement placement = {};  ///< without parts: the CPU computes all of them, whole
    int workersPerDevice = 1;
    MeshLayout layout = {};
    int ranks = 1;  ///< processes that divide the devices
    WanPrecision precision = {};
    DType vaeActivations = DType::F32;
    Arithmetic encoderProducts = Arithmetic::F32;  ///< for both encoders' linear layers

    /// Returns the bytes of an activation of the transformer.
    [[nodiscard]] double activationBytes() const {
        return static_cast<double>(byteSize(precision.activations));
    }
    [[nodiscard]] int devicesPerRank() const { return layout.devices() / ranks; }
    /// Returns the latent frames that are decoded at a time.
    [[nodiscard]] std::int64_t decodedLatents() const {
        return decodedFrames > 0 ? decodedFrames : latentShape[2];
    }
    /// Returns rows of the transformer's batch for each video: the passes of a step.
    [[nodiscard]] int rowsOfVideo() const {
        constexpr int halves = 2;
        return !guided ? 1 : passTokens.empty() ? halves : static_cast<int>(passTokens.size());
    }
    /// Returns how the frames of a pass and of its driving video belong together.
    [[nodiscard]] FramePairs drivingPairs() const {
        return {.tokensPerFrame = tokens / passFrames, .frames = passFrames};
    }
};

}  // namespace meshreel
