// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/fixed_m_log.h"
#include "engine/attention/sparse_log.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/animate/face_adapter.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/sound/audio_injector.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_memory.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// A block of a VACE model's control stream, and the place of the projection that makes a hint of its tokens.
struct VaceBlock {
    WanBlock block;
    std::size_t projection;
};

/// Sequences that a transformer attends to, and in which steps. They matter where flash_min_seq_length is
/// set, where a text is longer than the video, and to block-sparse attention.
struct WanSequences {
    std::int64_t tokens = 0;                    ///< in the video
    std::int64_t textTokens = 0;                ///< as given, padding included
    std::vector<ExpertStretch> stretches = {};  ///< of the denoising loop; without them no step leaves blocks
                                                ///< out
};

/// Plans how a transformer of this config attends on such a mesh: for makePlan(), and for callers without a
/// RunPlan. The settings must be legal.
AttentionPlans planAttentions(const AttentionSettings& settings, const WanTransformerConfig& config,
                              const MeshShape& mesh = {}, const WanSequences& sequences = {});

/// The Wan transformer: diffusers' WanTransformer3DModel (text, image, first and last frame to video, with
/// timesteps for each video or each token), WanVACETransformer3DModel or WanAnimateTransformer3DModel, or
/// Wan 2.2's WanModel_S2V. It holds the weights that one device of a mesh keeps. Devices of one process with
/// the same WeightShard use one object, all at the same time.
///
/// A run calls prepare() once for each text (the halves of guidance are two), rotary() once, then forward()
/// at each step. The devices of a mesh call prepare() and forward() together, each with videos of its own:
/// any number of them, even none, as sharded along the batch axes (see ownVideos()). Devices that differ only
/// in context or tensor get the same arguments. A mesh of one device is LoneDevice.
class WanTransformer {
  public:
    /// Keeps `residentLayers` of the layers, as staysResident() says, and reads the others from the
    /// checkpoint for each use; nothing: keeps them all. The store is as LayerWeights says and of no use
    /// later. `memory` is that of the device that computes, if it has its own (Execution::memory()): blocks
    /// and output layer lie there, but for short vectors. Throws Error{Input} for missing tensors and wrong
    /// shapes, Error{Project} as requireTensorDivides().
    WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                   const AttentionPlans& attention, const WeightShard& shard = {},
                   const WanPrecision& precision = {}, PackedLinearStore* store = nullptr,
                   std::optional<std::int64_t> residentLayers = {}, Memory* memory = nullptr);

    /// Returns what such a transformer computes with on a device. It is prepared where its memory is.
    [[nodiscard]] static KernelNeeds kernelNeeds(const WanTransformerConfig& config,
                                                 const WanPrecision& precision);

    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }
    [[nodiscard]] const WeightShard& shard() const { return m_shard; }
    [[nodiscard]] const WanPrecision& precision() const { return m_precision; }

    /// Returns what ran on the bound of fixed m in the passes of all devices that use this object.
    [[nodiscard]] FixedMLog& fixedM() const { return *m_fixedM; }

    /// Returns what block-sparse attention left out in the passes of all devices that use this object.
    [[nodiscard]] SparseLog& sparse() const { return *m_sparse; }

    /// The next passes, and the texts prepared for them, attend in this way. Not during a pass.
    void setAttention(const AttentionPlans& attention) { m_attention = attention; }

    /// Returns the memory of the weights kept, mapped or not.
    [[nodiscard]] std::size_t residentBytes() const;

    /// Returns the meter of the buffers into which sharded layers are gathered, for all devices that use this
    /// object.
    [[nodiscard]] const MemoryMeter& gatherMeter() const { return *m_gatherMeter; }

    /// Equal padding rows of the text are computed once. Throws Error{Input} for conditions that do not fit
    /// the model, or that it has no use for. Probe: text_embed, image_embed; with faces those of
    /// encodeMotion() and prepareFaces(); with a sound audio_emb [B, frames, tokens, innerDim] and
    /// audio_emb_global [B, frames, innerDim].
    [[nodiscard]] CrossAttentionCache prepare(Device& device, const WanConditions& conditions,
                                              const Probe& probe = {}) const;

    /// f32 [B, S, motionDim] of faces as WanConditions have them: the motion in each of them by itself, so
    /// that it can be cut in time. Called as prepare(). Probe: motion.*, motion_vec, motion_Q.
    [[nodiscard]] Tensor encodeMotion(Device& device, const Tensor& faces, const Probe& probe = {}) const;

    /// Returns what tokens attend to in faces of each of these motions, f32 [B, S, motionDim]. Called as
    /// prepare(), by devices with any number of motions. Probe: face_encoder_out.
    [[nodiscard]] std::vector<FaceContext> prepareFaces(Device& device, std::span<const Tensor> motions,
                                                        const Probe& probe = {}) const;

    /// Returns the prediction f32 [B, outChannels, F, H, W]. Throws Error{Input} for shapes that do not fit,
    /// NonFiniteError naming "block N", Error{Cancelled}, as Transfer::wait; the stop token is asked once per
    /// block. Probe (of several devices, each sees its part; with timesteps of each token, time's have a row
    /// for each): rope_cos, rope_sin [1, tokens, 1, headDim], patch_embed, timestep_sinusoid, temb,
    /// timestep_proj, blockN.attn1_out, blockN.attn2_out, blockN.ffn_out, blockN.out, proj_in, proj_out;
    /// vace_patch_embed, vace_blockN.*, face_adapterN.out; tokens, injectN.residual.
    [[nodiscard]] Tensor forward(Device& device, const WanInputs& inputs, const CrossAttentionCache& context,
                                 const Probe& probe = {}) const;

    /// Runs the same inputs with each of several contexts, as guidance does with its two halves: whatever
    /// does not depend on the context is computed once. `rotary` is that of the inputs' shapes; a probe sees
    /// the shared part once. All devices of a mesh give as many contexts. `reuse` may be null.
    [[nodiscard]] std::vector<Tensor> forward(Device& device, const WanInputs& inputs,
                                              std::span<const CrossAttentionCache* const> contexts,
                                              const RotaryTable& rotary, const Probe& probe = {},
                                              BlockReuse* reuse = nullptr) const;

    /// Returns the rotary embedding of this device's tokens of latents of a shape, with those of groups,
    /// which no step changes; where the device computes.
    [[nodiscard]] RotaryTable rotary(Device& device, const Shape& latents,
                                     const std::vector<TokenGroup>& groups = {}) const;

    /// Returns what passes over latents [B, inChannels, F, H, W] attend to of a driving video: with keys that
    /// are kept it goes through the blocks once. All devices of a mesh call it together, each for as many
    /// videos as its passes have (of a mesh, one). Throws Error{Input} for a video of another size, or of
    /// other frames than the latents have behind the first; otherwise as forward().
    [[nodiscard]] DrivingStream prepareDriving(Device& device, DrivingVideo video, const Shape& latents,
                                               const DrivingOptions& options) const;

    /// f32 [steps, 6 · innerDim]: what blocks are modulated with at these timesteps f32 [steps]. All devices
    /// of a mesh call it together and get the same.
    [[nodiscard]] Tensor timeProjections(Device& device, const Tensor& timesteps) const;

    /// prepare and forward in one.
    [[nodiscard]] Tensor forward(Device& device, const WanInputs& inputs, const WanConditions& conditions,
                                 const Probe& probe = {}) const;

  private:
    class Pass;
    class Preparation;
    class DrivingPass;

    void requireOwnDevice(const Device& device) const;
    void requireFit(const WanInputs& inputs, const TokenSequence& sequence,
                    const CrossAttentionCache& context) const;
    void requireFit(const WanConditions& conditions) const;
    void requireDriving(const DrivingVideo& video, const Shape& latents) const;
    /// The places of the layers of a pass in m_layers.
    struct Route {
        std::size_t embeddings = 0;
        std::size_t behindFirstBlock = 0;
        std::size_t output = 0;  ///< the last one
    };
    [[nodiscard]] Route route() const;
    /// The places of the output layer's tensors.
    struct OutputLayer {
        std::size_t scaleShift = 0;
        std::size_t projection = 0;
    };
    /// encodeMotion() with the tensors of layer "faces".
    [[nodiscard]] Tensor motionOf(Device& device, const LayerTensors& tensors, const Tensor& faces,
                                  const Probe& probe) const;
    /// What computes with a layer's tensors, made once.
    void addLayer(const WanLayerPlace& place, const LayerSlots& slots);
    /// Returns a walk through m_layers[begin, end).
    [[nodiscard]] LayerStream layers(Device& device, std::size_t begin, std::size_t end) const;
    /// For a device without videos: the others still need its part of the weights.
    void walkLayers(Device& device, std::size_t contexts, BlockReuse* reuse) const;

    WanTransformerConfig m_config;
    WanPatches m_patches;
    AttentionPlans m_attention;
    WeightShard m_shard;
    WanPrecision m_precision;
    std::vector<LayerWeights> m_layers;   // in the order of wanLayers()
    std::vector<WanLayerPlace> m_places;  // for each of them
    std::optional<WanEmbeddings> m_embeddings;
    std::optional<std::size_t> m_controlProjection;  // among the embeddings of a VACE model
    std::vector<WanBlock> m_blocks;
    std::vector<VaceBlock> m_vaceBlocks;
    std::vector<FaceAdapter> m_faceAdapters;
    std::vector<AudioInjector> m_injectors;
    OutputLayer m_output;
    std::shared_ptr<MemoryMeter> m_gatherMeter;
    std::shared_ptr<FixedMLog> m_fixedM;
    std::shared_ptr<SparseLog> m_sparse;
};

}  // namespace meshreel
