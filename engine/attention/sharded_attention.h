// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One device's part of one attention whose tokens are shared out over the context axis by shardOf(). Tensors
/// are f32 or all bf16, row-major.
struct ShardedAttentionInputs {
    std::int64_t queryLength = 0;  ///< of the whole sequence
    std::int64_t keyLength = 0;    ///< of the whole sequence
    bool keysSharded = true;       ///< false: every device holds all keys (text); nothing is exchanged
    Tensor query;  ///< [batch, this device's query tokens, heads, headDim]; heads after the tensor axis
    Tensor key;    ///< [batch, this device's key tokens, heads, headDim]; may be overwritten
    Tensor value;  ///< as key; may be overwritten
    std::span<const std::uint8_t> keep = {};  ///< [batch, keyLength], 0 = masked, the same on every device;
                                              ///< empty: all are attended
    float scale = 0.0F;                       ///< of q·k, usually 1/√headDim; must be set
};

/// What an attention did on this device.
struct AttentionReport {
    std::string_view effectiveMode;  ///< name of the mode that ran
    int rotations = 0;               ///< hops of keys and values between devices
    ShardRange heads;                ///< computed here, of the inputs' heads (first chunk when chunked)
    ShardRange queryTokens;          ///< whose attention was computed here, of the whole sequence
};

/// out [batch, this device's query tokens, heads, headDim], of the inputs' type =
/// softmax(scale·q·kᵀ)·v over the kept keys of the whole sequence; a query without any kept key gives zeros.
/// All devices of the context axis call it together. Buffers come from `scratch`: two times key and value for
/// a ring, query, key, value and output for Ulysses. Settings are legal (attentionProblems is empty;
/// Error{Project} otherwise).
AttentionReport attendSharded(Device& device, const AttentionSettings& settings,
                              const ShardedAttentionInputs& inputs, Tensor& out, ScratchArena& scratch);

}  // namespace meshreel
