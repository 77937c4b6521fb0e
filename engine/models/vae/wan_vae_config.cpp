// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/config_reader.h"

namespace meshreel {
namespace {

constexpr std::string_view className = "AutoencoderKLWan";
constexpr std::string_view tinyClassName = "TAEHV";
constexpr std::size_t mostLevels = 8;
constexpr std::int64_t mostMultiples = 64;
constexpr std::int64_t largestWidth = 4096;
constexpr std::int64_t largestPatch = 16;
constexpr std::int64_t coloursOfPixel = 3;

// From the released Wan 2.1 VAE (z_dim 16).
const std::vector<double> wan21LatentsMean = {-0.7571, -0.7089, -0.9113, 0.1075,  -0.1745, 0.9653,
                                              -0.1517, 1.5508,  0.4134,  -0.0715, 0.5517,  -0.3632,
                                              -0.1922, -0.9497, 0.2503,  -0.2921};
const std::vector<double> wan21LatentsStd = {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743,
                                             3.2687, 2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160};

Sentence useWan() {
    return sentence(
        "Use the Wan 2.1 VAE, which all 14B and 1.3B models share, or the Wan 2.2 VAE of TI2V-5B");
}

class WanVaeConfigReader {
  public:
    WanVaeConfigReader(const nlohmann::json& json, const std::string& where)
        : m_json(json), m_reader(json, where) {}

    [[nodiscard]] WanVaeConfig read() const {
        refuseOtherVaes();
        WanVaeConfig config;
        config.baseDim = m_reader.size("base_dim", config.baseDim, largestWidth);
        config.decoderBaseDim = m_reader.size("decoder_base_dim", config.baseDim, largestWidth);
        config.zDim = m_reader.size("z_dim", config.zDim, largestWidth);
        config.numResBlocks = m_reader.size("num_res_blocks", config.numResBlocks, largestWidth);
        config.inChannels = m_reader.size("in_channels", config.inChannels, largestWidth);
        config.outChannels = m_reader.size("out_channels", config.outChannels, largestWidth);
        config.patchSize = m_reader.size("patch_size", config.patchSize, largestPatch);
        config.isResidual = m_reader.flag("is_residual", config.isResidual);
        readLevels(config);
        if (m_reader.text("_class_name") == tinyClassName)
            return readTiny(std::move(config));
        requireWholePatches("in_channels", config.inChannels, config.patchSize);
        requireWholePatches("out_channels", config.outChannels, config.patchSize);
        if (config.isResidual)
            requireShortcuts(config);
        config.latentsMean = latentStatistics("latents_mean", wan21LatentsMean, config.zDim);
        config.latentsStd = latentStatistics("latents_std", wan21LatentsStd, config.zDim);
        if (std::ranges::any_of(config.latentsStd, [](float value) { return value <= 0.0F; }))
            m_reader.refuse("latents_std", sentence("A standard deviation is not positive"), useOriginal());
        return config;
    }

  private:
    void refuseOtherVaes() const {
        if (const auto name = m_reader.text("_class_name");
            name && *name != className && *name != tinyClassName)
            m_reader.refuse("_class_name",
                            sentence("A VAE of class {} is not supported, only {}", *name, className),
                            useWan());
        if (!m_reader.absent("attn_scales") && !list("attn_scales").empty())
            m_reader.refuse("attn_scales", sentence("Attention between the residual blocks is not supported"),
                            useWan());
    }

    /// It takes latents as the transformer makes them.
    [[nodiscard]] WanVaeConfig readTiny(WanVaeConfig config) const {
        config.inChannels = config.outChannels = coloursOfPixel * config.patchSize * config.patchSize;
        config.latentsMean.assign(static_cast<std::size_t>(config.zDim), 0.0F);
        config.latentsStd.assign(static_cast<std::size_t>(config.zDim), 1.0F);
        TinyDecoderConfig& tiny = config.tiny.emplace();
        if (!m_reader.absent("decoder_widths")) {
            tiny.widths.clear();
            for (const nlohmann::json& value : list("decoder_widths")) {
                if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
                    value.get<std::int64_t>() > largestWidth)
                    m_reader.refuse("decoder_widths",
                                    sentence("The value {} is not a whole number from 1 to {}", value.dump(),
                                             largestWidth),
                                    useOriginal());
                tiny.widths.push_back(value.get<std::int64_t>());
            }
        }
        if (tiny.widths.size() != config.dimMult.size())
            m_reader.refuse(
                "decoder_widths",
                sentence("{} values for {} levels in dim_mult", tiny.widths.size(), config.dimMult.size()),
                useOriginal());
        config.decoderBaseDim = tiny.widths.back();
        return config;
    }

    void requireWholePatches(std::string_view key, std::int64_t channels, std::int64_t patch) const {
        if (channels % (patch * patch) != 0)
            m_reader.refuse(
                key,
                sentence("{} channels are not those of {}x{} pixels (patch_size)", channels, patch, patch),
                useOriginal());
    }

