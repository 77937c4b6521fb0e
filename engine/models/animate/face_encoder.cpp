// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/animate/face_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

constexpr std::int64_t faceColours = 3;
constexpr float leak = 0.2F;

// Weights are stored for inputs of variance 1; the layer's scale is that of its fan-in.
Tensor scaledToFanIn(const Tensor& weight) {
    Tensor scaled = weight.clone();
    const std::int64_t fanIn = weight.elements() / weight.extent(0);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(fanIn)));
    for (float& value : scaled.data<float>())
        value *= scale;
    return scaled;
}

PackedConvolution packedConvolution(const LayerTensors& tensors, const std::string& name,
                                    const ConvolutionGeometry& geometry) {
    const Tensor& weight = tensors.get(name + ".weight");
    const std::string bias = name + ".act_fn.bias";
    return PackedConvolution::pack(scaledToFanIn(weight),
                                   tensors.has(bias) ? tensors.get(bias) : Tensor::zeros({weight.extent(0)}),
                                   geometry);
}

PackedMatrix linear(const LayerTensors& tensors, const std::string& name) {
    return PackedMatrix::pack(scaledToFanIn(tensors.get(name + ".weight")), &tensors.get(name + ".bias"));
}

}  // namespace

/// One image, channels last.
class MotionEncoder::Image {
  public:
    Image(std::int64_t side, std::int64_t channels)
        : m_side(side), m_pixels(Tensor::empty({side * side, channels})) {}

    /// Takes planes [channels, side, side].
    static Image ofPlanes(const Tensor& planes) {
        Image image(planes.extent(1), planes.extent(0));
        const auto from = planes.data<float>();
        const auto to = image.m_pixels.data<float>();
        const auto channels = static_cast<std::size_t>(planes.extent(0));
        const std::size_t pixels = from.size() / channels;
        for (std::size_t channel = 0; channel < channels; ++channel)
            for (std::size_t pixel = 0; pixel < pixels; ++pixel)
                to[pixel * channels + channel] = from[channel * pixels + pixel];
        return image;
    }

    [[nodiscard]] Tensor planes() const {
        Tensor planes = Tensor::empty({1, channels(), m_side, m_side});
        const auto from = m_pixels.data<float>();
        const auto to = planes.data<float>();
        const auto count = static_cast<std::size_t>(channels());
        const std::size_t pixels = from.size() / count;
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i % count * pixels + i / count] = from[i];
        return planes;
    }

    [[nodiscard]] std::int64_t channels() const { return m_pixels.extent(1); }
    [[nodiscard]] const Tensor& pixels() const { return m_pixels; }

    [[nodiscard]] Image convolved(const Execution& execution, const PackedConvolution& convolution) const {
        Image result(convolution.outHeight(m_side), convolution.outChannels());
        const std::array<ConvolutionFrame, 1> frames{ConvolutionFrame{.pixels = MatrixView(m_pixels)}};
        convolution.apply(execution, frames, m_side, m_side, MatrixSpan(result.m_pixels));
        return result;
    }

    /// Filters it, with zeros around it `padding` pixels wide, with the kernel (1, 3, 3, 1)/8 along rows and
    /// columns.
    [[nodiscard]] Image blurred(const Execution& execution, std::int64_t padding) const {
        const std::int64_t side = m_side + 2 * padding - (std::ssize(blurKernel) - 1);
        const std::int64_t width = channels();
        const float* from = m_pixels.data<float>().data();
        Image result(side, width);
        float* to = result.m_pixels.data<float>().data();
        execution.workers.parallelFor(side, [&](std::int64_t begin, std::int64_t end) {
            std::vector<float> line(static_cast<std::size_t>(m_side * width));
            for (std::int64_t row = begin; row < end; ++row) {
                const Line source{from, m_side, m_side * width};
                source.blur(row - padding, 1, line.data());
                const Line columns{line.data(), m_side, width};
                columns.blur(-padding, side, to + row * side * width);
            }
        });
        return result;
    }

    /// Leaky ReLU, scaled to keep the variance.
    void activate() {
        for (float& value : m_pixels.data<float>())
            value = (value < 0 ? leak * value : value) * std::numbers::sqrt2_v<float>;
    }

    /// The mean of two images of variance 1 has it too.
    void average(const Image& other) {
        const auto values = other.m_pixels.data<float>();
        const auto own = m_pixels.data<float>();
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = (own[i] + values[i]) / std::numbers::sqrt2_v<float>;
    }

  private:
    static constexpr std::array<float, 4> blurKernel = {0.125F, 0.375F, 0.375F, 0.125F};

    /// Elements of `width` values; those beyond the ends are zero.
    struct Line {
        const float* elements;
        std::int64_t length;
        std::int64_t width;

        /// Computes `count` elements of the blurred line, the first of which is that whose kernel begins at
        /// `first`.
        void blur(std::int64_t first, std::int64_t count, float* to) const {
            std::fill_n(to, count * width, 0.0F);
            for (std::int64_t index = 0; index < count; ++index, to += width)
                for (std::int64_t tap = 0; tap < std::ssize(blurKernel); ++tap) {
                    const std::int64_t at = first + index + tap;
                    if (at < 0 || at >= length)
                        continue;
                    const float factor = blurKernel[static_cast<std::size_t>(tap)];
                    const float* from = elements + at * width;
                    for (std::int64_t i = 0; i < width; ++i)
                        to[i] += factor * from[i];
                }
        }
    };

    std::int64_t m_side;
    Tensor m_pixels;  // f32 [side · side, channels]
};

