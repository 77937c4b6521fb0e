// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/flow_euler_scheduler.h"

#include <algorithm>

namespace meshreel {

Tensor FlowEulerScheduler::advance(const Tensor& modelOutput, const Tensor& sample) {
    const auto here = static_cast<std::size_t>(stepIndex());
    const float difference = sigmas()[here + 1] - sigmas()[here];
    Tensor next = Tensor::empty(sample.shape());
    std::ranges::transform(sample.data<float>(), modelOutput.data<float>(), next.data<float>().begin(),
                           [difference](float x, float velocity) { return x + difference * velocity; });
    return next;
}

}  // namespace meshreel
