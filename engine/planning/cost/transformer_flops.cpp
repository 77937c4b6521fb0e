// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/transformer_flops.h"

#include <vector>

#include "engine/base/real.h"

namespace meshreel {
namespace {

double product(double rows, double in, double out) {
    return 2 * rows * in * out;
}

}  // namespace

std::int64_t imageTokens(const WanTransformerConfig& config) {
    constexpr std::int64_t clipTokens = 257;  // 16 x 16 patches of 14 x 14 pixels, and the class
    if (config.imagePositions > 0)
        return config.imagePositions;
    return config.imageDim > 0 ? clipTokens : 0;
}

std::int64_t allBlocks(const WanTransformerConfig& config) {
    return config.layers + static_cast<std::int64_t>(config.vaceLayers.size());
}

std::int64_t faceAdapters(const WanTransformerConfig& config) {
    return config.animate ? config.layers / config.animate->blocksPerAdapter : 0;
}

double linearFlops(const WanTransformerConfig& config, std::int64_t tokens) {
    const double s = real(tokens);
    const double n = real(config.innerDim());
    const double patch = real(config.patchElements());
    const double projections = 6 * 2 * s * n * n;  // self: q, k, v, out; cross: q, out
    const double feedForward = 2 * 2 * s * n * real(config.ffnDim);
    const std::int64_t poseChannels = config.animate ? config.animate->poseChannels : 0;
    const double ends =
        2 * s * n * patch * real(config.inChannels + config.outChannels + config.vaceChannels + poseChannels);
    const auto hints = static_cast<double>(config.vaceLayers.size());
    const double control = hints > 0 ? (hints + 1) * product(s, n, n) : 0;
    const double faces = config.animate ? real(faceAdapters(config)) * 2 * product(s, n, n) : 0;
    return real(allBlocks(config)) * (projections + feedForward) + ends + control + faces;
}

double crossAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens) {
    const double s = real(tokens);
    const double n = real(config.innerDim());
    const double faces =
        config.animate ? real(faceAdapters(config)) * 2 * product(s, real(config.animate->faceTokens()), n)
                       : 0;
    return real(allBlocks(config)) * 2 * 2 * s * real(textTokens + imageTokens(config)) * n + faces;
}

double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens,
                            std::int64_t textTokens) {
    return linearFlops(config, tokens) + selfAttentionFlops(config, tokens) +
           crossAttentionFlops(config, tokens, textTokens);
}

double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens) {
    const double s = real(tokens);
    return real(allBlocks(config)) * 2 * 2 * s * s * real(config.innerDim());
}

double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens) {
    const double n = real(config.innerDim());
    return real(allBlocks(config)) * 2 * product(real(textTokens + imageTokens(config)), n, n);
}

double faceFlops(const WanTransformerConfig& config, std::int64_t faces) {
    constexpr double kernel = 9;  // 3 x 3
    if (!config.animate)
        return 0;
    const std::vector<std::int64_t>& channels = config.animate->channels;
    double pixels = real(config.animate->faceSide) * real(config.animate->faceSide);
    double one = 0;
    for (std::size_t block = 0; block + 1 < channels.size(); ++block) {
        const double in = real(channels[block]);
        const double out = real(channels[block + 1]);
        one += product(pixels, in * kernel, in) + product(pixels / 4, in * (kernel + 1), out);
        pixels /= 4;
    }
    return real(faces) * (one + product(pixels, real(channels.back()), real(config.animate->styleDim)));
}

}  // namespace meshreel
