// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/transformer_flops.h"

namespace meshreel {
namespace {

double real(std::int64_t value) {
    return static_cast<double>(value);
}

}  // namespace

double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens,
                            std::int64_t textTokens) {
    const double s = real(tokens);
    const double n = real(config.innerDim());
    const double patch = real(config.patchElements());
    const double projections = 6 * 2 * s * n * n;  // self: q, k, v, out; cross: q, out
    const double attention = 2 * 2 * s * (s + real(textTokens)) * n;
    const double feedForward = 2 * 2 * s * n * real(config.ffnDim);
    const double ends = 2 * s * n * patch * real(config.inChannels + config.outChannels);
    return real(config.layers) * (projections + attention + feedForward) + ends;
}

double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens) {
    const double s = real(tokens);
    return real(config.layers) * 2 * 2 * s * s * real(config.innerDim());
}

double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens) {
    const double n = real(config.innerDim());
    return real(config.layers) * 2 * 2 * real(textTokens) * n * n;
}

}  // namespace meshreel
