// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pipelines/conditioning_phase.h"
#include "engine/pipelines/generation_context.h"

namespace meshreel {

/// The latents of the finished video, on every process. Steps and
/// switches between experts are told to the observer and appended to `result`; of two experts only the one at
/// work stays in memory, unless the plan has room for both.
Tensor denoiseOnMesh(const GenerationContext& context, LoadedModel& model, const Conditions& conditions,
                     GenerationResult& result);

}  // namespace meshreel
