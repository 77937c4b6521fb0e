// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

// Each compares the outputs of one kind of network. All throw as verifyCase().

/// The Wan transformers (WanTransformer3DModel, WanVACETransformer3DModel, WanAnimateTransformer3DModel).
void verifyDit(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// The Wan VAE, 2.1 and 2.2 (AutoencoderKLWan), tiled and whole.
void verifyVae(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// The UMT5 text encoder.
void verifyUmt5(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// The CLIP image encoder and its image processor.
void verifyClipVision(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Adapters in six spellings, merged into a transformer.
void verifyLora(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// bf16, f16 and fp8 numbers, and weights in scaled fp8.
void verifyLowp(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Matrices in blocks and ComfyUI's layouts, whole and in parts.
void verifyStorage(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Configs, names and shapes of made checkpoints.
void verifyRealShapes(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

}  // namespace meshreel
