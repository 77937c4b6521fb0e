// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/mesh/shard_range.h"
#include "engine/models/animate/face_adapter.h"
#include "engine/models/transformer/block_keeper.h"
#include "engine/models/transformer/token_times.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/models/transformer/wan_vace.h"
#include "engine/models/transformer/wan_workspace.h"

namespace meshreel {

/// One device's way through the layers of a forward pass, which come one after the other, once for each
/// context.
class WanTransformer::Pass {
  public:
    Pass(const WanTransformer& model, Device& device, const TokenGrid& grid, const RotaryTable& rotary,
         const Probe& probe);

    /// A prediction for each context. The inputs fit the model; `reuse` may be null.
    [[nodiscard]] std::vector<Tensor> run(const WanInputs& inputs,
                                          std::span<const WanContext* const> contexts, BlockReuse* reuse);

  private:
    /// What the layers make of inputs before they meet a context.
    struct Start {
        WanEmbeddings::Time time;
        std::optional<VaceStream> control;
        Tensor hidden;         ///< behind the first block's self-attention, where a second context begins
        Tensor controlTokens;  ///< as the stream begins
    };

    /// What the blocks are called with.
    struct BlockCall {
        const WanContext& context;
        const TokenTimes& times;
        std::size_t index;  ///< of the context
        std::size_t count;  ///< of contexts

        [[nodiscard]] bool first() const { return index == 0; }
        [[nodiscard]] bool last() const { return index + 1 == count; }
    };

    [[nodiscard]] WanPassShape passShape(const WanInputs& inputs, const TokenTimes& times) const;
    void embed(const LayerTensors& tensors, const WanInputs& inputs, const TokenTimes& times, Start& start,
               WanWorkspace& work) const;
    /// Keeps where the contexts to come begin.
    void keepStart(Start& start, const WanWorkspace& work) const;
    void resume(Start& start, WanWorkspace& work) const;
    /// One context's prediction of this device's tokens.
    [[nodiscard]] Tensor predict(const WanInputs& inputs, const BlockCall& call, BlockKeeper& keeper,
                                 Start& start, WanWorkspace& work);
    /// The blocks among m_layers[begin, end).
    void runBlocks(LayerStream& layers, std::size_t begin, std::size_t end, const BlockCall& call,
                   Start& start, WanWorkspace& work);
    void runBlock(const LayerTensors& tensors, std::int64_t index, const WanBlockInputs& inputs,
                  const BlockCall& call, Start& start, WanWorkspace& work) const;
    [[nodiscard]] CrossAttention crossAttentionTo(const CrossTokens& tokens) const;
    [[nodiscard]] FaceTokens faceTokens(const WanContext& context) const;
    [[nodiscard]] Tensor project(const LayerTensors& tensors, const Tensor& timeEmbedding,
                                 const TokenTimes& times, WanWorkspace& work) const;
    void report(std::string_view name, const Tensor& value) const;

    const WanTransformer& m_model;
    Device& m_device;
    const Execution& m_execution;
    TokenGrid m_grid;
    ShardRange m_own;
    const RotaryTable& m_rotary;
    const Probe& m_probe;
};

}  // namespace meshreel
