// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/transformer_work.h"

#include <algorithm>

#include "engine/attention/attention_volume.h"
#include "engine/base/real.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/transformer/wan_parameters.h"
#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/cost/transformer_flops.h"

namespace meshreel {
namespace {

constexpr double bytesPerActivation = sizeof(float);

WorkClass precisionClass(const WanPrecision& precision) {
    switch (precision.linears()) {
        case Arithmetic::F32:
            return WorkClass::LinearF32;
        case Arithmetic::BF16:
            return WorkClass::LinearBf16;
        case Arithmetic::Int8:
            break;
    }
    return WorkClass::LinearInt8;
}

WorkClass attentionClass(const AttentionMode& mode, const WanPrecision& precision) {
    if (mode.kernel == AttentionKernel::DotProduct)
        return WorkClass::DenseAttention;
    return precision.activations == DType::BF16 ? WorkClass::BlockedAttentionBf16
                                                : WorkClass::BlockedAttentionF32;
}

/// What one device computes of a pass. The last tokens are padding of the largest shard.
class PassWork {
  public:
    PassWork(const RunPlan& plan, std::int64_t textTokens)
        : m_plan(plan),
          m_config(plan.model.transformer),
          m_attention(effectiveAttention(plan)),
          m_textTokens(textTokens),
          m_ownTokens(shardOf(plan.tokens, plan.layout.shape().context, 0).size()),
          m_share(real(m_ownTokens) / real(plan.tokens) / plan.layout.shape().tensor) {}

    /// All of the pass but what devices exchange.
    [[nodiscard]] Work all() const {
        Work work = selfAttention(real(allBlocks(m_config)));
        work[precisionClass(m_plan.precision.transformer)] += m_share * linearFlops(m_config, m_plan.tokens);
        constexpr double squares = 6;  // self: query, key, value and output; cross: query and output
        work[WorkClass::Rounding] +=
            real(allBlocks(m_config)) *
            (roundedValues(squares * width(), squares * width()) +
             roundedValues(width(), real(m_config.ffnDim)) + roundedValues(real(m_config.ffnDim), width()));
        work += crossAttention();
        work[WorkClass::Activations] += real(allBlocks(m_config)) * blockBytes();
        work[WorkClass::Weights] += weightBytes();
        work[WorkClass::Blocks] += real(allBlocks(m_config)) + 1;  // the ends
        return work;
    }

    /// What the second half of guidance finds done: the embeddings and the first block's self-attention.
    [[nodiscard]] Work shared() const {
        constexpr double squares = 4;  // query, key, value and output
        constexpr double multiplyAdd = 2;
        Work work = selfAttention(1);
        work[precisionClass(m_plan.precision.transformer)] +=
            m_share * squares * multiplyAdd * real(m_plan.tokens) * width() * width();
        work[WorkClass::Rounding] += roundedValues(squares * width(), squares * width());
        work[WorkClass::Activations] += blockBytes() / 2;
        work[WorkClass::Blocks] += 1;  // a half of the ends, and of a block
        work[WorkClass::Messages] += selfMessages();
        return work;
    }

    /// Meetings of devices in a pass.
    [[nodiscard]] double messages() const {
        constexpr double tensorSums = 6;  // of three sub-layers, each a reduce-scatter and an all-gather
        const MeshShape mesh = m_plan.layout.shape();
        double inBlock = mesh.tensor > 1 ? tensorSums : 0;
        inBlock += mesh.fsdp > 1 ? 1 : 0;
        if (mesh.context > 1)
            inBlock += selfMessages() + (m_attention.textSharded ? meetings(m_attention.cross) : 0);
        return real(allBlocks(m_config)) * inBlock;
    }

  private:
    [[nodiscard]] double width() const { return real(m_config.innerDim()); }

    [[nodiscard]] double selfMessages() const {
        return m_plan.layout.shape().context > 1 ? meetings(m_attention.self) + m_attention.rotations : 0;
    }

    /// Of layers with int8 weights, by what they read and write of a token.
    [[nodiscard]] double roundedValues(double in, double out) const {
        const bool rounds = m_plan.precision.transformer.linears() == Arithmetic::Int8;
        return rounds ? m_share * real(m_plan.tokens) * (in + out) : 0;
    }

