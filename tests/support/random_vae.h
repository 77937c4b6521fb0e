// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/vae/wan_vae.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel::testing {

/// Weights for a VAE of any config, random and scaled so that activations stay of order one.
class RandomVaeWeights {
  public:
    RandomVaeWeights(const WanVaeConfig& config, std::uint32_t seed) : m_seed(seed) {
        addEncoder(config);
        addDecoder(config);
    }

    [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return m_tensors; }

  private:
    void add(const std::string& name, const Shape& shape, float scale, float offset = 0.0F) {
        Tensor values = randomTensor(shape, ++m_seed);
        for (float& value : values.data<float>())
            value = offset + scale * value;
        m_tensors.push_back({name, values});
    }

    void addGamma(const std::string& name, const Shape& shape) { add(name + ".gamma", shape, 0.2F, 1.0F); }

    void addConvolution(const std::string& name, const Shape& weight) {
        const auto fanIn = static_cast<float>(weight.elements() / weight[0]);
        add(name + ".weight", weight, 1.0F / std::sqrt(fanIn));
        add(name + ".bias", {weight[0]}, 0.1F);
    }

    void addResidual(const std::string& name, std::int64_t in, std::int64_t out) {
        addGamma(name + ".norm1", {in, 1, 1, 1});
        addGamma(name + ".norm2", {out, 1, 1, 1});
        addConvolution(name + ".conv1", {out, in, 3, 3, 3});
        addConvolution(name + ".conv2", {out, out, 3, 3, 3});
        if (in != out)
            addConvolution(name + ".conv_shortcut", {out, in, 1, 1, 1});
    }

    void addMid(const std::string& name, std::int64_t channels) {
        addResidual(name + ".resnets.0", channels, channels);
        addGamma(name + ".attentions.0.norm", {channels, 1, 1});
        addConvolution(name + ".attentions.0.to_qkv", {3 * channels, channels, 1, 1});
        addConvolution(name + ".attentions.0.proj", {channels, channels, 1, 1});
        addResidual(name + ".resnets.1", channels, channels);
    }

    void addEncoder(const WanVaeConfig& config) {
        std::int64_t channels = config.baseDim;
        addConvolution("encoder.conv_in", {channels, config.inChannels, 3, 3, 3});
        int block = 0;  // of Wan 2.1's one list
        const auto nameOf = [&](std::size_t level, const std::string& layer) {
            return config.isResidual ? fmt::format("encoder.down_blocks.{}.{}", level, layer)
                                     : fmt::format("encoder.down_blocks.{}", block++);
        };
        for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
            for (std::int64_t i = 0; i < config.numResBlocks; ++i) {
                addResidual(nameOf(level, fmt::format("resnets.{}", i)), channels,
                            config.baseDim * config.dimMult[level]);
                channels = config.baseDim * config.dimMult[level];
            }
            if (level + 1 == config.dimMult.size())
                break;
            const std::string name = nameOf(level, "downsampler");
            addConvolution(name + ".resample.1", {channels, channels, 3, 3});
            if (config.temporalDownsample[level])
                addConvolution(name + ".time_conv", {channels, channels, 3, 1, 1});
        }
        addMid("encoder.mid_block", channels);
        addGamma("encoder.norm_out", {channels, 1, 1, 1});
        addConvolution("encoder.conv_out", {2 * config.zDim, channels, 3, 3, 3});
        addConvolution("quant_conv", {2 * config.zDim, 2 * config.zDim, 1, 1, 1});
    }

    void addDecoder(const WanVaeConfig& config) {
        std::int64_t channels = config.decoderBaseDim * config.dimMult.back();
        addConvolution("post_quant_conv", {config.zDim, config.zDim, 1, 1, 1});
        addConvolution("decoder.conv_in", {channels, config.zDim, 3, 3, 3});
        addMid("decoder.mid_block", channels);
        for (std::size_t level = config.dimMult.size(); level-- > 0;) {
            const std::string name = fmt::format("decoder.up_blocks.{}", config.dimMult.size() - 1 - level);
            for (std::int64_t i = 0; i <= config.numResBlocks; ++i) {
                addResidual(fmt::format("{}.resnets.{}", name, i), channels,
                            config.decoderBaseDim * config.dimMult[level]);
                channels = config.decoderBaseDim * config.dimMult[level];
            }
            if (level == 0)
                break;
            const std::string upsampler = name + (config.isResidual ? ".upsampler" : ".upsamplers.0");
            const std::int64_t narrower = config.isResidual ? channels : channels / 2;
            addConvolution(upsampler + ".resample.1", {narrower, channels, 3, 3});
            if (config.temporalDownsample[level - 1])
                addConvolution(upsampler + ".time_conv", {2 * channels, channels, 3, 1, 1});
            channels = narrower;
        }
        addGamma("decoder.norm_out", {channels, 1, 1, 1});
        addConvolution("decoder.conv_out", {config.outChannels, channels, 3, 3, 3});
    }

    std::uint32_t m_seed;
    std::vector<NamedTensor> m_tensors;
};

inline WanVae randomVae(const WanVaeConfig& config, std::uint32_t seed, const VaeChunks& chunks = {}) {
    const TemporaryFolder folder;
    writeSafetensors(folder / "vae.safetensors", RandomVaeWeights(config, seed).tensors());
    return {config, Checkpoint::open(folder / "vae.safetensors"), {}, chunks};
}

}  // namespace meshreel::testing
