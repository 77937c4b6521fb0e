// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/pixels/level_shortcut.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/vae/tiny_decoder.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/vae/wan_vae_layers.h"
#include "engine/models/vae/wan_vae_stream.h"
#include "engine/models/vae/wan_vae_strips.h"

namespace meshreel {

/// post_quant_conv and the decoder, chunk by chunk. The levels after the last that lengthens time hold the
/// largest features and know no other frames than those of the past: they take frames one by one.
class WanVae::Decoder {
  public:
    Decoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Decodes latents [T', H', W', z] of one chunk, f32, to patches of pixels [T, H, W, out], f32, not
    /// clamped. `frames` is the past of the levels that take frames one by one.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& latents) const {
        return finish(chunk, frames, begin(chunk, latents));
    }
    /// apply() until its middle block, which sees whole frames, and what comes behind it.
    [[nodiscard]] Tensor begin(const ChunkContext& chunk, const Tensor& latents) const;
    [[nodiscard]] Tensor finish(const ChunkContext& chunk, FeatureCache& frames, Tensor hidden) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct UpBlock {
        std::vector<ResidualBlock> residuals;
        std::optional<Upsampler> upsampler;
        std::optional<RepeatingShortcut> shortcut;
    };

    [[nodiscard]] Tensor applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const;

    PackedConvolution m_postQuant;
    CausalConvolution m_convIn;
    MidBlock m_mid;
    std::vector<UpBlock> m_upBlocks;
    std::size_t m_firstOfFrames = 0;  // block: it and those behind take frames one by one
    OutputHead m_head;
};

/// The encoder and quant_conv, chunk by chunk. What comes before the first resampling that shortens time
/// holds the largest features and knows no other frames than those of the past: it takes frames one by one.
class WanVae::Encoder {
  public:
    Encoder(const WanVaeConfig& config, const VaeWeights& weights);

    /// Encodes patches of pixels [T, H, W, in] of one chunk, f32, to latent moments [T', H', W', 2z], f32,
    /// mean before logvar. `frames` is the past of the layers that take frames one by one.
    [[nodiscard]] Tensor apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Level {
        std::vector<ResidualBlock> residuals;
        std::optional<Downsampler> downsampler;
        std::optional<AveragingShortcut> shortcut;
        std::size_t probe;  // number of its first probe: a level with a shortcut has one, others one a layer
    };

    [[nodiscard]] static Tensor applyLevel(const ChunkContext& chunk, const Level& level, Tensor x);
    [[nodiscard]] static Tensor applyResiduals(const ChunkContext& chunk, const Level& level, Tensor x);
    [[nodiscard]] static Tensor leaveLevel(const ChunkContext& chunk, const Level& level,
                                           const Tensor& source, Tensor x);

