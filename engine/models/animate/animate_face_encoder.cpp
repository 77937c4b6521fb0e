// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/animate/animate_face_encoder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/kernels/rows/activations.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/transformer/wan_embeddings.h"

namespace meshreel {

namespace {

constexpr double faceNormEpsilon = 1e-6;
constexpr std::int64_t halving = 2;

PackedMatrix packedTaps(const LayerTensors& tensors, const std::string& name) {
    const Tensor& weight = tensors.get(name + ".weight");
    return PackedMatrix::pack(weight.reshaped({weight.extent(0), weight.extent(1) * weight.extent(2)}),
                              &tensors.get(name + ".bias"));
}

// Columns [first, first + count) of x [rows, width].
Tensor columnsOf(const Tensor& x, std::int64_t first, std::int64_t count) {
    Tensor part = Tensor::empty({x.extent(0), count});
    for (std::int64_t row = 0; row < x.extent(0); ++row)
        std::ranges::copy(MatrixView(x).columns(first, count).row<float>(row),
                          part.slice(row, row + 1).data<float>().begin());
    return part;
}

}  // namespace

FaceConvolution::FaceConvolution(const LayerTensors& tensors, const std::string& name, std::int64_t stride)
    : m_taps(tensors.get(name + ".weight").extent(2)),
      m_stride(stride),
      m_matrix(packedTaps(tensors, name)) {}

Tensor FaceConvolution::apply(const Execution& execution, const Tensor& x) const {
    const std::int64_t frames = (x.extent(0) - 1) / m_stride + 1;
    const std::int64_t width = x.extent(1);
    const auto from = x.data<float>();
    Tensor seen = Tensor::empty({frames, width * m_taps});  // of every output frame
    const auto to = seen.data<float>();
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t tap = 0; tap < m_taps; ++tap) {
            const std::int64_t source = std::max<std::int64_t>(0, frame * m_stride + tap - (m_taps - 1));
            for (std::int64_t channel = 0; channel < width; ++channel)
                to[static_cast<std::size_t>((frame * width + channel) * m_taps + tap)] =
                    from[static_cast<std::size_t>(source * width + channel)];
        }
    return applyTo(execution, m_matrix, seen);
}

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
        Tensor x = columnsOf(all, head * m_config.hiddenDim, m_config.hiddenDim);
        normAndActivate(execution, x);
        for (const FaceConvolution* convolution : {&m_second, &m_third}) {
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
