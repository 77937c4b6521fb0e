// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/latent_preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

#include "engine/base/error.h"
#include "engine/base/linear_solve.h"
#include "engine/kernels/pixels/frame_bytes.h"
#include "engine/models/vae/video_frames.h"

namespace meshreel {
namespace {

constexpr std::int64_t rgb = 3;

// The clips that the fit encodes.
constexpr std::int64_t fitClips = 2;
constexpr std::int64_t fitFrames = 5;
constexpr std::int64_t fitLatentSide = 8;
constexpr std::int64_t fitBlockLatents = 2;  // side of a block of one colour

// Keeps the fit tame where channels hardly vary, as a share of the channels' mean power.
constexpr double ridge = 1e-3;

/// Colour in [-1, 1]: clip 0 has waves of another length for each colour, clip 1 blocks of all saturated
/// colours and greys in a scrambled order.
float fitColour(std::int64_t clip, std::int64_t colour, double y, double x) {
    if (clip == 0) {
        constexpr std::array<double, rgb> wavesAcross = {1.0, 1.7, 0.6};
        constexpr std::array<double, rgb> wavesDown = {0.7, -1.1, 2.0};
        const auto index = static_cast<std::size_t>(colour);
        const double phase =
            2.0 * std::numbers::pi *
            (wavesAcross[index] * x + wavesDown[index] * y + static_cast<double>(colour) / 3.0);
        return static_cast<float>(0.9 * std::sin(phase));
    }
    constexpr std::int64_t blocks = fitLatentSide / fitBlockLatents;
    constexpr std::int64_t scramble = 7;  // coprime to the 16 blocks
    const auto row = static_cast<std::int64_t>(y * blocks);
    const auto column = static_cast<std::int64_t>(x * blocks);
    const std::int64_t block = (row * blocks + column) * scramble % (blocks * blocks);
    const float level = block / 8 == 0 ? 0.9F : 0.45F;
    return (block >> colour & 1) != 0 ? level : -level;
}

/// [fitClips, 3, fitFrames, side, side], the frames of a clip all alike.
Tensor fitVideo(std::int64_t side) {
    Tensor video = Tensor::empty({fitClips, rgb, fitFrames, side, side});
    float* to = video.data<float>().data();
    for (std::int64_t clip = 0; clip < fitClips; ++clip)
        for (std::int64_t colour = 0; colour < rgb; ++colour)
            for (std::int64_t frame = 0; frame < fitFrames; ++frame)
                for (std::int64_t row = 0; row < side; ++row)
                    for (std::int64_t column = 0; column < side; ++column)
                        *to++ = fitColour(clip, colour,
                                          (static_cast<double>(row) + 0.5) / static_cast<double>(side),
                                          (static_cast<double>(column) + 0.5) / static_cast<double>(side));
    return video;
}

/// Sums of the regression of colours on features (latent channels and a constant 1).
class NormalEquations {
  public:
    explicit NormalEquations(std::size_t features)
        : m_gram(features * features), m_moments(features * rgb), m_features(features) {}

    void add(std::span<const double> features, std::span<const double, rgb> colour) {
        for (std::size_t row = 0; row < m_features; ++row) {
            for (std::size_t column = 0; column < m_features; ++column)
                m_gram[row * m_features + column] += features[row] * features[column];
            for (std::size_t index = 0; index < rgb; ++index)
                m_moments[index * m_features + row] += features[row] * colour[index];
        }
    }

    /// [3, features]
    [[nodiscard]] std::vector<float> solve() const {
        double power = 0.0;
        for (std::size_t row = 0; row < m_features; ++row)
            power += m_gram[row * (m_features + 1)];
        std::vector<double> gram = m_gram;
        for (std::size_t row = 0; row < m_features; ++row)
            gram[row * (m_features + 1)] += ridge * power / static_cast<double>(m_features);
        const std::vector<double> solution = solveSymmetric(gram, m_features, m_moments);
        std::vector<float> coefficients;
        std::ranges::transform(solution, std::back_inserter(coefficients),
                               [](double value) { return static_cast<float>(value); });
        return coefficients;
    }

  private:
    std::vector<double> m_gram;
    std::vector<double> m_moments;  ///< [3, features]
    std::size_t m_features;
};

/// Mean of a square of pixels of a [.., height, width] plane.
double meanOfSquare(const float* plane, std::int64_t width, std::int64_t top, std::int64_t left,
                    std::int64_t side) {
    double sum = 0.0;
    for (std::int64_t row = top; row < top + side; ++row)
        for (std::int64_t column = left; column < left + side; ++column)
            sum += static_cast<double>(plane[row * width + column]);
    return sum / static_cast<double>(side * side);
}

/// Where a pixel of an enlarged axis falls between two source pixels (centres aligned, edges repeated).
struct Between {
    std::int64_t low;
    std::int64_t high;
    float share;  // share of `high`