    CausalConvolution m_convIn;
    std::vector<Level> m_levels;
    std::size_t m_firstOfChunks;  // level whose resampling is the first to take a chunk's frames together
    MidBlock m_mid;
    OutputHead m_head;
    PackedConvolution m_quant;
};

WanVae::Decoder::Decoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_postQuant(weights.convolution("post_quant_conv", {config.zDim, config.zDim, 1, 1, 1})),
      m_convIn(weights, "decoder.conv_in", config.decoderBaseDim * config.dimMult.back(), config.zDim, 3, 3),
      m_mid(weights, "decoder.mid_block", config.decoderBaseDim * config.dimMult.back()),
      m_head(weights, "decoder", config.outChannels, config.decoderBaseDim * config.dimMult.front()) {
    const std::size_t levels = config.dimMult.size();
    std::int64_t channels = config.decoderBaseDim * config.dimMult.back();
    for (std::size_t index = 0; index < levels; ++index) {
        const std::size_t level =
            levels - 1 - index;  // the decoder climbs the levels that the encoder went down
        const std::string name = fmt::format("decoder.up_blocks.{}", index);
        const std::int64_t levelChannels = config.decoderBaseDim * config.dimMult[level];
        const bool temporal = level > 0 && config.temporalDownsample[level - 1];
        UpBlock block;
        if (config.isResidual && level > 0)
            block.shortcut.emplace(LevelChange{
                .inChannels = channels, .outChannels = levelChannels, .time = temporal ? 2 : 1, .space = 2});
        for (std::int64_t residual = 0; residual <= config.numResBlocks; ++residual) {
            block.residuals.emplace_back(weights, fmt::format("{}.resnets.{}", name, residual), channels,
                                         levelChannels);
            channels = levelChannels;
        }
        if (level > 0) {
            const std::int64_t narrower = config.isResidual ? channels : channels / 2;
            block.upsampler.emplace(weights, name + (config.isResidual ? ".upsampler" : ".upsamplers.0"),
                                    channels, narrower, temporal);
            channels = narrower;
            if (temporal)
                m_firstOfFrames = index + 1;
        }
        m_upBlocks.push_back(std::move(block));
    }
}

Tensor WanVae::Decoder::applyBlock(const ChunkContext& chunk, std::size_t index, Tensor x) const {
    const UpBlock& block = m_upBlocks[index];
    const Tensor source = block.shortcut ? shortcutSource(chunk, x) : Tensor();
    for (const ResidualBlock& residual : block.residuals)
        x = residual.apply(chunk, std::move(x));
    if (block.upsampler)
        x = block.upsampler->apply(chunk, x);
    if (block.shortcut)
        block.shortcut->addTo(chunk.execution, source, x);
    chunk.record("dec.up", index, x);
    return x;
}

Tensor WanVae::Decoder::begin(const ChunkContext& chunk, const Tensor& latents) const {
    Tensor hidden = convolve(chunk, m_postQuant, latents);
    chunk.record("dec.post_quant", hidden);
    hidden = m_convIn.apply(chunk, hidden);
    chunk.record("dec.conv_in", hidden);
    return m_mid.apply(chunk, "dec", std::move(hidden));
}

Tensor WanVae::Decoder::finish(const ChunkContext& chunk, FeatureCache& frames, Tensor hidden) const {
    for (std::size_t index = 0; index < m_firstOfFrames; ++index)
        hidden = applyBlock(chunk, index, std::move(hidden));
    return joinFrames(passFrames(chunk, frames, hidden, [&](const ChunkContext& frame, Tensor pixels) {
        for (std::size_t index = m_firstOfFrames; index < m_upBlocks.size(); ++index)
            pixels = applyBlock(frame, index, std::move(pixels));
        return m_head.apply(frame, "dec", pixels);
    }));
}

std::size_t WanVae::Decoder::bytes() const {
    std::size_t total = m_postQuant.bytes() + m_convIn.bytes() + m_mid.bytes() + m_head.bytes();
    for (const UpBlock& block : m_upBlocks) {
        for (const ResidualBlock& residual : block.residuals)
            total += residual.bytes();
        total += block.upsampler ? block.upsampler->bytes() : 0;
    }
    return total;
}

namespace {

/// Names of a level's layers. Wan 2.1 numbers the residual blocks and resamplings of all levels in one list,
/// Wan 2.2 groups them by level.
class DownBlockNames {
  public:
    DownBlockNames(bool grouped, std::size_t level, std::size_t firstUnit)
        : m_grouped(grouped), m_group(fmt::format("encoder.down_blocks.{}", level)), m_unit(firstUnit) {}

    [[nodiscard]] std::string residual(std::int64_t index) {
        return m_grouped ? fmt::format("{}.resnets.{}", m_group, index) : nextUnit();
    }
    [[nodiscard]] std::string downsampler() { return m_grouped ? m_group + ".downsampler" : nextUnit(); }

    [[nodiscard]] std::size_t unit() const { return m_unit; }

  private:
    std::string nextUnit() { return fmt::format("encoder.down_blocks.{}", m_unit++); }