/// What a probe gets to see of all faces together.
class MotionEncoder::Intermediates {
  public:
    explicit Intermediates(const Probe& probe) : m_probe(probe) {}

    void add(const std::string& name, const Image& image) {
        if (m_probe)
            m_images[name].push_back(image.planes());
    }

    void report() const {
        for (const auto& [name, images] : m_images) {
            Tensor all = Tensor::empty(images.front().shape().with(0, std::ssize(images)));
            auto to = all.data<float>().begin();
            for (const Tensor& image : images)
                to = std::ranges::copy(image.data<float>(), to).out;
            m_probe("motion." + name, all);
        }
    }

  private:
    const Probe& m_probe;
    std::map<std::string, std::vector<Tensor>> m_images;
};

MotionEncoder::MotionEncoder(const AnimateConfig& config, const LayerTensors& tensors)
    : m_config(config),
      m_in(packedConvolution(tensors, "motion_encoder.conv_in", {})),
      m_out(packedConvolution(tensors, "motion_encoder.conv_out", {})),
      m_basis(orthonormalBasis(tensors.get("motion_encoder.motion_synthesis_weight"))),
      m_sum(PackedMatrix::pack(m_basis)) {
    constexpr ConvolutionGeometry around{.padBefore = 1, .padAfter = 1};
    constexpr ConvolutionGeometry halving{.spaceStride = 2};
    for (std::size_t index = 0; index + 1 < config.channels.size(); ++index) {
        const std::string name = fmt::format("motion_encoder.res_blocks.{}.", index);
        m_blocks.push_back({.first = packedConvolution(tensors, name + "conv1", around),
                            .second = packedConvolution(tensors, name + "conv2", halving),
                            .skip = packedConvolution(tensors, name + "conv_skip", halving)});
    }
    for (int index = 0; index < AnimateConfig::motionLinears; ++index)
        m_network.push_back(linear(tensors, fmt::format("motion_encoder.motion_network.{}", index)));
}

MotionEncoder::Image MotionEncoder::runBlock(const Execution& execution, const ResBlock& block,
                                             const Image& x) const {
    // The sides that a halving convolution of kernel 3 (and 1) makes are half the image's.
    constexpr std::int64_t mainPadding = 2;
    constexpr std::int64_t skipPadding = 1;
    Image main = x.convolved(execution, block.first);
    main.activate();
    main = main.blurred(execution, mainPadding).convolved(execution, block.second);
    main.activate();
    main.average(x.blurred(execution, skipPadding).convolved(execution, block.skip));
    return main;
}

Tensor MotionEncoder::features(const Execution& execution, const Tensor& face, Intermediates& seen) const {
    Image image = Image::ofPlanes(face).convolved(execution, m_in);
    image.activate();
    seen.add("conv_in", image);
    for (std::size_t index = 0; index < m_blocks.size(); ++index) {
        image = runBlock(execution, m_blocks[index], image);
        seen.add(fmt::format("res{}", index), image);
    }
    image = image.convolved(execution, m_out);
    seen.add("conv_out", image);
    return image.pixels();
}

Tensor MotionEncoder::encode(const Execution& execution, const Tensor& faces, const Probe& probe) const {
    Intermediates seen(probe);
    Tensor x = Tensor::empty({faces.extent(0), m_config.styleDim});
    auto to = x.data<float>().begin();
    for (std::int64_t frame = 0; frame < faces.extent(0); ++frame) {
        throwIfStopped(execution.stop);
        const Tensor face =
            faces.slice(frame, frame + 1).reshaped({faceColours, m_config.faceSide, m_config.faceSide});
        const Tensor style = features(execution, face, seen);
        to = std::ranges::copy(style.data<float>(), to).out;
    }
    for (const PackedMatrix& layer : m_network)
        x = applyTo(execution, layer, x);
    if (probe) {
        seen.report();
        probe("motion_Q", m_basis);
    }
    return applyTo(execution, m_sum, x);
}

namespace {

/// A matrix of columns in double.
struct Columns {
    std::size_t rows;
    std::vector<std::vector<double>> columns;