    Between(std::int64_t index, std::int64_t scale, std::int64_t extent) {
        const float position = (static_cast<float>(index) + 0.5F) / static_cast<float>(scale) - 0.5F;
        const float bounded = std::clamp(position, 0.0F, static_cast<float>(extent - 1));
        low = static_cast<std::int64_t>(bounded);
        high = std::min(low + 1, extent - 1);
        share = bounded - static_cast<float>(low);
    }
};

}  // namespace

LatentPreview LatentPreview::fit(const Execution& execution, const WanVae& vae) {
    if (vae.config().videoChannelsIn() != rgb)
        throw Error(
            ErrorKind::Input,
            sentence("A VAE of {} video channels has no colour preview", vae.config().videoChannelsIn()),
            "in_channels", sentence("Use a VAE of RGB videos"));
    const std::int64_t factor = vae.config().spatialFactor();
    const std::int64_t side = fitLatentSide * factor;
    const Tensor video = fitVideo(side);
    const Tensor latents = vae.normalize(vae.encode(execution, video).mean);
    const std::int64_t channels = latents.extent(1);
    const std::int64_t frames = latents.extent(2);
    constexpr std::int64_t plane = fitLatentSide * fitLatentSide;

    NormalEquations equations(static_cast<std::size_t>(channels + 1));
    std::vector<double> features(static_cast<std::size_t>(channels + 1), 1.0);
    for (std::int64_t clip = 0; clip < fitClips; ++clip)
        for (std::int64_t pixel = 0; pixel < plane; ++pixel) {
            std::array<double, rgb> colour{};
            for (std::int64_t index = 0; index < rgb; ++index)
                colour[static_cast<std::size_t>(index)] = meanOfSquare(
                    video.data<float>().data() + (clip * rgb + index) * fitFrames * side * side, side,
                    pixel / fitLatentSide * factor, pixel % fitLatentSide * factor, factor);
            for (std::int64_t frame = 0; frame < frames; ++frame) {
                for (std::int64_t channel = 0; channel < channels; ++channel)
                    features[static_cast<std::size_t>(channel)] =
                        static_cast<double>(latents.data<float>()[static_cast<std::size_t>(
                            ((clip * channels + channel) * frames + frame) * plane + pixel)]);
                equations.add(features, colour);
            }
        }
    return LatentPreview(equations.solve());
}

LatentPreview::LatentPreview(const Tensor& coefficients) {
    if (coefficients.shape().rank() != 2 || coefficients.extent(0) != rgb || coefficients.extent(1) < 2)
        throw Error(ErrorKind::Internal, "No preview has the coefficients " + coefficients.shape().text());
    const auto values = coefficients.data<float>();
    m_coefficients.assign(values.begin(), values.end());
}

Tensor LatentPreview::coefficients() const {
    return Tensor::from<float>({rgb, channels() + 1}, m_coefficients);
}

Tensor LatentPreview::colours(const Tensor& latents) const {
    const std::int64_t pixels = latents.elements() / channels();
    Tensor result = Tensor::empty({latents.extent(2), latents.extent(3), latents.extent(4), rgb});
    float* to = result.data<float>().data();
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        for (std::int64_t colour = 0; colour < rgb; ++colour) {
            const float* row = m_coefficients.data() + colour * (channels() + 1);
            float sum = row[channels()];
            for (std::int64_t channel = 0; channel < channels(); ++channel)
                sum +=
                    row[channel] * latents.data<float>()[static_cast<std::size_t>(channel * pixels + pixel)];
            *to++ = sum;
        }
    return result;
}

Tensor LatentPreview::frames(const Tensor& latents, std::int64_t scale) const {
    if (latents.shape().rank() != 5 || latents.extent(0) != 1 || latents.extent(1) != channels() || scale < 1)
        throw Error(ErrorKind::Internal, fmt::format("No preview of latents {} with {} channels",
                                                     latents.shape().text(), channels()));
    const Tensor source = colours(latents.toF32());
    const std::int64_t height = source.extent(1);
    const std::int64_t width = source.extent(2);
    Tensor result = Tensor::empty({source.extent(0), height * scale, width * scale, rgb}, DType::U8);
    std::uint8_t* to = result.data<std::uint8_t>().data();
    for (std::int64_t frame = 0; frame < source.extent(0); ++frame) {
        const float* image = source.data<float>().data() + frame * height * width * rgb;
        for (std::int64_t row = 0; row < height * scale; ++row) {
            const Between y(row, scale, height);
            for (std::int64_t column = 0; column < width * scale; ++column) {
                const Between x(column, scale, width);
                for (std::int64_t colour = 0; colour < rgb; ++colour) {
                    const auto at = [&](std::int64_t fromRow, std::int64_t fromColumn) {
                        return image[(fromRow * width + fromColumn) * rgb + colour];
                    };
                    const float upper = std::lerp(at(y.low, x.low), at(y.low, x.high), x.share);
                    const float lower = std::lerp(at(y.high, x.low), at(y.high, x.high), x.share);
                    *to++ = toByte(std::lerp(upper, lower, y.share));
                }
            }
        }
    }
    return result;
}

}  // namespace meshreel