    bool m_grouped;
    std::string m_group;
    std::size_t m_unit;
};

// diffusers' DiagonalGaussianDistribution.
constexpr float smallestLogvar = -30.0F;
constexpr float largestLogvar = 20.0F;

constexpr float smallestPixel = -1.0F;
constexpr float largestPixel = 1.0F;

constexpr std::int64_t encodeGroup = 4;

void requireInput(const Tensor& input, const char* name, std::int64_t channels) {
    const Shape& shape = input.shape();
    if (shape.rank() != 5 || shape.elements() == 0 || shape[1] != channels)
        throw Error(ErrorKind::Input,
                    sentence("The shape {} is not [batch, {} channels, frames, height, width]", shape.text(),
                             channels),
                    name, sentence("Use a VAE and a transformer of the same model"));
}

/// Applies value = change(value, channel) to [B, C, ...].
template <typename Change>
Tensor mapChannels(const Tensor& source, std::int64_t channels, Change change) {
    requireInput(source, "latents", channels);
    Tensor result = source.toF32().clone();
    const auto values = result.data<float>();
    const std::size_t pixels = values.size() / static_cast<std::size_t>(source.extent(0) * channels);
    for (std::size_t plane = 0; plane * pixels < values.size(); ++plane)
        for (float& value : values.subspan(plane * pixels, pixels))
            value = change(value, plane % static_cast<std::size_t>(channels));
    return result;
}

/// Channels [begin, end) of a [B, C, T, H, W] tensor.
Tensor selectChannels(const Tensor& source, std::int64_t begin, std::int64_t end) {
    Tensor result =
        Tensor::empty({source.extent(0), end - begin, source.extent(2), source.extent(3), source.extent(4)});
    const std::int64_t pixels = source.extent(2) * source.extent(3) * source.extent(4);
    float* to = result.data<float>().data();
    for (std::int64_t sample = 0; sample < source.extent(0); ++sample)
        to = std::copy_n(source.data<float>().data() + (sample * source.extent(1) + begin) * pixels,
                         (end - begin) * pixels, to);
    return result;
}

void clampTo(Tensor& tensor, float smallest, float largest) {
    for (float& value : tensor.data<float>())
        value = std::clamp(value, smallest, largest);
}

}  // namespace

WanVae::Encoder::Encoder(const WanVaeConfig& config, const VaeWeights& weights)
    : m_convIn(weights, "encoder.conv_in", config.baseDim, config.inChannels, 3, 3),
      m_firstOfChunks(config.dimMult.size()),
      m_mid(weights, "encoder.mid_block", config.baseDim * config.dimMult.back()),
      m_head(weights, "encoder", 2 * config.zDim, config.baseDim * config.dimMult.back()),
      m_quant(weights.convolution("quant_conv", {2 * config.zDim, 2 * config.zDim, 1, 1, 1})) {
    std::int64_t channels = config.baseDim;
    std::size_t units = 0;
    for (std::size_t index = 0; index < config.dimMult.size(); ++index) {
        const std::int64_t levelChannels = config.baseDim * config.dimMult[index];
        const bool resamples = index + 1 < config.dimMult.size();
        const bool temporal = resamples && config.temporalDownsample[index];
        DownBlockNames names(config.isResidual, index, units);
        Level level;
        level.probe = config.isResidual ? index : units;
        if (config.isResidual)
            level.shortcut.emplace(LevelChange{.inChannels = channels,
                                               .outChannels = levelChannels,
                                               .time = temporal ? 2 : 1,
                                               .space = resamples ? 2 : 1});
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            level.residuals.emplace_back(weights, names.residual(block), channels, levelChannels);
            channels = levelChannels;
        }
        if (resamples)
            level.downsampler.emplace(weights, names.downsampler(), channels, temporal);
        if (temporal)
            m_firstOfChunks = std::min(m_firstOfChunks, index);
        units = names.unit();
        m_levels.push_back(std::move(level));
    }
}

