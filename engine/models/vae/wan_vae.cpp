// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae.h"

#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/models/vae/wan_vae_decoder.h"
#include "engine/models/vae/wan_vae_encoder.h"
#include "engine/models/vae/wan_vae_mesh.h"
#include "engine/models/vae/wan_vae_stream.h"

namespace meshreel {
namespace {

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

WanVae::WanVae(const WanVaeConfig& config, const Checkpoint& checkpoint, const VaePrecision& precision,
               const VaeChunks& chunks)
    : m_config(config),
      m_precision(precision),
      m_chunks(chunks),
      m_encoder(std::make_unique<WanVaeEncoder>(config, VaeWeights(checkpoint, precision))),
      m_decoder(std::make_unique<WanVaeDecoder>(config, VaeWeights(checkpoint, precision))) {}

WanVae::~WanVae() = default;
WanVae::WanVae(WanVae&&) noexcept = default;
WanVae& WanVae::operator=(WanVae&&) noexcept = default;

std::size_t WanVae::bytes() const {
    return m_encoder->bytes() + m_decoder->bytes();
}

void WanVae::requireEncodable(const Tensor& video) const {
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
            .activations = m_precision.activations};
}

VaeCoder WanVae::decoder() const {
    return {.apply = [this](const ChunkContext& context, FeatureCache& frames,
                            const Tensor& chunk) { return m_decoder->apply(context, frames, chunk); },
            .spanName = "VAE decode chunk",
            .groupFrames = 1,
            .groupResults = m_config.temporalFactor(),
            .chunkGroups = m_chunks.decode,
            .sourceSide = 1,
            .resultSide = m_config.spatialFactor(),
            .resultChannels = m_config.videoChannelsOut(),
            .sourcePatch = 1,
            .resultPatch = m_config.patchSize,
            .activations = m_precision.activations};
}

LatentSide WanVae::latentSide() const {
    return {
        .pixels = m_config.spatialFactor(), .patch = m_config.patchSize, .onlyWhole = m_config.isResidual};
}

WanVae::Posterior WanVae::posteriorOf(const Tensor& moments) const {
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
        posteriorOf(streamBatch(execution, encoder(), video.toF32(), plan, probe, progress));
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
    return posteriorOf(
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
        clamping.chunk = [&events](std::int64_t first, Tensor pixels) {
            clampTo(pixels, smallestPixel, largestPixel);
            events.chunk(first, pixels);
        };
    Tensor video = streamOnMesh(device, decoder(), mesh, latents.toF32(), JoinAt::FirstDevice, clamping);
    clampTo(video, smallestPixel, largestPixel);
    return video;
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
