// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/image_encoder/clip_vision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/attention/attention.h"
#include "engine/base/error.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/layers/model_weights.h"
#include "engine/models/non_finite.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr std::int64_t pictureColours = 3;

struct EmbeddingNames {
    static constexpr const char* classToken = "vision_model.embeddings.class_embedding";
    static constexpr const char* patch = "vision_model.embeddings.patch_embedding.weight";
    static constexpr const char* position = "vision_model.embeddings.position_embedding.weight";
    static constexpr const char* norm = "vision_model.pre_layrnorm";  // upstream's spelling
};

Shape patchShape(const ClipVisionConfig& config) {
    return {config.hiddenSize, pictureColours, config.patchSize, config.patchSize};
}

/// The pixels of every patch side by side: [B·patches, 3·patchSize²]. What is left over at the lower and
/// right border belongs to none.
Tensor patchRows(const ClipVisionConfig& config, const Tensor& pixels) {
    const std::int64_t size = config.imageSize;
    const std::int64_t patch = config.patchSize;
    const std::int64_t side = size / patch;
    Tensor rows = Tensor::empty({pixels.extent(0) * side * side, pictureColours * patch * patch});
    float* to = rows.data<float>().data();
    for (std::int64_t image = 0; image < pixels.extent(0); ++image)
        for (std::int64_t cell = 0; cell < side * side; ++cell)
            for (std::int64_t line = 0; line < pictureColours * patch; ++line) {
                const std::int64_t plane = image * pictureColours + line / patch;
                const std::int64_t row = cell / side * patch + line % patch;
                to = std::copy_n(
                    pixels.data<float>().data() + (plane * size + row) * size + cell % side * patch, patch,
                    to);
            }
    return rows;
}

void requirePixels(const ClipVisionConfig& config, const Tensor& pixels) {
    const Shape& shape = pixels.shape();
    if (shape.rank() == 4 && shape[0] > 0 && shape[1] == pictureColours && shape[2] == config.imageSize &&
        shape[3] == config.imageSize)
        return;
    throw Error(ErrorKind::Input,
                sentence("The image encoder takes images [batch, 3, {}, {}], not {}", config.imageSize,
                         config.imageSize, shape.text()),
                "image_encoder", sentence("Use the image processor that belongs to the image encoder"));
}

}  // namespace

/// What a layer computes in; the residual stream lies in `hidden`.
struct ClipVisionEncoder::Workspace {
    Workspace(const ClipVisionConfig& config, Tensor embedded)
        : hidden(std::move(embedded)),
          normed(Tensor::empty(hidden.shape())),
          query(Tensor::empty(hidden.shape())),
          key(Tensor::empty(hidden.shape())),
          value(Tensor::empty(hidden.shape())),
          attended(Tensor::empty(hidden.shape())),
          features(Tensor::empty({hidden.extent(0), hidden.extent(1), config.intermediateSize})) {}

    [[nodiscard]] std::int64_t rows() const { return hidden.extent(0) * hidden.extent(1); }

    Tensor hidden;  // [B, tokens, hiddenSize]
    Tensor normed, query, key, value, attended;
    Tensor features;
};

ClipVisionEncoder::ClipVisionEncoder(const ClipVisionConfig& config, const Checkpoint& checkpoint,
                                     Arithmetic arithmetic)
    : m_config(config), m_checkpoint(checkpoint), m_arithmetic(arithmetic) {
    checkpoint.require(EmbeddingNames::classToken, {config.hiddenSize});
    checkpoint.require(EmbeddingNames::patch, patchShape(config));
    checkpoint.require(EmbeddingNames::position, {config.tokens(), config.hiddenSize});
    for (const char* part : {".weight", ".bias"})
        checkpoint.require(EmbeddingNames::norm + std::string(part), {config.hiddenSize});
    for (std::int64_t index = 0; index + 1 < config.layers; ++index)
        requireTensors(checkpoint, clipVisionLayerTensors(config, index));
}

