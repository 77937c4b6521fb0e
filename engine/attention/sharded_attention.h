// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/attention/attention_plan.h"
#include "engine/attention/fixed_m_log.h"
#include "engine/attention/paired_keys.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/sparse_counts.h"

namespace meshreel {

/// Keys of the whole sequence whose scores get a number for each frame of the queries' video.
struct BiasedKeys {
    ShardRange keys;
    std::span<const float> ofFrames;  ///< as in FrameBias
};

/// One device's part of one attention whose tokens shardRange() shards over the context axis. Tensors are f32
/// or all bf16, row-major.
struct ShardedAttentionInputs {
    std::int64_t queryLength = 0;  ///< for the whole sequence
    std::int64_t keyLength = 0;    ///< for the whole sequence
    /// [batch, this device's query tokens, heads, headDim]; heads after the tensor axis. Overwritten by a
    /// ring between ulysses groups.
    Tensor query;
    Tensor key;    ///< [batch, this device's key tokens, heads, headDim]; overwritten by a ring. All keys
                   ///< where the plan does not shard them
    Tensor value;  ///< shaped as key; a ring overwrites it
    std::span<const std::uint8_t> keyMask = {};  ///< [batch, keyLength], 0 = masked, the same on every
                                                 ///< device; empty: all are attended
    std::int64_t lastKeyCount = 1;  ///< how many equal keys the last one of the sequence stands for; no mask
                                    ///< is allowed when above 1
    /// In ascending order, without overlap; other keys have no bias. Each range, and what lies between, is
    /// attended to by itself: its bias is exact.
    std::span<const BiasedKeys> biasedKeys = {};
    std::int64_t tokensPerFrame = 1;  ///< of the queries, for these
    /// Keys that queries attend to beside the sequence's, each those of one frame; null: none. Where the plan
    /// shards the keys of the sequence.
    const PairedKeys* paired = nullptr;
    double scale = 0.0;  ///< factor for q·k, usually 1/√headDim; must be set
    /// Of a plan with a SparseRule, and only then: how the sequence is cut into blocks. Queries and keys are
    /// the same tokens.
    const SparseTokens* sparse = nullptr;
    /// Compares a block of queries of one head with dense attention to all keys; not where these lie on
    /// several devices of a ring.
    bool checksSparse = false;
};

/// What an attention did on this device.
struct AttentionReport {
    std::string_view effectiveMode;  ///< name of the mode that ran
    int rotations = 0;               ///< hops of (each chunk's) keys and values between devices
    ShardRange heads;                ///< computed here, of the inputs' heads (first chunk when chunked)
    ShardRange queryTokens;          ///< the queries whose attention was computed here, within the whole
                                     ///< sequence
    FixedMOutcome fixedM;            ///< for those of the inputs' heads that were computed here; empty
                                     ///< without fixed m
    SparseCounts sparse;             ///< of this device; zeros without a SparseRule
};

/// out [batch, this device's query tokens, heads, headDim], of the inputs' type =
/// softmax(scale·q·kᵀ)·v over the kept keys of the whole sequence; a query without any kept key gives zeros.
/// All devices of the context axis call it together. The keys and values held by every device are not
/// overwritten. The plan is of this model on this mesh. Throws Error{Internal} for tensors of wrong shape and
/// for a plan of another mesh.
///
/// Computes this device's part of the attention. Buffers come from `scratch`, see
/// AttentionPlan::exchangedShards(): a gather takes key and value of all devices; Ulysses key and value, with
/// several chunks, or more heads than other devices have, query and output as well; a ring between processes
/// one more pair of key and value, a bidirectional one up to three, and another pair when a device's shard is
/// shorter than others; a ring of bf16 also an f32 output. A ring between ulysses groups keeps its first pair
/// in the inputs' memory if that is long enough and there is one chunk. A ring within one process reads keys
/// and values in their owners' memory and takes no pair. With biased or paired keys there are sums of several
/// parts on every device: AttentionAccumulator::sumShards(). The report uses the memory of `earlier`, an
/// outcome that is read already. Block-sparse attention chooses blocks before keys move (BlockSelection),
/// leaves out shards that have none of them, and keeps its lists in the thread's own memory.
AttentionReport attendSharded(Device& device, const AttentionPlan& plan, const ShardedAttentionInputs& inputs,
                              Tensor& out, ScratchArena& scratch, FixedMOutcome earlier = {});

}  // namespace meshreel
