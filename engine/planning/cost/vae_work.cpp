// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/vae_work.h"

#include <algorithm>

#include "engine/base/real.h"

namespace meshreel {
namespace {

constexpr double multiplyAdd = 2;
constexpr double kernelArea = 9;
constexpr double kernelFrames = 3;

/// Walks through encoder or decoder with the size that the features have by then.
class VaeWalk {
  public:
    VaeWalk(double latentFrames, double frames, double pixels)
        : m_latentFrames(latentFrames), m_frames(frames), m_pixels(pixels) {}

    [[nodiscard]] const VaeWork& work() const { return m_work; }

    void convolve(double out, double in, double taps) {
        multiply(m_frames * m_pixels * out * in * taps);
        pass(m_frames, out + in);
    }

    /// 3x3x3, causal.
    void convolveCausally(double out, double in) {
        multiplyCausally(m_frames, m_pixels * out * in * kernelArea);
        pass(m_frames, out + in);
    }

    void residual(double in, double out) {
        convolveCausally(out, in);
        convolveCausally(out, out);
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
        multiply(2 * m_frames * m_pixels * m_pixels * channels);
    }

    /// The first frame stays one frame.
    void doubleFrames(double channels) {
        multiplyCausally(m_frames - 1, m_pixels * 2 * channels * channels);
        pass(m_frames - 1, 3 * channels);
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
    void multiply(double products) {
        m_work.flops += multiplyAdd * products;
        m_work.computedFlops += multiplyAdd * products;
    }

    /// By a kernel of three frames, of which two have no frame before the first one and one before the
    /// second.
    void multiplyCausally(double frames, double products) {
        const double zeros = 2 * std::min(frames, 1.0) + std::clamp(frames - 1, 0.0, 1.0);
        m_work.flops += multiplyAdd * products * kernelFrames * frames;
        m_work.computedFlops += multiplyAdd * products * (kernelFrames * frames - zeros);
    }

    void pass(double frames, double channels) {
        m_work.values += frames * m_pixels * channels;
        m_work.layers += m_latentFrames;
    }

    double m_latentFrames;
    double m_frames;
    double m_pixels;
    VaeWork m_work;
};

}  // namespace

VaeWork vaeDecodeWork(const WanVaeConfig& config, const Shape& latents) {
    VaeWalk walk(real(latents[2]), real(latents[2]), real(latents[3] * latents[4]));
    const double latent = real(config.zDim);
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    walk.convolve(latent, latent, 1);
    walk.convolveCausally(channels, latent);
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
    walk.convolveCausally(real(config.outChannels), channels);
    return walk.work();
}

VaeWork vaeEncodeWork(const WanVaeConfig& config, const VideoExtent& video) {
    VaeWalk walk(real(1 + (video.frames - 1) / config.temporalFactor()), real(video.frames),
                 real(video.height * video.width) / real(config.patchSize * config.patchSize));
    const double latent = 2 * real(config.zDim);  // mean and variance
    double channels = real(config.baseDim);
    walk.convolveCausally(channels, real(config.inChannels));
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
    walk.convolveCausally(latent, channels);
    walk.convolve(latent, latent, 1);
    return walk.work();
}

}  // namespace meshreel
