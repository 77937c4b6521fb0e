// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/kernels/rows/attention_guidance.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Cross-attention keys and values of one block on one device.
struct CrossKeyValue {
    Tensor key;    ///< [batch, this device's tokens, heads / tensorDevices, headDim], normalised, of the
                   ///< activations' type
    Tensor value;  ///< shaped as key
};

/// What the tokens of one block attend to.
struct BlockContext {
    CrossKeyValue text;
    std::optional<CrossKeyValue> image;
    std::optional<CrossKeyValue> negative;  ///< of the text that attention guidance pushes away
};

/// How long a sequence of keys is, over all devices together.
struct CrossTokens {
    std::int64_t count = 0;      ///< kept: see PaddedText
    std::int64_t lastCount = 1;  ///< equal tokens that the last one stands for
};

/// Tokens of a text that hold for some of the video's time, and how much in each of its frames.
struct TimedKeys {
    ShardRange tokens;
    /// What their scores get, of the queries of each latent frame of what is denoised, references included.
    std::vector<float> ofFrames;
};

/// What the tokens of a video attend to in faces: it depends on these alone. Copies share their memory.
struct FaceContext {
    std::vector<CrossKeyValue> adapters;  ///< [batch, frames · face tokens, ...]: never sharded
    std::int64_t frames = 0;              ///< latent frames that have a face, with that of the reference
};

/// What the tokens of a video hear behind one block of an S2V model.
struct InjectorContext {
    CrossKeyValue tokens;  ///< [batch, frames · tokens of sound, ...]: never sharded
    Tensor shiftScale;     ///< f32 [batch, frames, 2 · innerDim], on the host: what is added to a frame's
                           ///< normed tokens, then what they are multiplied by before
};

/// What the tokens of a video hear of a sound: it depends on that alone. Copies share their memory.
struct SoundContext {
    std::vector<InjectorContext> injectors;
    std::int64_t frames = 0;  ///< latent frames that have a sound
};

/// What WanConditions contribute to every step: it depends on neither latents nor time. Only the device that
/// made it can use it.
struct CrossAttentionCache {
    std::int64_t batch = 0;
    CrossTokens text;
    CrossTokens image;     ///< none without an image
    CrossTokens negative;  ///< none without attention guidance
    AttentionGuidance guidance;
    std::vector<TimedKeys> timed;
    std::vector<BlockContext> blocks;  ///< for this device's heads, and its tokens where they are sharded
    std::vector<BlockContext> vaceBlocks;
    FaceContext faces;   ///< of an Animate model
    SoundContext sound;  ///< of an S2V model
    /// The block that passes with it leave out, if there are so many.
    std::optional<std::int64_t> skippedBlock = {};
};

/// Text whose rows of padding are given once. Prompts end in rows of zeros, which a transformer attends to
/// like any other: they all make the same key and value, so that n of them are one whose weight is n.
struct PaddedText {
    Tensor rows;                    ///< f32 [batch, kept rows, width]
    std::int64_t lastRowCount = 1;  ///< rows of the text that it stands for

    /// text f32 [batch, rows, width].
    static PaddedText of(const Tensor& text);

    /// Returns what was computed of the kept rows [batch, kept rows, width], for every row of the text.
    [[nodiscard]] Tensor repeated(const Tensor& kept) const;
};

/// What a device's videos are made of that no step changes and the halves of guidance may differ in:
/// WanTransformer::prepare() makes a CrossAttentionCache of it, once per run. B is the number of the device's
/// videos.
struct WanConditions {
    Tensor text;  ///< f32 [B, L, textDim], any L; padding rows are tokens like the others

    /// Tokens of the text of which all B videos hear at some time only: in ascending order, without overlap.
    /// Other tokens, and the negative prompt of `guidance`, hold all the time.
    std::vector<TimedKeys> timed = {};

    /// CLIP's hidden states, f32 [B, imageTokens, imageDim]; of a model with pos_embed_seq_len [2B,
    /// imageTokens, imageDim], each video's first and last frame in rows 2b and 2b + 1. Present iff the model
    /// has image_dim.
    std::optional<Tensor> image = {};

    /// f32 [B, L', textDim], any L': the negative prompt of `guidance`, which the main blocks' attention to
    /// the text obeys; that of a VACE model's control stream does not.
    std::optional<Tensor> negativeText = {};
    AttentionGuidance guidance = {};

