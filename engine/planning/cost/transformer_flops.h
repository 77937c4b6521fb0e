// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/transformer/wan_transformer_config.h"

namespace meshreel {

/// Tokens of the images that a transformer is given, as CLIP ViT-H makes them; 0 when it takes none.
std::int64_t imageTokens(const WanTransformerConfig& config);

/// Blocks of both streams, where a VACE model has a second one.
std::int64_t allBlocks(const WanTransformerConfig& config);

/// Adapters that an Animate model has behind its blocks.
std::int64_t faceAdapters(const WanTransformerConfig& config);

/// Floating-point operations, a multiply-add being two, of the matrix products of one forward pass of the
/// transformer over `tokens` that attend to a text of `textTokens`; the keys and values of text, image and
/// faces apart.
double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens);

/// Of these the linear layers: of the blocks, the embeddings and the output.
double linearFlops(const WanTransformerConfig& config, std::int64_t tokens);

/// Of these the part that grows with the square of the tokens: scores and sums of self-attention.
double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens);

/// Of these the scores and sums of attention to text, images and faces.
double crossAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens);

/// Cross-attention keys and values of text and image of all blocks, once per prompt.
double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens);

/// The convolutions that an Animate model sees so many face images with, once per run; 0 of other models.
double faceFlops(const WanTransformerConfig& config, std::int64_t faces);

}  // namespace meshreel
