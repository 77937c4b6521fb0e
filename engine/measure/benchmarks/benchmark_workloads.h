// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Returns the type of the rows that a layer of this arithmetic takes and makes.
DType rowType(Arithmetic arithmetic);

/// Returns the transformer that the options name, with as many layers as they say. Throws Error{Project} for
/// architectures other than text-to-video transformers of Wan 2.1, and as configOf() does.
WanTransformerConfig transformerConfig(const BenchmarkOptions& options);

/// Returns the latents of the options' video [1, channels, frames, height, width]. Throws Error{Project} for
/// sides that 16 does not divide and frames that are not 4n + 1.
Shape latentShape(const BenchmarkOptions& options, const WanTransformerConfig& config);

}  // namespace meshreel