Tensor WanVae::Encoder::applyResiduals(const ChunkContext& chunk, const Level& level, Tensor x) {
    for (std::size_t index = 0; index < level.residuals.size(); ++index) {
        x = level.residuals[index].apply(chunk, std::move(x));
        if (!level.shortcut)
            chunk.record("enc.down", level.probe + index, x);
    }
    return x;
}

/// Follows the residual blocks. The shortcut starts from `source`.
Tensor WanVae::Encoder::leaveLevel(const ChunkContext& chunk, const Level& level, const Tensor& source,
                                   Tensor x) {
    if (level.downsampler)
        x = level.downsampler->apply(chunk, x);
    if (level.shortcut) {
        level.shortcut->addTo(chunk.execution, source, x);
        chunk.record("enc.down", level.probe, x);
    } else if (level.downsampler) {
        chunk.record("enc.down", level.probe + level.residuals.size(), x);
    }
    return x;
}

Tensor WanVae::Encoder::applyLevel(const ChunkContext& chunk, const Level& level, Tensor x) {
    const Tensor source = level.shortcut ? shortcutSource(chunk, x) : Tensor();
    return leaveLevel(chunk, level, source, applyResiduals(chunk, level, std::move(x)));
}

Tensor WanVae::Encoder::apply(const ChunkContext& chunk, FeatureCache& frames, const Tensor& pixels) const {
    const Level* split = m_firstOfChunks < m_levels.size() ? &m_levels[m_firstOfChunks] : nullptr;
    std::vector<Tensor> sources;  // frames that the shortcut around this level starts from
    Tensor hidden =
        joinFrames(passFrames(chunk, frames, pixels, [&](const ChunkContext& frame, const Tensor& x) {
            Tensor features = m_convIn.apply(frame, x);
            frame.record("enc.conv_in", features);
            for (std::size_t index = 0; index < m_firstOfChunks; ++index)
                features = applyLevel(frame, m_levels[index], std::move(features));
            if (split == nullptr)
                return features;
            if (split->shortcut)
                sources.push_back(shortcutSource(frame, features));
            return applyResiduals(frame, *split, std::move(features));
        }));
    if (split != nullptr)
        hidden =
            leaveLevel(chunk, *split, split->shortcut ? joinFrames(sources) : Tensor(), std::move(hidden));
    for (std::size_t index = m_firstOfChunks + 1; index < m_levels.size(); ++index)
        hidden = applyLevel(chunk, m_levels[index], std::move(hidden));
    hidden = m_mid.apply(chunk, "enc", std::move(hidden));
    hidden = m_head.apply(chunk, "enc", hidden);
    return convolve(chunk, m_quant, hidden, DType::F32);
}

std::size_t WanVae::Encoder::bytes() const {
    std::size_t total = m_convIn.bytes() + m_mid.bytes() + m_head.bytes() + m_quant.bytes();
    for (const Level& level : m_levels) {
        for (const ResidualBlock& residual : level.residuals)
            total += residual.bytes();
        total += level.downsampler ? level.downsampler->bytes() : 0;
    }
    return total;
}

WanVae::WanVae(const WanVaeConfig& config, const Checkpoint& checkpoint, const VaePrecision& precision,
               const VaeChunks& chunks, Memory* memory, VaeParts parts)
    : m_config(config), m_precision(precision), m_chunks(chunks), m_memory(memory) {
    const VaeWeights weights(checkpoint, precision, memory);
    if (config.tiny) {
        m_tiny = std::make_unique<TinyDecoder>(config, weights);
        return;
    }
    if (parts != VaeParts::DecoderOnly)
        m_encoder = std::make_unique<Encoder>(config, weights);
    if (parts != VaeParts::EncoderOnly)
        m_decoder = std::make_unique<Decoder>(config, weights);
}

WanVae::~WanVae() = default;
WanVae::WanVae(WanVae&&) noexcept = default;
WanVae& WanVae::operator=(WanVae&&) noexcept = default;

