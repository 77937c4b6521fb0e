// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/wan_transformer_config.h"

namespace meshreel {

/// Floating-point operations, a multiply-add being two, of the matrix products of one forward pass of the
/// transformer over `tokens` that attend to a text of `textTokens`; the keys and values of the text apart.
double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens);

/// Of these the part that grows with the square of the tokens: scores and sums of self-attention.
double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens);

/// Cross-attention keys and values of all blocks, once per prompt.
double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens);

}  // namespace meshreel
