// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/flow_lcm_scheduler.h"

#include <algorithm>

#include "engine/sampling/schedulers/model_output_history.h"

namespace meshreel {

Tensor FlowLcmScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
    const auto here = static_cast<std::size_t>(stepIndex());
    const float next = sigmas()[here + 1];
    Tensor clean = predictedClean(modelOutput, sample, sigmas()[here]);
    if (next == 0.0F)
        return clean;
    const Tensor noise = stepNoise(sample.shape());
    std::ranges::transform(clean.data<float>(), noise.data<float>(), clean.data<float>().begin(),
                           [next](float x, float n) { return (1.0F - next) * x + next * n; });
    return clean;
}

}  // namespace meshreel
