// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/flop_estimate.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

#include "engine/base/numbers.h"
#include "engine/estimates/work.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_config.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

/// MaxDiffusion's Wan trainer (maxdiffusion_utils, calculate_wan_tflops' working half), forward only: it
/// counts the keys and values of cross-attention three times and leaves the embeddings and the head out.
double maxDiffusionFlops(const WanTransformerConfig& config, double s, double t) {
    const double n = real(config.innerDim());
    const double self = 3 * 2 * s * n * n + 2 * 2 * s * s * n;
    const double cross = 3 * 2 * t * n * n + 2 * s * n * n + 2 * 2 * s * t * n;
    return real(config.layers) * (self + cross + 2 * 2 * s * n * n + 2 * 2 * s * n * real(config.ffnDim));
}

}  // namespace

FlopEstimate estimateFlops(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanTransformerConfig& config = model.transformer;
    const std::int64_t text = project.maxSequenceLength;
    const double videos = real(work.latentShape[0]);
    const int passes = work.rowsOfVideo();
    // A pass of the driving video: for each segment, or beside each other pass.
    const double driving =
        work.drivingKeys ? transformerPassFlops(config, work.drivingPairs().keyLength(), text) : 0;
    double besidePass = work.drivingKeys ? pairedAttentionFlops(config, work.tokens, work.passFrames) : 0;
    if (work.drivingKeys == DrivingKeysUse::Recomputed)
        besidePass += driving;
    const auto passFlops = [&](std::int64_t tokens) {
        return transformerPassFlops(config, tokens, text) + besidePass;
    };

    FlopEstimate estimate;
    estimate.textContext = textContextFlops(config, text) + faceFlops(config, project.numFrames) +
                           std::max(work.clips, 1) * soundContextFlops(config);
    estimate.transformerPass = passFlops(work.tokens);
    double passesOfStep = passes * estimate.transformerPass;
    if (work.guided && !work.passTokens.empty())
        passesOfStep = std::transform_reduce(work.passTokens.begin(), work.passTokens.end(), 0.0,
                                             std::plus<>(), passFlops);
    double negative = 0;
    for (const PassCount& pass : work.negativePasses)
        negative += real(pass.times) * passFlops(pass.tokens);
    const bool attentionGuided = attentionGuidance(project).acts();
    const double guidance = attentionGuided ? attentionGuidanceFlops(config, work.tokens, text) : 0;
    const std::int64_t texts = (attentionGuided ? std::max(passes, 2) : passes) + work.textsOfPrompt - 1;
    estimate.step = videos * work.windows * (passesOfStep + guidance);
    estimate.denoising =
        videos * (real(work.steps) * estimate.transformerPass + negative + real(work.steps) * guidance +
                  real(model.experts() * texts) * estimate.textContext);
    if (work.drivingKeys)
        estimate.denoising += estimate.textContext;
    if (work.drivingKeys && work.drivingKeys != DrivingKeysUse::Recomputed)
        estimate.denoising += real(work.segments) * driving;
    estimate.maxDiffusionPass = maxDiffusionFlops(config, real(work.tokens), real(text));
    return estimate;
}

}  // namespace meshreel
