// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/guidance.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/error.h"

namespace meshreel {

Tensor guide(const Tensor& cond, const Tensor& uncond, double scale) {
    if (cond.shape() != uncond.shape())
        throw Error(ErrorKind::Internal, "guidance got predictions of shapes " + cond.shape().text() +
                                             " and " + uncond.shape().text());
    const auto factor = static_cast<float>(scale);
    Tensor guided = Tensor::empty(cond.shape());
    std::ranges::transform(
        cond.data<float>(), uncond.data<float>(), guided.data<float>().begin(),
        [factor](float with, float without) { return without + factor * (with - without); });
    return guided;
}

Tensor guide(const Tensor& cond, const Tensor& uncond, const Tensor& neither, double scale,
             double imageScale) {
    Tensor guided = guide(uncond, neither, imageScale);
    const auto factor = static_cast<float>(scale);
    const auto prompts = cond.data<float>();
    const auto images = uncond.data<float>();
    const auto out = guided.data<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += factor * (prompts[i] - images[i]);
    return guided;
}

}  // namespace meshreel
