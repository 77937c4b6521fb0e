// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/kernels/attention/kernel_plan.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Where exchanged data lie: apart, or within one process, where the devices of a ring read each other's keys
/// in place; for devices that are GPUs on the host, from which each takes what it attends to.
enum class RingMemory : std::uint8_t { Apart, Shared, Staged };

/// How one attention runs: planAttention() decides it once; the kernels, the exchanges, the estimates of
/// memory, traffic and time, and the displays read it. None of them looks at AttentionSettings.
struct AttentionPlan : AttentionKernelPlan {
    const AttentionMode* mode = nullptr;  ///< that runs: its name and words. It may be another than was asked
                                          ///< for, see flash_min_seq_length
    Exchange exchange = Exchange::Gather;  ///< Ulysses too where a gathering mode shards heads instead
    Rotation rotation = Rotation::None;
    ContextSplit split = {};              ///< along the context axis
    bool keysSharded = true;              ///< false: every device holds all keys; nothing is exchanged
    std::int64_t heads = 1;               ///< of a device before an exchange: after the tensor axis
    std::vector<ShardRange> chunks = {};  ///< of these heads, exchanged one chunk after the other

    /// Returns the hops of keys and values in the exchange of one chunk.
    [[nodiscard]] int rotations() const { return rotation == Rotation::None ? 0 : split.ring - 1; }

    /// Returns the devices between which heads are exchanged; 1: each computes all of its heads.
    [[nodiscard]] int headSharers() const { return keysSharded ? split.ulysses : 1; }

    /// Returns the heads that the device with most of them computes: ⌈heads / headSharers()⌉.
    [[nodiscard]] std::int64_t mostHeads() const;

    /// Returns how many times the mean the device with most heads computes and receives of an exchange; 1
    /// where the devices divide the heads. Its inverse is the efficiency of the split.
    [[nodiscard]] double headExcess() const;

    /// Returns what attendSharded() takes from its scratch at most, without maxima and sums, in shards of one
    /// device's query, on the device with most heads, if every device holds equally many tokens. Staging
    /// takes as much again on the host.
    [[nodiscard]] double exchangedShards(DType type, RingMemory ring) const;

    /// Returns what attention to keys with biases by frame takes of the scratch in addition, in the same
    /// shards.
    [[nodiscard]] double biasedShards(DType type, bool onDevice) const;
};

/// What the model and the mesh contribute to one attention.
struct AttentionShape {
    std::int64_t queryLength = 0;  ///< for the whole sequence
    std::int64_t keyLength = 0;    ///< for the whole sequence
    std::int64_t heads = 1;        ///< on one device: after the tensor axis
    int contextDevices = 1;
    bool keysSharded = true;  ///< false: every device holds all keys
};

/// Turns settings into decisions, and is the only place that does: the kernel (dot_product for a sequence
/// shorter than flash_min_seq_length), the split of the context axis, the block sizes for this CPU's caches,
/// the chunks of heads. Throws Error{Internal} for settings that are not legal
/// (engine/project/attention_check.h says which are).
AttentionPlan planAttention(const AttentionSettings& settings, const AttentionShape& shape);

/// Steps of the denoising loop in which self-attention is block-sparse.
struct SparsePhase {
    int firstStep = 0;
    int endStep = 0;
    AttentionPlan attention;  ///< as that of other steps, with a SparseRule
};

/// When self-attention leaves blocks out.
struct SparsePlan {
    std::vector<SparsePhase> phases;             ///< in the order of steps; none overlap
    std::vector<std::int64_t> denseLayers = {};  ///< transformer blocks that never do
    std::int64_t checkedLayer = 0;  ///< the block that compares with dense attention in each of these steps

    /// Returns the attention of a block in a step; null: the dense one.
    [[nodiscard]] const AttentionPlan* find(int step, std::int64_t layer) const;
    /// Returns how many steps leave blocks out in some layer.
    [[nodiscard]] int steps() const;
};

/// The attentions of a transformer's block.
struct AttentionPlans {
    AttentionPlan self;
    AttentionPlan text;                     ///< cross-attention to the text
    AttentionPlan image;                    ///< to the image; equal to `text` without one
    std::optional<SparsePlan> sparse = {};  ///< replaces `self` in some steps and blocks

    /// Returns the self-attention of a transformer block in a step of the loop; outside of a loop there is no
    /// step, and attention is dense.
    [[nodiscard]] const AttentionPlan& selfIn(std::optional<int> step, std::int64_t layer) const;
};

/// Which of a model's experts computes a step.
enum class ExpertNoise : std::uint8_t { Only, High, Low };

/// Steps of the denoising loop that one expert computes.
struct ExpertStretch {
    int firstStep = 0;
    int endStep = 0;
    ExpertNoise noise = ExpertNoise::Only;
};

/// What the model and the mesh say of a transformer's attentions.
struct TransformerShape {
    std::int64_t tokens = 0;       ///< in the video
    std::int64_t textTokens = 0;   ///< as given, padding included
    std::int64_t imageTokens = 0;  ///< 0: no image
    std::int64_t heads = 1;        ///< on one device: after the tensor axis
    int contextDevices = 1;
    std::int64_t layers = 0;  ///< transformer blocks
    /// Of the denoising loop, in their order; empty: they are not known, and attention is dense.
    std::vector<ExpertStretch> stretches = {};
};

/// Plans self- and cross-attention. Cross-attention runs with the mode that the requested one names for it
/// (AttentionMode::crossAttention, or longCrossAttention for a text or an image that is longer than the
/// video). Every device holds all of its keys, except in modes that exchange them as they exchange the
/// video's.
AttentionPlans planAttentions(const AttentionSettings& settings, const TransformerShape& shape);

/// Dense attention within one device, as the encoders run it.
const AttentionPlan& densePlan();

}  // namespace meshreel
