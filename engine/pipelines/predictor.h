// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/kernels/rows/attention_guidance.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/guidance.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What may end a NaN or infinity that a step came to.
inline constexpr std::string_view nonFiniteHint =
    "Check the checkpoint, or try a lower guidance_scale or another scheduler; the steps before are kept";

/// Text embeddings of the videos, each [videos, maxSequenceLength, textDim], zero past the prompt's end. Of
/// prompts there are more where context windows share out several texts.
struct TextConditioning {
    Tensor prompt;                          ///< the texts of each video one after the other
    std::optional<Tensor> negative;         ///< present iff classifier-free guidance is on
    std::optional<Tensor> pushedAway = {};  ///< present iff attention guidance is on: its negative prompts
    std::optional<Tensor> driving = {};     ///< [1, maxSequenceLength, textDim]: what a driving video is told
    AttentionGuidance attentionGuidance = {};
    std::vector<std::int64_t> textsOfVideos = {};    ///< of each video; empty: one
    std::vector<std::vector<TimedKeys>> timed = {};  ///< of each video's text; empty: none

    [[nodiscard]] std::int64_t videos() const {
        return textsOfVideos.empty() ? prompt.extent(0) : std::ssize(textsOfVideos);
    }
    /// Returns the rows of a video's texts.
    [[nodiscard]] ShardRange textsOf(std::int64_t video) const;
};

/// What the passes of a step keep or reuse, a BlockReuse for each round; empty: nothing.
using RoundReuses = std::vector<BlockReuse>;

inline const std::optional<ContextWindows> noWindows{};

/// What a Predictor is asked for.
struct PredictedParts {
    GuidedPasses passes;          ///< of each video; those behind the first hear the negative prompt
    bool promptsAlone = false;    ///< predictPrompts() will be called; not with more than two passes
    DrivingOptions driving = {};  ///< how passes see a driving video, where there is one
};

/// The transformer's predictions for all videos, wherever they are computed. The videos and their negative
/// parts are sharded over data × fsdp; a device computes its own one after the other, so that its memory, and
/// the bits of a video, do not depend on how many there are. Whatever depends on the text alone is computed
/// once, here. With windows, the transformer is given one after the other, each as if it were a video of its
/// own, and what it predicts of a frame in several of them is fused. Where devices share the batch, each
/// window of a row is a row: predictions are fused in the order of the windows, wherever they were made.
/// An animation's windows see faces of their own. The motion of the clip's faces is encoded once, here; of it
/// every device makes what each window attends to, here where windows recur, else in each step. A driving
/// video is gone through once, here, where its keys are kept.
class Predictor {
  public:
    /// `latents` is the shape of what is denoised. All references outlive the predictor.
    Predictor(Device& device, const WanTransformer& transformer, const TextConditioning& text,
              const VisualConditioning& visual, const Shape& latents, const PredictedParts& parts,
              const std::optional<ContextWindows>& windows = noWindows);

    [[nodiscard]] Device& device() const { return m_device; }
    [[nodiscard]] bool guided() const { return m_passes.size() > 1; }
    /// Returns the passes of a video, the prompt's first.
    [[nodiscard]] const GuidedPasses& passes() const { return m_passes; }
    [[nodiscard]] std::int64_t videos() const { return m_videos; }

    /// Passes of every device in a step: the most that one has to do.
    [[nodiscard]] std::size_t rounds() const { return m_rounds.size(); }

    /// Returns whether what this device computes for a context of a round's pass is of a negative prompt.
    [[nodiscard]] bool isNegative(std::size_t round, std::size_t context) const;

    /// Returns what the transformer is given of videos with these latents, without windows.
    [[nodiscard]] WanInputs inputsAt(const Tensor& latents, double timestep) const;

    /// f32 [rows, C, F, H, W]: the prompts' predictions, then those of each pass behind it, of all videos;
    /// the same on every device. Throws Error{Internal} naming step (counted from 0 in `step`) and block at
    /// the first NaN or infinity.
    [[nodiscard]] Tensor predict(const Tensor& latents, double timestep, int step,
                                 RoundReuses* reuses = nullptr) const;

    /// Returns the prompts' predictions alone, f32 [videos, C, F, H, W]; every device takes part.
    [[nodiscard]] Tensor predictPrompts(const Tensor& latents, double timestep, int step) const;

    /// f32 [steps, width]: what the transformer makes of times, the same on every device; all call it.
    [[nodiscard]] Tensor timeProjections(std::span<const double> timesteps) const;

    /// Returns whether the one video is within `threshold`: what BlockReuse::maySkip is asked, of this
    /// device's part. Called by all devices together.
    [[nodiscard]] bool isWithin(double threshold, const std::vector<BlockChange>& own) const;

  private:
    /// What a row attends to: of several texts one for each.
    using RowContexts = std::vector<CrossAttentionCache>;

    /// One pass of this device: a row of [prompts; those of the second pass; …], or the first two of a video
    /// where they differ by their text only, or none.
    struct Round {
        std::vector<std::int64_t> rows;
        std::vector<RowContexts> contexts;  ///< one for each row, or a single one without rows
    };

