// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_image_embedding.h"

#include <string>

#include "engine/base/error.h"
#include "engine/kernels/rows/activations.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/transformer/token_shards.h"
#include "engine/models/transformer/wan_embeddings.h"

namespace meshreel {

namespace {

constexpr double imageNormEpsilon = 1e-5;  // torch's; the config's is that of the blocks
constexpr std::int64_t imagesPerVideo = 2;

std::string named(const char* name) {
    return std::string("condition_embedder.image_embedder.") + name;
}

}  // namespace

WanImageEmbedding::WanImageEmbedding(const WanTransformerConfig& config, const LayerTensors& tensors)
    : m_positions(config.imagePositions > 0 ? std::optional(tensors.get(named("pos_embed"))) : std::nullopt),
      m_before{tensors.get(named("norm1.weight")), tensors.get(named("norm1.bias"))},
      m_up(tensors.linear(named("ff.net.0.proj"))),
      m_down(tensors.linear(named("ff.net.2"))),
      m_after{tensors.get(named("norm2.weight")), tensors.get(named("norm2.bias"))} {}

void WanImageEmbedding::Norm::apply(const Execution& execution, Tensor& x) const {
    layerNorm(execution, MatrixView(x), imageNormEpsilon, weight.data<float>(), bias.data<float>(),
              MatrixSpan(x));
}

Tensor WanImageEmbedding::sequence(const WanTransformerConfig& config, const Tensor& image,
                                   std::int64_t batch) {
    const std::int64_t images = config.imagePositions > 0 ? imagesPerVideo : 1;
    const Shape& shape = image.shape();
    if (shape.rank() != 3 || shape[0] != batch * images || shape[1] < 1 || shape[2] != config.imageDim ||
        (config.imagePositions > 0 && images * shape[1] != config.imagePositions))
        throw Error(
            ErrorKind::Input,
            sentence("{} videos of this transformer need image embeddings [{}, {}, {}], got {}", batch,
                     batch * images,
                     config.imagePositions > 0 ? Sentence(std::to_string(config.imagePositions / images))
                                               : sentence("tokens"),
                     config.imageDim, shape.text()),
            "image encoder", sentence("Use the image encoder that belongs to the transformer"));
    return image.toF32().reshaped({batch, images * shape[1], config.imageDim});
}

Tensor WanImageEmbedding::embed(const Execution& execution, const Tensor& sequence, ShardRange tokens) const {
    Tensor x = tokensOfEach(sequence, tokens).clone();
    if (m_positions) {
        const Tensor positions = tokensOfEach(*m_positions, tokens);
        for (std::int64_t video = 0; video < x.extent(0); ++video)
            addInPlace(execution, x.slice(video, video + 1).data<float>(), positions.data<float>());
    }
    m_before.apply(execution, x);
    Tensor inner = applyTo(execution, m_up, x);
    activate(execution, geluErf, inner.data<float>());
    Tensor result = applyTo(execution, m_down, inner);
    m_after.apply(execution, result);
    return result;
}

}  // namespace meshreel
