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

Tensor guide(std::span<const Tensor> predictions, const GuidedPasses& passes) {
    if (predictions.empty() || predictions.size() != passes.size())
        throw Error(ErrorKind::Internal, "guidance got another number of predictions than of passes");
    const std::size_t last = passes.size() - 1;
    if (last == 0)
        return predictions.front();
    Tensor guided = guide(predictions[last - 1], predictions[last], passes[last - 1].scale);
    const auto out = guided.data<float>();
    for (std::size_t pass = last - 1; pass > 0; --pass) {
        const auto factor = static_cast<float>(passes[pass - 1].scale);
        const auto with = predictions[pass - 1].data<float>();
        const auto without = predictions[pass].data<float>();
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += factor * (with[i] - without[i]);
    }
    return guided;
}

}  // namespace meshreel