std::size_t WanVae::bytes() const {
    return (m_encoder ? m_encoder->bytes() : 0) + (m_decoder ? m_decoder->bytes() : 0) +
           (m_tiny ? m_tiny->bytes() : 0);
}

void WanVae::requireEncodable(const Tensor& video) const {
    if (!m_config.encodes())
        throw Error(ErrorKind::Input, sentence("A small decoder (TAEHV) does not encode"), "video",
                    sentence("Use the VAE of the model"));
    if (!holdsEncoder())
        throw Error(ErrorKind::Internal, "VAE encode: only the decoder is in memory");
    requireInput(video, "video", m_config.videoChannelsIn());
    const std::int64_t smallest = m_config.spatialFactor();
    const std::int64_t step = m_config.isResidual ? smallest : m_config.patchSize;
    if (video.extent(3) < smallest || video.extent(4) < smallest)
        throw Error(
            ErrorKind::Input,
            sentence("Frames of {}x{} pixels are too small to encode", video.extent(4), video.extent(3)),
            "video", sentence("Use at least {}x{} pixels", smallest, smallest));
    if (video.extent(3) % step != 0 || video.extent(4) % step != 0)
        throw Error(
            ErrorKind::Input,
            sentence("This VAE cannot encode frames of {}x{} pixels", video.extent(4), video.extent(3)),
            "video", sentence("Use a width and a height that are multiples of {}", step));
    if (encoder().chunks(video.extent(2)) > 1 && m_config.temporalFactor() > encodeGroup)
        throw Error(ErrorKind::Input,
                    sentence("A VAE that shortens time by {} cannot encode a video {} frames at a time",
                             m_config.temporalFactor(), encodeGroup),
                    "temperal_downsample",
                    sentence("Encode single images, or use a VAE that shortens time by 4"));
}

VaeCoder WanVae::encoder() const {
    return {.apply = [this](const ChunkContext& context, FeatureCache& frames,
                            const Tensor& chunk) { return m_encoder->apply(context, frames, chunk); },
            .spanName = "VAE encode chunk",
            .groupFrames = encodeGroup,
            .groupResults = encodeGroup / m_config.temporalFactor(),
            .chunkGroups = m_chunks.encode == -1 ? -1 : m_chunks.encode / encodeGroup,
            .sourceSide = m_config.spatialFactor(),
            .resultSide = 1,
            .resultChannels = 2 * m_config.zDim,
            .sourcePatch = m_config.patchSize,
            .resultPatch = 1,
            .activations = m_precision.activations,
            .memory = m_memory};
}

VaeCoder WanVae::decoder() const {
    if (!m_tiny && !m_decoder)
        throw Error(ErrorKind::Internal, "VAE decode: only the encoder is in memory");
    VaeCoder coder{.apply =
                       [this](const ChunkContext& context, FeatureCache& frames, const Tensor& chunk) {
                           return m_tiny ? m_tiny->apply(context, frames, chunk)
                                         : m_decoder->apply(context, frames, chunk);
                       },
                   .spanName = "VAE decode chunk",
                   .groupFrames = 1,
                   .groupResults = m_config.temporalFactor(),
                   .chunkGroups = m_chunks.decode,
                   .sourceSide = 1,
                   .resultSide = m_config.spatialFactor(),
                   .resultChannels = m_config.videoChannelsOut(),
                   .sourcePatch = 1,
                   .resultPatch = m_config.patchSize,
                   .activations = m_precision.activations,
                   .memory = m_memory};
    if (m_tiny || m_chunks.stripsInTurn == 1)
        return coder;
    coder.stripsInTurn = m_chunks.stripsInTurn;
    coder.front = [this](const ChunkContext& context, const Tensor& chunk) {
        return m_decoder->begin(context, chunk);
    };
    coder.back = [this](const ChunkContext& context, FeatureCache& frames, const Tensor& features) {
        return m_decoder->finish(context, frames, features);
    };
    coder.reach = m_config.decodeReach();
    return coder;
}

