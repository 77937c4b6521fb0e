// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/catalogue/model_facts.h"
#include "engine/estimates/workload.h"
#include "engine/project/project.h"

namespace meshreel {

/// Floating-point operations, a multiply-add being two.
struct FlopEstimate {
    double textContext = 0;       ///< cross-attention keys and values, once per prompt
    double transformerPass = 0;   ///< matrix products of one forward pass of the transformer
    double step = 0;              ///< for one denoising step, guidance included
    double denoising = 0;         ///< for all steps
    double maxDiffusionPass = 0;  ///< one forward as MaxDiffusion's Wan trainer counts it, to compare figures
};

FlopEstimate estimateFlops(const Project& project, const ModelFacts& model, const Workload& work);

}  // namespace meshreel