    explicit Columns(const Tensor& matrix)
        : rows(static_cast<std::size_t>(matrix.extent(0))),
          columns(static_cast<std::size_t>(matrix.extent(1)), std::vector<double>(rows)) {
        constexpr float basisOffset = 1e-8F;
        const auto values = matrix.data<float>();
        for (std::size_t i = 0; i < values.size(); ++i)
            columns[i % columns.size()][i / columns.size()] = values[i] + basisOffset;
    }
};

/// I - tau·v·vᵀ, v being zero before `first`.
struct Reflector {
    std::size_t first;
    std::vector<double> v;
    double tau;

    /// Returns the reflector that maps what `column` has from `first` on to its first axis; none if it lies
    /// there.
    static Reflector of(const std::vector<double>& column, std::size_t first) {
        double below = 0;
        for (std::size_t row = first + 1; row < column.size(); ++row)
            below += column[row] * column[row];
        Reflector reflector{first, std::vector<double>(column.size()), 0};
        if (below == 0)
            return reflector;
        const double length = -std::copysign(std::hypot(column[first], std::sqrt(below)), column[first]);
        reflector.tau = (length - column[first]) / length;
        for (std::size_t row = first + 1; row < column.size(); ++row)
            reflector.v[row] = column[row] / (column[first] - length);
        reflector.v[first] = 1;
        return reflector;
    }

    void apply(std::vector<double>& column) const {
        double product = 0;
        for (std::size_t row = first; row < column.size(); ++row)
            product += v[row] * column[row];
        for (std::size_t row = first; row < column.size(); ++row)
            column[row] -= tau * product * v[row];
    }
};

}  // namespace

Tensor orthonormalBasis(const Tensor& matrix) {
    Columns work(matrix);
    const std::size_t count = work.columns.size();
    std::vector<Reflector> reflectors;
    for (std::size_t index = 0; index < count; ++index) {
        for (const Reflector& before : reflectors)
            before.apply(work.columns[index]);
        reflectors.push_back(Reflector::of(work.columns[index], index));
    }
    Tensor basis = Tensor::empty(matrix.shape());
    for (std::size_t index = 0; index < count; ++index) {
        std::vector<double> column(work.rows);
        column[index] = 1;
        for (std::size_t last = count; last > 0; --last)
            reflectors[last - 1].apply(column);
        for (std::size_t row = 0; row < work.rows; ++row)
            basis.data<float>()[row * count + index] = static_cast<float>(column[row]);
    }
    return basis;
}

namespace {

constexpr double faceNormEpsilon = 1e-6;
constexpr std::int64_t halving = 2;

}  // namespace

FaceEncoder::FaceEncoder(const AnimateConfig& config, const LayerTensors& tensors)
    : m_config(config),
      m_heads(tensors, "face_encoder.conv1_local", 1),
      m_second(tensors, "face_encoder.conv2", halving),
      m_third(tensors, "face_encoder.conv3", halving),
      m_out(tensors.linear("face_encoder.out_proj")),
      m_learned(tensors.get("face_encoder.padding_tokens")) {}

void FaceEncoder::normAndActivate(const Execution& execution, Tensor& x) const {
    layerNorm(execution, x.data<float>(), x.extent(1), faceNormEpsilon, {}, {}, x.data<float>());
    activate(execution, silu, x.data<float>());
}

// [latent frames - 1, faceTokens, innerDim] of motion [frames, motionDim].
Tensor FaceEncoder::encodeVideo(const Execution& execution, const Tensor& motion) const {
    const Tensor all = m_heads.apply(execution, motion);
    std::vector<Tensor> heads;
    for (std::int64_t head = 0; head < m_config.heads; ++head) {
        Tensor x = copiedColumns(all, head * m_config.hiddenDim, m_config.hiddenDim);
        normAndActivate(execution, x);
        for (const TimeConvolution* convolution : {&m_second, &m_third}) {
            x = convolution->apply(execution, x);
            normAndActivate(execution, x);
        }
        heads.push_back(applyTo(execution, m_out, x));
    }
    const std::int64_t frames = heads.front().extent(0);
    Tensor tokens = Tensor::empty({frames, m_config.faceTokens(), m_learned.elements()});
    auto to = tokens.data<float>().begin();
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        for (const Tensor& head : heads)
            to = std::ranges::copy(head.slice(frame, frame + 1).data<float>(), to).out;
        to = std::ranges::copy(m_learned.data<float>(), to).out;
    }
    return tokens;
}

Tensor FaceEncoder::encode(const Execution& execution, const Tensor& motion) const {
    const std::int64_t batch = motion.extent(0);
    const std::int64_t latentFrames = AnimateConfig::latentFrames(motion.extent(1)) - 1;
    Tensor tokens = Tensor::empty({batch, latentFrames, m_config.faceTokens(), m_learned.elements()});
    auto to = tokens.data<float>().begin();
    for (std::int64_t video = 0; video < batch; ++video) {
        const Tensor one = motion.slice(video, video + 1).reshaped({motion.extent(1), motion.extent(2)});
        const Tensor encoded = encodeVideo(execution, one);
        to = std::ranges::copy(encoded.data<float>(), to).out;
    }
    return tokens;
}

}  // namespace meshreel
