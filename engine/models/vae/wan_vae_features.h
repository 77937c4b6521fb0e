// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// Inside the VAE one sample's features are [T, H, W, C]: channels last, frames contiguous. f32 unless said
// otherwise.

//
// Where pixels are coded in squares of patch × patch, features [T, H/patch, W/patch, C·patch²] stand for
// videos [B, C, T, H, W]: column x and row y of a square's channel c are channel (c·patch + x)·patch + y.

/// Some columns of sample `index` of a [B, C, T, H, W] tensor as features. H and the columns are whole
/// patches.
Tensor featuresOfSample(const Tensor& batch, std::int64_t index, const ShardRange& columns,
                        std::int64_t patch);

/// Features of equal shapes, one a sample, as [B, C, T, H, W].
Tensor batchOfFeatures(std::span<const Tensor> samples, std::int64_t patch);

/// Writes features to frames from `firstFrame` on of sample `index` of a [B, C, T, H, W] tensor.
void placeFeatures(const Tensor& features, std::int64_t index, std::int64_t firstFrame, std::int64_t patch,
                   Tensor& batch);

/// Chunks of any one type, one after the other in time; they agree in everything else.
Tensor joinFrames(std::span<const Tensor> chunks);

/// Rows [top, top + height) and columns [left, left + width) of every frame, cut at the frame's border.
Tensor cropFeatures(const Tensor& features, std::int64_t top, std::int64_t left, std::int64_t height,
                    std::int64_t width);

}  // namespace meshreel