LatentSide WanVae::latentSide() const {
    return {
        .pixels = m_config.spatialFactor(), .patch = m_config.patchSize, .onlyWhole = m_config.isResidual};
}

WanVae::Posterior WanVae::toPosterior(const Tensor& moments) const {
    Posterior posterior{selectChannels(moments, 0, m_config.zDim),
                        selectChannels(moments, m_config.zDim, 2 * m_config.zDim)};
    clampTo(posterior.logvar, smallestLogvar, largestLogvar);
    return posterior;
}

WanVae::Posterior WanVae::encode(const Execution& execution, const Tensor& video, const VaeTiling* tiling,
                                 const Probe& probe, const VaeProgress& progress) const {
    requireEncodable(video);
    std::optional<VaeTilePlan> plan;
    if (tiling != nullptr)
        plan = VaeTilePlan::forEncode(*tiling, video.extent(3), video.extent(4), latentSide());
    Posterior posterior =
        toPosterior(streamBatch(execution, encoder(), video.toF32(), plan, probe, progress));
    if (probe) {
        probe("enc.mean", posterior.mean);
        probe("enc.logvar", posterior.logvar);
        probe("enc.latents_norm", normalize(posterior.mean));
    }
    return posterior;
}

WanVae::Posterior WanVae::encode(Device& device, int vaeSpatial, const Tensor& video,
                                 const VaeProgress& progress) const {
    requireEncodable(video);
    const VaeMesh mesh(device.everyone().size(), vaeSpatial);
    return toPosterior(
        streamOnMesh(device, encoder(), mesh, video.toF32(), JoinAt::EveryDevice, {.progress = progress}));
}

Tensor WanVae::decode(const Execution& execution, const Tensor& latents, const VaeTiling* tiling,
                      const Probe& probe, const VaeProgress& progress) const {
    requireInput(latents, "latents", m_config.zDim);
    std::optional<VaeTilePlan> plan;
    if (tiling != nullptr)
        plan = VaeTilePlan::forDecode(*tiling, latents.extent(3), latents.extent(4), latentSide());
    Tensor video = streamBatch(execution, decoder(), latents.toF32(), plan, probe, progress);
    clampTo(video, smallestPixel, largestPixel);
    if (probe)
        probe("dec.out", video);
    return video;
}

Tensor WanVae::decode(Device& device, int vaeSpatial, const Tensor& latents, const VaeEvents& events) const {
    requireInput(latents, "latents", m_config.zDim);
    const VaeMesh mesh(device.everyone().size(), vaeSpatial);
    VaeEvents clamping{.progress = events.progress};
    if (events.chunk)
        clamping.chunk = [&events](VaeChunk chunk) {
            clampTo(chunk.result, smallestPixel, largestPixel);
            events.chunk(chunk);
        };
    Tensor video = streamOnMesh(device, decoder(), mesh, latents.toF32(), JoinAt::FirstDevice, clamping);
    clampTo(video, smallestPixel, largestPixel);
    return video;
}

Tensor WanVae::decodeFrames(Device& device, int vaeSpatial, const Tensor& latents,
                            const VaeEvents& events) const {
    requireInput(latents, "latents", m_config.zDim);
    const VaeMesh mesh(device.everyone().size(), vaeSpatial);
    return streamOnMesh(device, decoder(), mesh, latents.toF32(), JoinAt::FirstDevice, events,
                        JoinAs::Frames);
}

Tensor WanVae::normalize(const Tensor& mean) const {
    return mapChannels(mean, m_config.zDim, [&](float value, std::size_t channel) {
        return (value - m_config.latentsMean[channel]) * (1.0F / m_config.latentsStd[channel]);
    });
}

Tensor WanVae::denormalize(const Tensor& latents) const {
    return mapChannels(latents, m_config.zDim, [&](float value, std::size_t channel) {
        return value / (1.0F / m_config.latentsStd[channel]) + m_config.latentsMean[channel];
    });
}

}  // namespace meshreel
