// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/planning/video_shape.h"
#include "engine/verification/benchmarks/benchmark_run.h"

namespace meshreel {

/// The transformer that the options name, of as many layers as they say. Throws Error{Project} for
/// architectures that are no text-to-video transformer of Wan 2.1, and as configOf().
WanTransformerConfig transformerConfig(const BenchmarkOptions& options);

/// Latents of the options' video [1, channels, frames, height, width]. Throws Error{Project} for sides that
/// 16 does not divide and frames that are not 4n + 1.
Shape latentShape(const BenchmarkOptions& options, const WanTransformerConfig& config);

}  // namespace meshreel