    /// Returns whether each window sees faces of its own.
    [[nodiscard]] bool hasOwnFaces() const { return m_windows && m_visual.faces; }
    /// Returns whether each window of a row is dealt out to the devices of the batch by itself.
    [[nodiscard]] bool dealsWindows() const { return m_windows && m_device.batch().size() > 1; }

    /// What the passes of a step are given: the whole of it, or a window's part.
    struct PassPoint {
        const VisualConditioning& visual;
        const Tensor& latents;  ///< of all videos
        double timestep;
        int step;
        const SharedWindow* window;  ///< null: the whole
        const FaceContext* faces;    ///< of the window, which prompts see; null: contexts have their own
    };

    /// The windows of a step.
    struct StepWindows {
        std::vector<SharedWindow> windows;
        std::vector<FaceContext> faces;  ///< that each of them sees; none where contexts have their own

        [[nodiscard]] const FaceContext* facesOf(std::size_t window) const {
            return faces.empty() ? nullptr : &faces[window];
        }
    };
    [[nodiscard]] StepWindows windowsOf(int step) const;

    /// Returns the passes of so many rows of each video, with what they attend to.
    [[nodiscard]] std::vector<Round> listRounds(int parts) const;
    /// Returns the contexts of a video's texts.
    [[nodiscard]] RowContexts promptContexts(std::int64_t video) const;
    /// Returns what the transformer makes of conditions with a text and, perhaps, its guidance, with the
    /// faces and the sound that there are.
    [[nodiscard]] CrossAttentionCache makeContext(WanConditions conditions,
                                                  const std::optional<Tensor>& faces,
                                                  const std::optional<Tensor>& sound) const;
    /// Encodes the motion of the clip's faces, for windows to take their part of.
    void prepareFaces();
    /// Returns what each of the windows sees of faces; nothing without faces of their own.
    [[nodiscard]] std::vector<FaceContext> facesOf(const std::vector<SharedWindow>& windows) const;
    /// Returns a context of a row in a window that sees these faces, or blank ones.
    [[nodiscard]] CrossAttentionCache seeing(const CrossAttentionCache& context, std::int64_t row,
                                             const FaceContext& faces) const;
    /// Returns what passes of latents of this shape, with the channels beside them, see of a driving video.
    [[nodiscard]] std::optional<DrivingStream> makeDriving(const Shape& latents,
                                                           const DrivingOptions& options) const;
    [[nodiscard]] WanInputs inputsWith(const VisualConditioning& visual, const Tensor& denoised,
                                       double timestep, const GuidedPass& pass) const;
    /// Returns which pass of its video a row is.
    [[nodiscard]] std::size_t passOf(std::int64_t row) const {
        return static_cast<std::size_t>(row / m_videos);
    }
    /// Returns whether prompt and negative of a video differ by their text only.
    [[nodiscard]] bool sharesPasses() const {
        return guided() && !m_visual.negativeChannels && m_passes[0].groups == m_passes[1].groups;
    }
    /// Returns the rotary embedding of the tokens of each pass, of latents [1, inChannels, F, H, W].
    [[nodiscard]] std::vector<RotaryTable> listRotaries(const Shape& latents) const;
    /// Returns what a round predicts of each of its rows, or of the prompt's alone.
    [[nodiscard]] std::vector<Tensor> predictRound(const Round& round, const PassPoint& point, int parts,
                                                   BlockReuse* reuse) const;
    /// Returns a row's pass, or one without rows, as listRounds() makes them.
    [[nodiscard]] Round makeRound(std::vector<std::int64_t> rows) const;
    /// Predicts `parts` rows of each video, of which each window is dealt out.
    [[nodiscard]] Tensor gatheredWindows(const Tensor& latents, double timestep, int step, int parts) const;
    /// Predicts `parts` rows of each video, which `rounds` compute.
    [[nodiscard]] Tensor gathered(const std::vector<Round>& rounds, const Tensor& latents, double timestep,
                                  int step, int parts, RoundReuses* reuses) const;

    Device& m_device;
    const WanTransformer& m_transformer;
    const TextConditioning& m_text;
    const VisualConditioning& m_visual;
    const std::optional<ContextWindows>& m_windows;
    std::int64_t m_videos;
    GuidedPasses m_passes;                // of a video
    std::vector<RotaryTable> m_rotaries;  // for each, of a window's frames, counted from its first
    std::optional<DrivingStream> m_driving;
    /// Where windows are dealt out, one for each row, and one without rows behind them.
    std::vector<Round> m_rounds;
    std::vector<Round> m_promptRounds;  // for predictPrompts(); empty where m_rounds serve
    // Of windows with faces of their own.
    Tensor m_motion;                         // [1, faces, motionDim]
    FaceContext m_blankFaces;                // of the negative rows, in any window
    std::vector<FaceContext> m_windowFaces;  // of every step's windows, where they recur
};

}  // namespace meshreel
