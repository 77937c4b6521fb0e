// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "engine/kernels/execution.h"
#include "engine/models/probe.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/vae/wan_vae_tiling.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

class Device;
class TinyDecoder;
struct VaeCoder;

/// The Wan VAE, 2.1 or 2.2: a causal 3-D convolutional autoencoder that streams along time. Encoding reads
/// the first frame, then groups of 4; decoding makes the first frame from the first latent frame, then
/// temporalFactor() from each. It holds the activations of one chunk at a time, and of one frame for its
/// largest layers. Calls are const and may run concurrently on different Executions.
///
/// With a config of class TAEHV, a small network decodes, and encoding is not available.
///
/// Cancellation is asked at least once per residual block (Error{Cancelled}).
class WanVae {
  public:
    /// Packs the weights of `parts` into `memory`, where the VAE computes; null: the host's, on the workers.
    /// Devices may share one object, or make one each on their own threads to have the weights in memory near
    /// them. One in a GPU's memory takes Executions of that GPU. Throws Error{Input} naming file, tensor and
    /// both shapes when the checkpoint does not fit the config.
    WanVae(const WanVaeConfig& config, const Checkpoint& checkpoint, const VaePrecision& precision = {},
           const VaeChunks& chunks = {}, Memory* memory = nullptr, VaeParts parts = VaeParts::Whole);
    ~WanVae();
    WanVae(WanVae&&) noexcept;
    WanVae& operator=(WanVae&&) noexcept;

    [[nodiscard]] const WanVaeConfig& config() const { return m_config; }
    [[nodiscard]] const VaePrecision& precision() const { return m_precision; }

    [[nodiscard]] bool holdsEncoder() const { return m_encoder != nullptr; }

    /// Returns the memory of the packed weights.
    [[nodiscard]] std::size_t bytes() const;

    /// Both [B, z, T', H', W'] with T' = 1 + (T-1)/4·4/temporalFactor; logvar clamped to [-30, 20].
    struct Posterior {
        Tensor mean;
        Tensor logvar;
    };

    /// video [B, channels, T, H, W] in [-1, 1]; for a VAE with isResidual, height and width are multiples of
    /// spatialFactor(). Frames after the last whole group of 4 are ignored, as upstream does. Probes get
    /// enc.conv_in, enc.down0 …, enc.mid_res0, enc.mid_attn, enc.mid, enc.norm_out, enc.conv_out (untiled
    /// only) and enc.mean, enc.logvar, enc.latents_norm, all [B, C, T, H, W], chunks joined along time.
    /// Throws Error{Input} for a shape that the model cannot encode, and where it has no encoder;
    /// Error{Internal} where the encoder is not in memory, as decoding does without a decoder there.
    [[nodiscard]] Posterior encode(const Execution& execution, const Tensor& video,
                                   const VaeTiling* tiling = nullptr, const Probe& probe = {},
                                   const VaeProgress& progress = {}) const;

    /// latents [B, z, T', H', W'], raw (see denormalize). Returns [B, channels, 1 + temporalFactor·(T'-1), H,
    /// W], clamped to [-1, 1]. Probes get dec.post_quant, dec.conv_in, dec.mid, dec.up0 …, dec.conv_out
    /// (untiled only) and dec.out.
    [[nodiscard]] Tensor decode(const Execution& execution, const Tensor& latents,
                                const VaeTiling* tiling = nullptr, const Probe& probe = {},
                                const VaeProgress& progress = {}) const;

    /// Encodes on all devices of a mesh together, each of which calls this with the whole video and gets the
    /// whole posterior. The devices in their order are (groups, vaeSpatial strips), -1: one group. The groups
    /// share the samples of the batch; the devices of a group cut the frames into strips of columns, whole
    /// latents wide, and hold only the activations of their strip. Devices left without columns or samples
    /// wait. Throws Error{Project} unless the devices are a multiple of vaeSpatial, and as Communicator does.
    [[nodiscard]] Posterior encode(Device& device, int vaeSpatial, const Tensor& video,
                                   const VaeProgress& progress = {}) const;

    /// Decodes latents, which every device holds whole, in the same way. The first device gets the video,
    /// chunk by chunk if it listens, the others no elements.
    [[nodiscard]] Tensor decode(Device& device, int vaeSpatial, const Tensor& latents,
                                const VaeEvents& events = {}) const;

    /// Decodes to frames u8 [B, T, H, W, 3] (see toFrames()), which the devices make from their strips.
    /// Throws NonFiniteError naming the chunk.
    [[nodiscard]] Tensor decodeFrames(Device& device, int vaeSpatial, const Tensor& latents,
                                      const VaeEvents& events = {}) const;

    /// (mean - latents_mean)·(1/latents_std) by channel: what the transformer sees. [B, z, T', H', W'].
    [[nodiscard]] Tensor normalize(const Tensor& mean) const;

    /// Returns the inverse: latents/(1/latents_std) + latents_mean.
    [[nodiscard]] Tensor denormalize(const Tensor& latents) const;

  private:
    class Encoder;
    class Decoder;

    void requireEncodable(const Tensor& video) const;
    [[nodiscard]] LatentSide latentSide() const;
    [[nodiscard]] VaeCoder encoder() const;
    [[nodiscard]] VaeCoder decoder() const;
    [[nodiscard]] Posterior toPosterior(const Tensor& moments) const;

    WanVaeConfig m_config;
    VaePrecision m_precision;
    VaeChunks m_chunks;
    Memory* m_memory;
    std::unique_ptr<const Encoder> m_encoder;  // where it is in memory
    std::unique_ptr<const Decoder> m_decoder;
    std::unique_ptr<const TinyDecoder> m_tiny;  // replaces both
};

}  // namespace meshreel
