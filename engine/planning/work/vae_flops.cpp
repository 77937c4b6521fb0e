// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/work/vae_flops.h"

namespace meshreel {
namespace {

constexpr double multiplyAdd = 2;
constexpr double kernelVolume = 27;
constexpr double kernelArea = 9;
constexpr double kernelFrames = 3;

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Walks down the decoder with the size that its features have by then.
class DecoderWalk {
  public:
    explicit DecoderWalk(const Shape& latents)
        : m_frames(real(latents[2])), m_pixels(real(latents[3] * latents[4])) {}

    [[nodiscard]] double products() const { return m_products; }

    void convolve(double out, double in, double taps) { m_products += m_frames * m_pixels * out * in * taps; }

    void residual(double in, double out) {
        convolve(out, in, kernelVolume);
        convolve(out, out, kernelVolume);
        if (in != out)
            convolve(out, in, 1);
    }

    void attention(double channels) {
        convolve(4 * channels, channels, 1);  // query, key, value and output projection
        m_products += 2 * m_frames * m_pixels * m_pixels * channels;
    }

    /// The first frame stays one frame.
    void doubleFrames(double channels) {
        m_products += (m_frames - 1) * m_pixels * 2 * channels * channels * kernelFrames;
        m_frames = 2 * m_frames - 1;
    }

    void doubleSides(double in, double out) {
        m_pixels *= 4;
        convolve(out, in, kernelArea);
    }

  private:
    double m_frames;
    double m_pixels;
    double m_products = 0;  // multiply-adds
};

}  // namespace

double vaeDecodeFlops(const WanVaeConfig& config, const Shape& latents) {
    DecoderWalk walk(latents);
    const double latent = real(config.zDim);
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    walk.convolve(latent, latent, 1);
    walk.convolve(channels, latent, kernelVolume);
    walk.residual(channels, channels);
    walk.attention(channels);
    walk.residual(channels, channels);
    for (std::size_t level = config.dimMult.size(); level-- > 0;) {
        const double narrower = real(config.decoderBaseDim * config.dimMult[level]);
        for (std::int64_t block = 0; block <= config.numResBlocks; ++block) {
            walk.residual(channels, narrower);
            channels = narrower;
        }
        if (level == 0)
            continue;
        if (config.temporalDownsample[level - 1])
            walk.doubleFrames(channels);
        const double behind = config.isResidual ? channels : channels / 2;
        walk.doubleSides(channels, behind);
        channels = behind;
    }
    walk.convolve(real(config.outChannels), channels, kernelVolume);
    return multiplyAdd * walk.products();
}

}  // namespace meshreel
