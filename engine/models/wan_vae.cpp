// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/models/wan_vae_decoder.h"
#include "engine/models/wan_vae_encoder.h"
#include "engine/models/wan_vae_features.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

// diffusers' DiagonalGaussianDistribution.
constexpr float smallestLogvar = -30.0F;
constexpr float largestLogvar = 20.0F;

/// The first frame is a chunk of its own; frames behind the last whole chunk are left out.
struct Chunking {
    const char* spanName;
    std::int64_t chunkFrames;

    [[nodiscard]] std::int64_t chunks(std::int64_t frames) const { return 1 + (frames - 1) / chunkFrames; }
    [[nodiscard]] Tensor chunk(const Tensor& features, std::int64_t index) const {
        return index == 0 ? features.slice(0, 1)
                          : features.slice(1 + (index - 1) * chunkFrames, 1 + index * chunkFrames);
    }
};

constexpr Chunking encodeChunking{"VAE encode chunk", 4};
constexpr Chunking decodeChunking{"VAE decode chunk", 1};

class ProgressCounter {
  public:
    ProgressCounter(const VaeProgress& progress, std::int64_t total)
        : m_progress(progress), m_total(static_cast<int>(total)) {}

    void chunkDone() {
        ++m_done;
        if (m_progress)
            m_progress(m_done, m_total);
    }

  private:
    const VaeProgress& m_progress;
    int m_done = 0;
    int m_total;
};

/// Streams each sample of a [B, C, T, H, W] batch (or each tile of it) through `model`, chunk by chunk.
template <typename Model>
Tensor stream(const Execution& execution, const Model& model, const Tensor& batch, const Chunking& chunking,
              const std::optional<TilePlan>& plan, const Probe& probe, const VaeProgress& progress) {
    const std::int64_t chunks = chunking.chunks(batch.extent(2));
    const std::int64_t tiles = plan ? plan->tiles(batch.extent(3), batch.extent(4)) : 1;
    ProgressCounter counter(progress, batch.extent(0) * tiles * chunks);
    ChunkRecorder recorder(probe);
    const bool records = probe && !plan;
    const auto streamFeatures = [&](const Tensor& features) {
        FeatureCache cache;
        std::vector<Tensor> results;
        for (std::int64_t index = 0; index < chunks; ++index) {
            throwIfStopped(execution.stop);
            const Trace::Span span = traceSpan(execution.trace, chunking.spanName);
            cache.beginChunk();
            const ChunkContext context{execution, cache, records ? &recorder : nullptr};
            results.push_back(model.apply(context, chunking.chunk(features, index)));
            counter.chunkDone();
        }
        return joinFrames(results);
    };
    std::vector<Tensor> samples;
    for (std::int64_t sample = 0; sample < batch.extent(0); ++sample) {
        recorder.beginSample();
        const Tensor features = featuresOfSample(batch, sample);
        samples.push_back(plan ? applyTiled(*plan, features, streamFeatures) : streamFeatures(features));
    }
    if (records)
        recorder.report();
    return batchOfFeatures(samples);
}

void requireInput(const Tensor& input, const char* name, std::int64_t channels) {
    const Shape& shape = input.shape();
    if (shape.rank() != 5 || shape.elements() == 0 || shape[1] != channels)
        throw Error(ErrorKind::Input,
                    fmt::format("The shape {} is not [batch, {} channels, frames, height, width]",
                                shape.text(), channels),
                    name, "Use a VAE and a transformer of the same model");
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

WanVae::WanVae(const WanVaeConfig& config, const Checkpoint& checkpoint)
    : m_config(config),
      m_encoder(std::make_unique<WanVaeEncoder>(config, checkpoint)),
      m_decoder(std::make_unique<WanVaeDecoder>(config, checkpoint)) {}

WanVae::~WanVae() = default;
WanVae::WanVae(WanVae&&) noexcept = default;
WanVae& WanVae::operator=(WanVae&&) noexcept = default;

std::size_t WanVae::bytes() const {
    return m_encoder->bytes() + m_decoder->bytes();
}

void WanVae::requireEncodable(const Tensor& video) const {
    requireInput(video, "video", m_config.inChannels);
    const std::int64_t smallest = m_config.spatialFactor();
    if (video.extent(3) < smallest || video.extent(4) < smallest)
        throw Error(
            ErrorKind::Input,
            fmt::format("Frames of {}x{} pixels are too small to encode", video.extent(4), video.extent(3)),
            "video", fmt::format("Use at least {0}x{0} pixels", smallest));
    if (encodeChunking.chunks(video.extent(2)) > 1 && m_config.temporalFactor() > encodeChunking.chunkFrames)
        throw Error(ErrorKind::Input,
                    fmt::format("A VAE that shortens time by {} cannot encode a video {} frames at a time",
                                m_config.temporalFactor(), encodeChunking.chunkFrames),
                    "temperal_downsample", "Encode single images, or use a VAE that shortens time by 4");
}

WanVae::Posterior WanVae::encode(const Execution& execution, const Tensor& video, const VaeTiling* tiling,
                                 const Probe& probe, const VaeProgress& progress) const {
    requireEncodable(video);
    std::optional<TilePlan> plan;
    if (tiling != nullptr)
        plan = TilePlan::forEncode(*tiling, video.extent(3), video.extent(4), m_config.spatialFactor());
    const Tensor moments =
        stream(execution, *m_encoder, video.toF32(), encodeChunking, plan, probe, progress);
    Posterior posterior{selectChannels(moments, 0, m_config.zDim),
                        selectChannels(moments, m_config.zDim, 2 * m_config.zDim)};
    clampTo(posterior.logvar, smallestLogvar, largestLogvar);
    if (probe) {
        probe("enc.mean", posterior.mean);
        probe("enc.logvar", posterior.logvar);
        probe("enc.latents_norm", normalize(posterior.mean));
    }
    return posterior;
}

Tensor WanVae::decode(const Execution& execution, const Tensor& latents, const VaeTiling* tiling,
                      const Probe& probe, const VaeProgress& progress) const {
    requireInput(latents, "latents", m_config.zDim);
    std::optional<TilePlan> plan;
    if (tiling != nullptr)
        plan = TilePlan::forDecode(*tiling, latents.extent(3), latents.extent(4), m_config.spatialFactor());
    Tensor video = stream(execution, *m_decoder, latents.toF32(), decodeChunking, plan, probe, progress);
    clampTo(video, -1.0F, 1.0F);
    if (probe)
        probe("dec.out", video);
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