    /// For an Animate model: the face video's pixels in [-1, 1], f32 [B, 3, S, faceSide, faceSide] with S = 4
    /// · (F - 2) + 1 for latents of F frames.
    std::optional<Tensor> faces = {};
    /// For an S2V model: the sound encoder's hidden states of a clip, f32 [B, states, width, 4 · F] for
    /// latents of F frames. Silence is zeros.
    std::optional<Tensor> sound = {};
    /// Repetitions of its first column that are heard before the clip.
    std::int64_t soundLead = SoundConfig::leadColumns;

    /// Passes of this text see different faces: its cache has none until it is given a FaceContext.
    bool facesVary = false;

    /// Zeros with one token of text (and of each image as many as the model has positions for, or one): what
    /// a warm-up needs. Faces are as many as go with `latentFrames`.
    static WanConditions zeros(const WanTransformerConfig& config, std::int64_t videos,
                               std::int64_t latentFrames = 2);
};

/// Tokens beside those of the video, of latents that the model sees and predicts nothing of. They stand
/// behind the video's in the sequence, which is sharded as one, go through every block with the video's
/// timestep (in an S2V model with time 0), attend to all tokens and are attended to by all. They hear the
/// whole text, whatever its times.
struct TokenGroup {
    Tensor latents;  ///< [B, channelsOf(embedding), F', H', W'], F', H' and W' divisible by the
                     ///< patch; of Motion any F', and of H' and W' what fills no patch is left out
    std::int64_t firstFrame = 0;  ///< position of its first frame among the video's, in latent frames and
                                  ///< divisible by the patch, and below 0 before the video's first; rows and
                                  ///< columns are counted from 0. Those of Motion have places of their own
    PatchEmbedding embedding = PatchEmbedding::Video;
    std::int64_t source = 0;  ///< see TokenGrid::source
};

struct DrivingStream;

/// What a forward pass is given of a device's videos, whole on every device of the context and tensor axes.
struct WanInputs {
    Tensor latents;    ///< [B, inChannels, F, H, W]; F, H and W divisible by the patch
    Tensor timesteps;  ///< f32 or I64: [B], or [B, tokens] with one for each token (frame, then row, then
                       ///< column), as TI2V wants them; those of groups included

    /// In their order behind the video, those of Motion last. An Animate model takes none.
    std::vector<TokenGroup> groups = {};

    /// For a VACE model: [B, vaceChannels, F', H, W], F' <= F; later frames have no control. Present iff the
    /// model has VACE blocks.
    std::optional<Tensor> control = {};
    std::vector<float> controlScales = {};  ///< one for each VACE block; empty: 1

    /// Which frame of TimedKeys each latent frame is, where the latents are a window of a longer clip; empty:
    /// they are all frames in their order.
    std::vector<std::int64_t> frames = {};

    /// The step of the denoising loop, for AttentionPlans::selfIn(); none outside of one.
    std::optional<int> step = {};

    /// The pose video's latents: for an Animate model [B, poseChannels, F - 1, H, W], for the frames after
    /// the first, for an S2V model [B, poseChannels, F, H, W], zeros without a pose. Present iff it is such a
    /// model.
    std::optional<Tensor> pose = {};

    /// For a model of image to video as Animate-2 uses it: what prepareDriving() made for latents of this
    /// shape on this device; it outlives the pass. Null: none.
    const DrivingStream* driving = nullptr;

    /// For an S2V model: what is heard is multiplied by it where it is added to the tokens.
    float soundScale = 1.0F;

    /// Zeros of latents [B, inChannels, F, H, W] at time 0, with what else the model needs.
    static WanInputs zeros(const WanTransformerConfig& config, std::int64_t videos, std::int64_t frames,
                           std::int64_t rows, std::int64_t columns);
};

/// Returns this device's part of `length` tokens that are sharded over the context axis.
ShardRange ownTokens(Device& device, std::int64_t length);

/// Tokens `range` of each batch element of x [batch, tokens, width], f32.
Tensor tokensOfEach(const Tensor& x, ShardRange range);

/// [batch, tokens, width] of the parts [batch, own tokens, width] that the devices of the context axis have,
/// f32. They call it together.
Tensor gatherTokens(Device& device, const Tensor& own, std::int64_t tokens);

/// Returns the videos of a batch that a device computes: the data × fsdp axes share them out, as evenly as it
/// goes. The two halves of classifier-free guidance count as videos of their own.
ShardRange ownVideos(Device& device, std::int64_t videos);

/// f32 [videos, …] on every device, of what each computed for its own [ownVideos().size(), …].
Tensor gatherVideos(Device& device, const Tensor& own, std::int64_t videos);

}  // namespace meshreel
