// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/kernels/attention/kernel_plan.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Where what devices exchange lies: apart, or within one process, where the devices of a ring read each
/// other's keys in place; of devices that are GPUs on the host, from which each takes what it attends.
enum class RingMemory : std::uint8_t { Apart, Shared, Staged };

/// How one attention runs: decided once by planAttention(), then read by the kernels, the exchanges, the
/// estimates of memory, traffic and time, and by what shows them. None of these looks at AttentionSettings.
struct AttentionPlan : AttentionKernelPlan {
    const AttentionMode* mode = nullptr;  ///< that runs: its name and words. It may be another than was asked
                                          ///< for, see flash_min_seq_length
    Exchange exchange = Exchange::Gather;  ///< Ulysses too where a gathering mode shards heads instead
    Rotation rotation = Rotation::None;
    ContextSplit split = {};              ///< of the context axis
    bool keysSharded = true;              ///< false: every device holds all keys; nothing is exchanged
    std::vector<ShardRange> chunks = {};  ///< of a device's heads, exchanged one after the other

    /// Hops of keys and values in the exchange of one chunk.
    [[nodiscard]] int rotations() const { return rotation == Rotation::None ? 0 : split.ring - 1; }

    /// What attendSharded() takes from its scratch at most, maxima and sums apart, in shards of the query of
    /// one device when all hold equally many tokens; of what is staged, as much again lies on the host.
    [[nodiscard]] int exchangedShards(DType type, RingMemory ring) const;
};

/// What the model and the mesh say of one attention.
struct AttentionShape {
    std::int64_t queryLength = 0;  ///< of the whole sequence
    std::int64_t keyLength = 0;    ///< of the whole sequence
    std::int64_t heads = 1;        ///< of one device: after the tensor axis
    int contextDevices = 1;
    bool keysSharded = true;  ///< false: every device holds all keys
};

/// The one place where settings become decisions: the kernel (dot_product for a sequence that is shorter than
/// flash_min_seq_length), the split of the context axis, the block sizes for this CPU's caches, the chunks of
/// heads. Throws Error{Internal} for settings that are not legal (engine/project/attention_check.h says which
/// are).
AttentionPlan planAttention(const AttentionSettings& settings, const AttentionShape& shape);

/// The attentions of a transformer's block.
struct AttentionPlans {
    AttentionPlan self;
    AttentionPlan text;   ///< cross-attention to the text
    AttentionPlan image;  ///< to the image; as text where there is none
};

/// What the model and the mesh say of a transformer's attentions.
struct TransformerShape {
    std::int64_t tokens = 0;       ///< of the video
    std::int64_t textTokens = 0;   ///< as they are given, padding included
    std::int64_t imageTokens = 0;  ///< 0: no image
    std::int64_t heads = 1;        ///< of one device: after the tensor axis
    int contextDevices = 1;
};

/// Cross-attention runs with the mode that the asked one names for it (AttentionMode::crossAttention, or
/// longCrossAttention for a text or an image that is longer than the video). Its keys are whole on every
/// device, but for modes that exchange them as they exchange the video's.
AttentionPlans planAttentions(const AttentionSettings& settings, const TransformerShape& shape);

/// Dense attention within one device, as the encoders run it.
const AttentionPlan& densePlan();

}  // namespace meshreel