Tensor ClipVisionEncoder::embed(const Execution& execution, const Tensor& pixels) const {
    const std::int64_t width = m_config.hiddenSize;
    const std::int64_t patches = m_config.tokens() - 1;
    const Tensor weight = loadF32(m_checkpoint, EmbeddingNames::patch, patchShape(m_config));
    const Tensor rows = patchRows(m_config, pixels);
    Tensor embedded = Tensor::empty({pixels.extent(0) * patches, width});
    PackedMatrix::pack(weight.reshaped({width, rows.extent(1)}))
        .apply(execution, rows.data<float>(), rows.extent(0), embedded.data<float>());

    const Tensor classToken = loadF32(m_checkpoint, EmbeddingNames::classToken, {width});
    const Tensor positions = loadF32(m_checkpoint, EmbeddingNames::position, {m_config.tokens(), width});
    Tensor hidden = Tensor::empty({pixels.extent(0), m_config.tokens(), width});
    float* to = hidden.data<float>().data();
    for (std::int64_t image = 0; image < pixels.extent(0); ++image) {
        to = std::ranges::copy(std::as_const(classToken).data<float>(), to).out;
        to = std::copy_n(std::as_const(embedded).data<float>().data() + image * patches * width,
                         patches * width, to);
        addInPlace(execution, hidden.slice(image, image + 1).data<float>(), positions.data<float>());
    }
    const std::string norm = EmbeddingNames::norm;
    layerNorm(execution, hidden.data<float>(), width, m_config.epsilon,
              loadF32(m_checkpoint, norm + ".weight", {width}).data<float>(),
              loadF32(m_checkpoint, norm + ".bias", {width}).data<float>(), hidden.data<float>());
    return hidden;
}

void ClipVisionEncoder::runLayer(const Execution& execution, const ClipVisionLayer& layer,
                                 Workspace& work) const {
    const auto normalise = [&](const ClipNorm& norm) {
        layerNorm(execution, work.hidden.data<float>(), m_config.hiddenSize, m_config.epsilon,
                  norm.gamma.data<float>(), norm.beta.data<float>(), work.normed.data<float>());
    };
    const auto apply = [&](const PackedMatrix& linear, Tensor& from, Tensor& to) {
        linear.apply(execution, from.data<float>(), work.rows(), to.data<float>());
    };
    const AttentionSettings dense{.mode = findAttentionMode("dot_product")};
    const std::int64_t headDim = m_config.hiddenSize / m_config.heads;

    normalise(layer.attentionNorm);
    apply(layer.query, work.normed, work.query);
    apply(layer.key, work.normed, work.key);
    apply(layer.value, work.normed, work.value);
    attend(execution, dense,
           {.batch = work.hidden.extent(0),
            .heads = m_config.heads,
            .headDim = headDim,
            .queryLength = work.hidden.extent(1),
            .keyLength = work.hidden.extent(1),
            .query = work.query.data<float>(),
            .key = work.key.data<float>(),
            .value = work.value.data<float>(),
            .scale = 1.0 / std::sqrt(static_cast<double>(headDim))},
           work.attended.data<float>());
    apply(layer.output, work.attended, work.normed);
    addInPlace(execution, work.hidden.data<float>(), work.normed.data<float>());

    normalise(layer.featuresNorm);
    apply(layer.up, work.normed, work.features);
    activate(execution, *m_config.activation, work.features.data<float>());
    apply(layer.down, work.features, work.normed);
    addInPlace(execution, work.hidden.data<float>(), work.normed.data<float>());
}

Tensor ClipVisionEncoder::encode(const Execution& execution, const Tensor& pixels, const Probe& probe) const {
    requirePixels(m_config, pixels);
    Workspace work(m_config, embed(execution, pixels.toF32()));
    const std::int64_t last = m_config.layers - 1;
    const std::int64_t layers = probe ? m_config.layers : last;
    std::size_t layerBytes = 0;
    for (std::int64_t index = 0; index < layers; ++index)
        layerBytes = std::max(
            layerBytes, streamedBytes(m_checkpoint, clipVisionLayerTensors(m_config, index), m_arithmetic));
    ScratchArena memory(Tensor::empty({static_cast<std::int64_t>(layerBytes)}, DType::U8));
    Tensor penultimate = work.hidden;
    for (std::int64_t index = 0; index < layers; ++index) {
        if (index == last)
            penultimate = work.hidden.clone();
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("image_encoder_block {}", index));
        const ScratchArena::Frame untilNextLayer(memory);
        const std::vector<StreamedTensor> tensors = clipVisionLayerTensors(m_config, index);
        if (index + 1 < layers)
            prefetchTensors(m_checkpoint, clipVisionLayerTensors(m_config, index + 1));
        runLayer(execution, readClipVisionLayer(execution, m_checkpoint, tensors, m_arithmetic, memory),
                 work);
        releaseTensors(m_checkpoint, tensors);
        requireFinite(execution, work.hidden.data<float>(), fmt::format("image encoder block {}", index));
        if (probe)
            probe(index == last ? "last_layer_out" : fmt::format("layer{}_out", index), work.hidden);
    }
    if (probe)
        probe("penultimate", penultimate);
    return penultimate;
}

}  // namespace meshreel