    [[nodiscard]] Work selfAttention(double blocks) const {
        const double flops = selfAttentionFlops(m_config, m_plan.tokens) / real(allBlocks(m_config));
        Work work = products(m_attention.self, blocks * m_share * flops);
        const ContextSplit split = m_attention.split;
        work[WorkClass::KeyPacking] +=
            blocks / split.ulysses *
            packedKeyBytes(m_attention.self, std::min(m_plan.tokens, m_ownTokens * split.ulysses),
                           m_plan.tokens);
        work[WorkClass::Activations] += blocks * mergedBytes();
        return work;
    }

    [[nodiscard]] Work crossAttention() const {
        Work work =
            products(m_attention.cross, m_share * crossAttentionFlops(m_config, m_plan.tokens, m_textTokens));
        work[WorkClass::KeyPacking] +=
            real(allBlocks(m_config)) *
            packedKeyBytes(m_attention.cross, m_ownTokens, m_textTokens + imageTokens(m_config));
        return work;
    }

    [[nodiscard]] Work products(const AttentionSettings& attention, double flops) const {
        constexpr double productsOfScore = 4;  // two multiply-adds for each element of a head
        Work work;
        work[attentionClass(*attention.mode, m_plan.precision.transformer)] += flops;
        work[WorkClass::Softmax] += flops / (productsOfScore * real(m_config.headDim));
        return work;
    }

    /// Each block of queries walks through all keys of its heads; of all heads that a device has weights of.
    [[nodiscard]] double packedKeyBytes(const AttentionSettings& attention, std::int64_t queries,
                                        std::int64_t keys) const {
        if (attention.mode->kernel == AttentionKernel::DotProduct)
            return 0;
        const std::int64_t blockQ = resolveFlashBlocks(attention.blocks).blockQ;
        const std::int64_t queryBlocks = (queries + blockQ - 1) / blockQ;
        return real(queryBlocks) * 2 * real(keys) * width() / m_plan.layout.shape().tensor *
               bytesPerActivation;
    }

    /// A ring adds up a partial for each rotation.
    [[nodiscard]] double mergedBytes() const {
        return m_attention.rotations * 2 * bytesPerActivation * m_share *
               real(m_plan.tokens * m_config.innerDim());
    }

    /// What one block reads and writes beside the weights: three norms and three sums on the f32 stream, and
    /// the inputs and outputs of products, heads and the feed-forward between them.
    [[nodiscard]] double blockBytes() const {
        constexpr double streamPasses = 9;
        constexpr double headPasses = 20;
        const auto element = static_cast<double>(sizeOf(m_plan.precision.transformer.activations));
        return m_share * real(m_plan.tokens) *
               (streamPasses * bytesPerActivation * width() +
                element * (headPasses * width() + 2 * real(m_config.ffnDim)));
    }

    [[nodiscard]] double weightBytes() const {
        const int tensor = m_plan.layout.shape().tensor;
        return static_cast<double>(
            wanWeightBytes(m_config, 1, tensor, m_plan.precision.transformer).resident);
    }

    static double meetings(const AttentionSettings& attention) {
        return static_cast<double>(attentionCollectives(*attention.mode).size()) * attention.chunks;
    }

    const RunPlan& m_plan;
    const WanTransformerConfig& m_config;
    EffectiveAttention m_attention;
    std::int64_t m_textTokens;
    std::int64_t m_ownTokens;
    double m_share;  // of the model's work, on one device
};

}  // namespace

Work stepWork(const RunPlan& plan, std::int64_t textTokens) {
    const PassWork pass(plan, textTokens);
    const int passes = passesPerStep(plan);
    Work work = real(passes) * pass.all();
    const MeshShape mesh = plan.layout.shape();
    if (plan.guided && mesh.data * mesh.fsdp == 1)
        work += -real(plan.latentShape[0]) * pass.shared();
    work[WorkClass::Messages] += passes * pass.messages();
    for (const MeshTraffic& part : trafficPerStep(plan))
        work[WorkClass::Exchange] += real(part.bytes);
    return work;
}

}  // namespace meshreel
