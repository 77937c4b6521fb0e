// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rope.h"
#include "engine/models/probe.h"
#include "engine/models/wan_block.h"
#include "engine/models/wan_embeddings.h"
#include "engine/models/wan_transformer_config.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// What a prompt contributes to every step: the projected text and each block's cross-attention keys and
/// values. It depends on neither latents nor time; made once per prompt.
struct TextContext {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::vector<Tensor> keys;    ///< per block, f32 [batch, tokens, innerDim], normalised
    std::vector<Tensor> values;  ///< per block, f32 [batch, tokens, innerDim]
};

/// The Wan text-to-video transformer (diffusers' WanTransformer3DModel), f32.
class WanTransformer {
  public:
    /// Throws Error{Input} for missing tensors and wrong shapes.
    WanTransformer(const WanTransformerConfig& config, const Checkpoint& checkpoint,
                   AttentionSettings attention);

    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }

    /// text f32 [B, L, textDim], any L; padding rows are tokens like the others. Probe: text_embed.
    [[nodiscard]] TextContext prepareText(const Execution& execution, const Tensor& text,
                                          const Probe& probe = {}) const;

    /// The prediction f32 [B, outChannels, F, H, W] for latents [B, inChannels, F, H, W] (F, H, W divisible
    /// by the patch) and timesteps [B], f32 or I64. Throws Error{Input} for shapes that do not fit,
    /// NonFiniteError naming "block N", Error{Cancelled}; the stop token is asked once per block. Probe:
    /// rope_cos, rope_sin [1, tokens, 1, headDim], patch_embed, timestep_sinusoid, temb, timestep_proj,
    /// blockN.attn1_out, blockN.attn2_out, blockN.ffn_out, blockN.out, proj_in, proj_out.
    [[nodiscard]] Tensor forward(const Execution& execution, const Tensor& latents, const Tensor& timesteps,
                                 const TextContext& text, const Probe& probe = {}) const;

    /// prepareText and forward in one.
    [[nodiscard]] Tensor forward(const Execution& execution, const Tensor& latents, const Tensor& timesteps,
                                 const Tensor& text, const Probe& probe = {}) const;

  private:
    void requireOnePerVideo(std::int64_t batch, const Tensor& timesteps, const TextContext& text) const;
    [[nodiscard]] RotaryTable makeRotary(const Execution& execution, const TokenGrid& grid,
                                         const Probe& probe) const;
    [[nodiscard]] WanConditionEmbedder::Time embedTime(const Execution& execution, const Tensor& timesteps,
                                                       const Probe& probe) const;
    [[nodiscard]] Tensor project(const Execution& execution, const Tensor& timeEmbedding,
                                 const TokenGrid& grid, const Probe& probe, WanWorkspace& work) const;

    WanTransformerConfig m_config;
    AttentionSettings m_attention;
    WanPatches m_patches;
    WanConditionEmbedder m_condition;
    std::vector<WanBlock> m_blocks;
    Tensor m_scaleShift;  // [1, 2, innerDim]
};

}  // namespace meshreel
