// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/vae_flops.h"

#include "engine/base/real.h"

namespace meshreel {
namespace {

constexpr double multiplyAdd = 2;
constexpr double kernelVolume = 27;
constexpr double kernelArea = 9;
constexpr double kernelFrames = 3;

/// Walks through encoder or decoder with the size that the features have by then.
class VaeWalk {
  public:
    VaeWalk(double frames, double pixels) : m_frames(frames), m_pixels(pixels) {}

    [[nodiscard]] double products() const { return m_products; }

    void convolve(double out, double in, double taps) { m_products += m_frames * m_pixels * out * in * taps; }

    void residual(double in, double out) {
        convolve(out, in, kernelVolume);
        convolve(out, out, kernelVolume);
        if (in != out)
            convolve(out, in, 1);
    }

    /// The two residual blocks and the attention at the lowest level.
    void middle(double channels) {
        residual(channels, channels);
        attention(channels);
        residual(channels, channels);
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

    void halveSides(double channels) {
        m_pixels /= 4;
        convolve(channels, channels, kernelArea);
    }

    /// The first frame stays as it is.
    void halveFrames(double channels) {
        m_frames = (m_frames - 1) / 2;
        convolve(channels, channels, kernelFrames);
        m_frames += 1;
    }

  private:
    double m_frames;
    double m_pixels;
    double m_products = 0;  // multiply-adds
};

}  // namespace

double vaeDecodeFlops(const WanVaeConfig& config, const Shape& latents) {
    VaeWalk walk(real(latents[2]), real(latents[3] * latents[4]));
    const double latent = real(config.zDim);
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    walk.convolve(latent, latent, 1);
    walk.convolve(channels, latent, kernelVolume);
    walk.middle(channels);
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

double vaeEncodeFlops(const WanVaeConfig& config, const VideoExtent& video) {
    VaeWalk walk(real(video.frames),
                 real(video.height * video.width) / real(config.patchSize * config.patchSize));
    const double latent = 2 * real(config.zDim);  // mean and variance
    double channels = real(config.baseDim);
    walk.convolve(channels, real(config.inChannels), kernelVolume);
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const double wider = real(config.baseDim * config.dimMult[level]);
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            walk.residual(channels, wider);
            channels = wider;
        }
        if (level + 1 == config.dimMult.size())
            continue;
        walk.halveSides(channels);
        if (config.temporalDownsample[level])
            walk.halveFrames(channels);
    }
    walk.middle(channels);
    walk.convolve(latent, channels, kernelVolume);
    walk.convolve(latent, latent, 1);
    return multiplyAdd * walk.products();
}

}  // namespace meshreel
