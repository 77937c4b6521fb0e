// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/paired_keys.h"
#include "engine/attention/sharded_attention.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/animate/face_adapter.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/sound/audio_injector.h"
#include "engine/models/wan/block_reuse.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/driving_pass.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/token_sequence.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The stream of control tokens that runs beside the residual stream of a VACE model, through blocks of its
/// own. Each of these adds a hint to the residual stream.
class VaceStream {
  public:
    /// `control` f32 [batch, own tokens, innerDim] is embedded; `projection` is the input projection: both in
    /// the memory in which the device computes. `gates` f32 [VACE blocks, innerDim], on the host, has the
    /// factors of a block's hint in a row.
    VaceStream(Device& device, const PackedMatrix& projection, const Tensor& control, Tensor gates,
               const Tensor& hidden);

    /// Runs VACE block `index` and adds its hint. Probe: vace_blockN.control, vace_blockN.hint (before its
    /// scale) and those of WanBlock. Reports "VACE block N" to `checks`.
    void run(Device& device, const VaceBlock& vace, const LayerTensors& weights, std::int64_t index,
             const WanBlockInputs& inputs, WanWorkspace& work, FiniteChecks& checks);

    /// Returns the stream's values, to return to.
    [[nodiscard]] Tensor saved() const { return m_control.clone(); }
    void restore(const Tensor& saved);

  private:
    void addHint(Device& device, const VaceBlock& vace, const LayerTensors& weights, std::int64_t index,
                 const WanBlockInputs& inputs, WanWorkspace& work) const;

    Tensor m_gates;
    Tensor m_control;  // f32 [batch, own tokens, innerDim]
};

/// One device's way through the layers of a forward pass, which come one after the other, once for each
/// context.
class WanTransformer::Pass {
  public:
    /// `sequence` outlives the pass.
    Pass(const WanTransformer& model, Device& device, const TokenSequence& sequence,
         const RotaryTable& rotary, const Probe& probe);

    /// Returns a prediction for each context. The inputs fit the model; `reuse` may be null.
    [[nodiscard]] std::vector<Tensor> run(const WanInputs& inputs,
                                          std::span<const CrossAttentionCache* const> contexts,
                                          BlockReuse* reuse);

  private:
    /// What the layers make of inputs before they meet a context.
    struct Start {
        WanEmbeddings::Time time;
        std::optional<VaceStream> control;
        Tensor hidden;         ///< after the first block's self-attention, where a second context begins
        Tensor controlTokens;  ///< at the beginning of the stream
    };

    /// What the blocks are called with.
    struct BlockCall {
        const CrossAttentionCache& context;
        const TokenTimes& times;
        std::size_t index;  ///< index of the context
        std::size_t count;  ///< number of contexts

        [[nodiscard]] bool first() const { return index == 0; }
        [[nodiscard]] bool last() const { return index + 1 == count; }
    };

    /// Returns the inputs' timesteps; in an S2V model one for each token, 0 for those of groups.
    [[nodiscard]] Tensor timesteps(const WanInputs& inputs) const;
    /// `timed`: some context's text has times.
    [[nodiscard]] WanPassShape passShape(const WanInputs& inputs, const TokenTimes& times, bool timed) const;
    void embed(const LayerTensors& weights, const WanInputs& inputs, const TokenTimes& times, Start& start,
               WanWorkspace& work) const;
    /// Keeps where the contexts to come begin.
    void keepStart(Start& start, const WanWorkspace& work) const;
    void resume(Start& start, WanWorkspace& work) const;
    /// Returns one context's prediction of this device's tokens.
    [[nodiscard]] Tensor predict(const WanInputs& inputs, const BlockCall& call, BlockKeeper& keeper,
                                 Start& start, WanWorkspace& work);
    /// The blocks among m_layers[begin, end).
    void runBlocks(LayerStream& layers, std::size_t begin, std::size_t end, const BlockCall& call,
                   Start& start, WanWorkspace& work);
    void runBlock(const LayerTensors& weights, std::int64_t index, const WanBlockInputs& inputs,
                  const BlockCall& call, Start& start, WanWorkspace& work);
    /// Takes up what the inputs' driving video brings, if they have one.
    void takeDriving(const WanInputs& inputs);
    /// Goes through a block with the driving video, where it does not keep its keys, and returns the block's
    /// keys; null without a driving video.
    [[nodiscard]] const PairedKeys* drivingKeys(const LayerTensors& weights, std::int64_t index);
    /// Cuts the tokens into blocks, in a step that leaves some out; the device makes them once for all of the
    /// pass.
    void cutBlocks(std::optional<int> step);
    /// Takes up what tokens of the context's text count in each of the inputs' frames.
    void takeTimes(const WanInputs& inputs, const CrossAttentionCache& context);
    [[nodiscard]] std::int64_t tokensPerFrame() const;  // of the video
    [[nodiscard]] FaceTokens faceTokens(const CrossAttentionCache& context) const;
    [[nodiscard]] HearingTokens hearingTokens() const;
    /// What becomes of latents of Motion and of the kinds of tokens.
    void embedGroups(const LayerTensors& weights, const WanInputs& inputs, WanWorkspace& work) const;
    [[nodiscard]] Tensor project(const LayerTensors& weights, const Tensor& timeEmbedding,
                                 WanWorkspace& work) const;
    void report(std::string_view name, const Tensor& value) const;

    const WanTransformer& m_model;
    Device& m_device;
    const Execution& m_execution;
    const TokenSequence& m_sequence;
    ShardRange m_own;
    const RotaryTable& m_rotary;
    const Probe& m_probe;
    FiniteChecks m_checks;
    std::vector<std::vector<float>> m_biases;  // of the pass's frames
    std::vector<BiasedKeys> m_timed;           // with these
    // Of a driving video.
    const DrivingStream* m_stream = nullptr;
    std::optional<DrivingPass> m_driving;  // where keys are computed beside the pass
    PairedKeys m_paired;                   // of one block, computed or unpacked
    std::vector<float> m_firstFrameBias;   // the same in every frame
    std::vector<BiasedKeys> m_biasedSelf;  // with it
    std::optional<int> m_step;
    std::optional<SparseTokens> m_blocks;
    std::vector<float> m_soundGate;  // [innerDim]; empty: 1
};

}  // namespace meshreel
