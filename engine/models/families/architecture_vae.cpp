// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/models/families/architecture_tensors.h"

namespace meshreel {
namespace {

constexpr std::int64_t kernel = 3;

Shape convolution(std::int64_t out, std::int64_t in) {
    return {out, in, kernel, kernel, kernel};
}

/// One half of the VAE. Wan 2.1 numbers residual blocks and resamplings of all levels in one list, or groups
/// them by level as `upsamplers`; Wan 2.2 (is_residual) groups both halves by level.
class VaeTensors {
  public:
    explicit VaeTensors(const nlohmann::json& config)
        : m_grouped(config.at("is_residual").get<bool>()),
          m_multiples(config.at("dim_mult").get<std::vector<std::int64_t>>()),
          m_temporal(config.at("temperal_downsample").get<std::vector<bool>>()),
          m_residualBlocks(config.at("num_res_blocks").get<std::int64_t>()) {}

    void encoder(std::int64_t base, std::int64_t in, std::int64_t out) {
        std::int64_t channels = base;
        list.layer("encoder.conv_in", convolution(channels, in));
        std::int64_t unit = 0;  // of Wan 2.1's one list
        for (std::size_t level = 0; level < m_multiples.size(); ++level) {
            const std::string group = fmt::format("encoder.down_blocks.{}.", level);
            const auto listed = [&] { return fmt::format("encoder.down_blocks.{}", unit++); };
            for (std::int64_t index = 0; index < m_residualBlocks; ++index) {
                const std::int64_t wider = base * m_multiples[level];
                residual(m_grouped ? fmt::format("{}resnets.{}", group, index) : listed(), channels, wider);
                channels = wider;
            }
            if (level + 1 < m_multiples.size())
                resampling(m_grouped ? group + "downsampler" : listed(), channels, channels,
                           m_temporal[level] ? channels : 0);
        }
        middle("encoder.mid_block", channels);
        head("encoder", out, channels);
    }

    void decoder(std::int64_t base, std::int64_t in, std::int64_t out) {
        std::int64_t channels = base * m_multiples.back();
        list.layer("decoder.conv_in", convolution(channels, in));
        middle("decoder.mid_block", channels);
        for (std::size_t index = 0; index < m_multiples.size(); ++index) {
            const std::size_t level = m_multiples.size() - 1 - index;
            const std::string group = fmt::format("decoder.up_blocks.{}.", index);
            const std::int64_t narrower = base * m_multiples[level];
            for (std::int64_t unit = 0; unit <= m_residualBlocks; ++unit) {
                residual(fmt::format("{}resnets.{}", group, unit), channels, narrower);
                channels = narrower;
            }
            if (level == 0)
                continue;
            const std::int64_t resampled = m_grouped ? channels : channels / 2;
            resampling(group + (m_grouped ? "upsampler" : "upsamplers.0"), resampled, channels,
                       m_temporal[level - 1] ? 2 * channels : 0);
            channels = resampled;
        }
        head("decoder", out, channels);
    }

    TensorList list;

  private:
    void gamma(const std::string& name, std::int64_t channels) {
        list.add(name + ".gamma", {channels, 1, 1, 1});
    }

    void residual(const std::string& name, std::int64_t in, std::int64_t out) {
        gamma(name + ".norm1", in);
        list.layer(name + ".conv1", convolution(out, in));
        gamma(name + ".norm2", out);
        list.layer(name + ".conv2", convolution(out, out));
        if (in != out)
            list.layer(name + ".conv_shortcut", {out, in, 1, 1, 1});
    }

    /// `timeOut`: channels that a convolution over time makes; 0 where there is none.
    void resampling(const std::string& name, std::int64_t out, std::int64_t in, std::int64_t timeOut) {
        list.layer(name + ".resample.1", {out, in, kernel, kernel});
        if (timeOut > 0)
            list.layer(name + ".time_conv", {timeOut, in, kernel, 1, 1});
    }

    void middle(const std::string& name, std::int64_t channels) {
        residual(name + ".resnets.0", channels, channels);
        list.add(name + ".attentions.0.norm.gamma", {channels, 1, 1});
        list.layer(name + ".attentions.0.to_qkv", {3 * channels, channels, 1, 1});
        list.layer(name + ".attentions.0.proj", {channels, channels, 1, 1});
        residual(name + ".resnets.1", channels, channels);
    }

    void head(const std::string& name, std::int64_t out, std::int64_t in) {
        gamma(name + ".norm_out", in);
        list.layer(name + ".conv_out", convolution(out, in));
    }

    bool m_grouped;
    std::vector<std::int64_t> m_multiples;
    std::vector<bool> m_temporal;
    std::int64_t m_residualBlocks;
};

}  // namespace

std::vector<TensorSpec> wanVaeTensors(const nlohmann::json& config) {
    const auto base = config.at("base_dim").get<std::int64_t>();
    const nlohmann::json& decoderBase = config.at("decoder_base_dim");
    const auto latent = config.at("z_dim").get<std::int64_t>();
    VaeTensors tensors(config);
    tensors.encoder(base, config.at("in_channels").get<std::int64_t>(), 2 * latent);
    tensors.list.layer("quant_conv", {2 * latent, 2 * latent, 1, 1, 1});
    tensors.list.layer("post_quant_conv", {latent, latent, 1, 1, 1});
    tensors.decoder(decoderBase.is_null() ? base : decoderBase.get<std::int64_t>(), latent,
                    config.at("out_channels").get<std::int64_t>());
    return tensors.list.take();
}

}  // namespace meshreel
