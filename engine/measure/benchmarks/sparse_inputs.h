// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/base/worker_pool.h"
#include "engine/kernels/rows/rope.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What the attention of a made-up video looks like.
enum class AttentionPattern : std::uint8_t {
    Local,     ///< to what is near in space and time
    Periodic,  ///< to the same place in every frame
    Sinks,     ///< as Local, and to a few tokens of the first frame
    Random,    ///< to nothing in particular: a control
};

struct AttentionPatternRow {
    AttentionPattern pattern;
    std::string_view name;
};

/// In the order of the enumeration.
inline constexpr std::array attentionPatterns{AttentionPatternRow{AttentionPattern::Local, "local"},
                                              AttentionPatternRow{AttentionPattern::Periodic, "periodic"},
                                              AttentionPatternRow{AttentionPattern::Sinks, "sinks"},
                                              AttentionPatternRow{AttentionPattern::Random, "random"}};

/// Queries, keys and values [1, tokens, heads, headDim].
struct PatternedRows {
    Tensor query;
    Tensor key;
    Tensor value;
};

/// Makes the rows of a pattern, the same for the same seed whatever the workers. Queries and keys are random
/// Fourier features of a token's place p (frame, row, column): cos(ω·p) and sin(ω·p) for headDim / 2 normal ω
/// of deviation 1 / ℓ, so that the score of two tokens with the scale 1 / √headDim is about 10 · exp(-|p -
/// p'|² / 2ℓ²), with normal noise of deviation 0.5 on each number. ℓ is 1.5, 3, 6 or 12 tokens, by the head;
/// a frame counts as two tokens, and as none for Periodic. With Sinks the score of 16 tokens spread over the
/// first frame is 6 more for every query. Random has standard-normal queries and keys. Values are such
/// features of ℓ = 8, with the same noise. docs/attention.md says what they are for.
PatternedRows makePatternedRows(AttentionPattern pattern, const TokenGrid& video, std::int64_t heads,
                                std::int64_t headDim, DType type, std::uint64_t seed, WorkerPool& workers);

}  // namespace meshreel
