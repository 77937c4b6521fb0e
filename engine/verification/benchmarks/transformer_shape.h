// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/models/wan_transformer_config.h"
#include "engine/planning/video_shape.h"
#include "engine/tensor/dtype.h"
#include "engine/verification/benchmarks/benchmark_run.h"
#include "engine/weights/tensor_spec.h"

namespace meshreel {

/// The transformer that the options name, of as many layers as they say. Throws Error{Project} for
/// architectures that are no text-to-video transformer of Wan 2.1, and as configOf().
WanTransformerConfig transformerConfig(const BenchmarkOptions& options);

/// Latents of the options' video [1, channels, frames, height, width]. Throws Error{Project} for sides that
/// 16 does not divide and frames that are not 4n + 1.
Shape latentShape(const BenchmarkOptions& options, const WanTransformerConfig& config);

/// The tensors of a transformer, all of `dtype`.
std::vector<TensorSpec> wanTensors(const WanTransformerConfig& config, DType dtype);

}  // namespace meshreel
