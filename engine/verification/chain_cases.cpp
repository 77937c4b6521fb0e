// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/chain_cases.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/pipelines/clip_chain.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

bool isChainOutput(const std::string& name) {
    return name.find(".in.") == std::string::npos;
}

Tensor withBatchOfOne(const Tensor& tensor) {
    return tensor.reshaped({1, tensor.extent(0), tensor.extent(1), tensor.extent(2), tensor.extent(3)});
}

}  // namespace

void verifyChainCondition(const Execution& /*execution*/, const GoldenFiles& files,
                          GoldenComparison& comparison) {
    files.requireClass("WanImageToVideoSVIPro");
    comparison = GoldenComparison(files.tensors(), isChainOutput);
    constexpr std::int64_t temporalFactor = 4;
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const auto motion = params.at("motion_latents").get<std::int64_t>();
        const Tensor anchor = withBatchOfOne(comparison.golden().get(variant + ".in.anchor"));
        std::optional<Tensor> before;
        if (motion > 0)
            before = withBatchOfOne(comparison.golden().get(variant + ".in.previous"));
        const std::int64_t latentFrames = (params.at("frames").get<std::int64_t>() - 1) / temporalFactor + 1;
        const Tensor channels = chainChannels(anchor, before, motion, latentFrames, temporalFactor);
        comparison.compare(variant + ".y",
                           channels.reshaped({channels.extent(1), channels.extent(2), channels.extent(3),
                                              channels.extent(4)}),
                           exactly);
    }
}

}  // namespace meshreel
