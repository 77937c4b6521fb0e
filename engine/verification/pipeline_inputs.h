// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/verification/golden_comparison.h"
#include "engine/verification/golden_files.h"
#include "engine/verification/pipeline_call.h"

namespace meshreel {

/// Tensors of a golden pipeline case that are given to the pipeline, beside latents and embeddings.
bool isPipelineInput(const std::string& name);

/// The task of a case, by what it is given.
WanTask taskOf(const GoldenFiles& files, const SafetensorsFile& golden);

/// What the case gives to see, at the video's size, as the pipeline prepares it; checks the prepared pixels
/// and what CLIP makes of them.
VisualInputs pipelineInputs(const Execution& execution, const GoldenFiles& files,
                            const VideoGeometry& geometry, GoldenComparison& comparison);

/// Encodes with the case's VAE and checks every posterior's mean in its turn.
EncodeVideo checkedEncoder(const Execution& execution, const WanVae& vae, GoldenComparison& comparison,
                           GoldenTolerance tolerance);

/// Checks the conditioning against what the case holds of it.
void compareConditioning(const VisualConditioning& visual, std::int64_t latentChannels, const Shape& latents,
                         GoldenComparison& comparison, GoldenTolerance tolerance);

}  // namespace meshreel