    /// The shortcuts around levels divide channels evenly, with those of the neighbouring pixels that they
    /// put together or take apart.
    void requireShortcuts(const WanVaeConfig& config) const {
        const std::size_t last = config.dimMult.size() - 1;
        for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
            const std::int64_t pixels = level == last ? 1 : config.temporalDownsample[level] ? 8 : 4;
            const std::int64_t above = config.dimMult[level == 0 ? 0 : level - 1];
            if (above * pixels % config.dimMult[level] != 0)
                refuseShortcut(above, config.dimMult[level]);
        }
        for (std::size_t level = last; level > 0; --level) {
            const std::int64_t pixels = config.temporalDownsample[level - 1] ? 8 : 4;
            const std::int64_t below = config.dimMult[std::min(level + 1, last)];
            if (config.dimMult[level] * pixels % below != 0)
                refuseShortcut(below, config.dimMult[level]);
        }
    }

    [[noreturn]] void refuseShortcut(std::int64_t from, std::int64_t to) const {
        m_reader.refuse(
            "dim_mult",
            sentence("No shortcut (is_residual) leads from a level of width {} to one of {}", from, to),
            useOriginal());
    }

    void readLevels(WanVaeConfig& config) const {
        if (!m_reader.absent("dim_mult")) {
            config.dimMult.clear();
            for (const nlohmann::json& value : list("dim_mult")) {
                if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
                    value.get<std::int64_t>() > mostMultiples)
                    m_reader.refuse("dim_mult",
                                    sentence("The value {} is not a whole number from 1 to {}", value.dump(),
                                             mostMultiples),
                                    useOriginal());
                config.dimMult.push_back(value.get<std::int64_t>());
            }
        }
        if (config.dimMult.empty() || config.dimMult.size() > mostLevels)
            m_reader.refuse("dim_mult",
                            sentence("{} levels; 1 to {} are possible", config.dimMult.size(), mostLevels),
                            useOriginal());
        if (!m_reader.absent("temperal_downsample")) {
            config.temporalDownsample.clear();
            for (const nlohmann::json& value : list("temperal_downsample")) {
                if (!value.is_boolean())
                    m_reader.refuse("temperal_downsample",
                                    sentence("The value {} is neither true nor false", value.dump()),
                                    useOriginal());
                config.temporalDownsample.push_back(value.get<bool>());
            }
        }
        if (config.temporalDownsample.size() != config.dimMult.size() - 1)
            m_reader.refuse(
                "temperal_downsample",
                sentence("{} values for {} levels in dim_mult; there must be one fewer than levels",
                         config.temporalDownsample.size(), config.dimMult.size()),
                useOriginal());
    }

    [[nodiscard]] std::vector<float> latentStatistics(std::string_view key,
                                                      const std::vector<double>& fallback,
                                                      std::int64_t count) const {
        std::vector<float> values;
        if (m_reader.absent(key))
            values.assign(fallback.begin(), fallback.end());
        else
            for (const nlohmann::json& value : list(key)) {
                if (!value.is_number() || !std::isfinite(value.get<float>()))
                    m_reader.refuse(key, sentence("The value {} is not a number", value.dump()),
                                    useOriginal());
                values.push_back(value.get<float>());
            }
        if (std::ssize(values) != count)
            m_reader.refuse(key, sentence("{} values for {} latent channels (z_dim)", values.size(), count),
                            useOriginal());
        return values;
    }

    [[nodiscard]] const nlohmann::json& list(std::string_view key) const {
        const nlohmann::json& value = *m_json.find(key);
        if (!value.is_array())
            m_reader.refuse(key, sentence("The value is not a list"), useOriginal());
        return value;
    }

    const nlohmann::json& m_json;
    ConfigReader m_reader;
};

}  // namespace

WanVaeConfig WanVaeConfig::fromJson(const nlohmann::json& json, const std::string& where) {
    return WanVaeConfigReader(json, where).read();
}

WanVaeConfig WanVaeConfig::forPreview() const {
    WanVaeConfig config = *this;
    config.tiny.value().preview = true;
    return config;
}

std::int64_t WanVaeConfig::spatialFactor() const {
    const std::size_t enlarging = dimMult.size() - 1 - (tiny && tiny->preview ? 1 : 0);
    return patchSize << enlarging;
}

std::int64_t WanVaeConfig::decodeReach() const {
    const auto convolutions = static_cast<double>(2 * (numResBlocks + 1));  // in a level, each reaches a
                                                                            // pixel further
    double reach = 0;
    double pixels = 1;  // along a side of a latent
    for (std::size_t level = 0; level < dimMult.size(); ++level) {
        reach += convolutions / pixels;
        if (level + 1 == dimMult.size())
            break;
        reach += 1 / pixels;  // enlarging
        pixels *= 2;
    }
    return static_cast<std::int64_t>(std::ceil(reach + 1 / pixels));  // and the last convolution
}

std::int64_t WanVaeConfig::temporalFactor() const {
    if (tiny && tiny->preview)
        return 1;
    return std::int64_t{1} << std::ranges::count(temporalDownsample, true);
}

}  // namespace meshreel
