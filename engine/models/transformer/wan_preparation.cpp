// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_preparation.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/models/animate/animate_face_encoder.h"
#include "engine/models/animate/animate_motion_encoder.h"
#include "engine/models/animate/face_adapter.h"
#include "engine/models/transformer/padded_text.h"
#include "engine/models/transformer/token_shards.h"
#include "engine/models/transformer/wan_image_embedding.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Frames `range` of a face video [3, frames, side, side]: [range.size(), 3, side, side].
Tensor faceImages(const Tensor& video, ShardRange range) {
    const std::int64_t colours = video.extent(0);
    const std::int64_t side = video.extent(2);
    Tensor images = Tensor::empty({range.size(), colours, side, side});
    auto to = images.data<float>().begin();
    for (std::int64_t frame = range.begin; frame < range.end; ++frame)
        for (std::int64_t colour = 0; colour < colours; ++colour) {
            const Tensor plane = video.slice(colour, colour + 1).reshaped({video.extent(1), side, side});
            to = std::ranges::copy(plane.slice(frame, frame + 1).data<float>(), to).out;
        }
    return images;
}

}  // namespace

void WanTransformer::Preparation::report(std::string_view name, const Tensor& value) const {
    if (m_probe)
        m_probe(name, value);
}

WanContext WanTransformer::Preparation::run(const WanConditions& conditions) {
    m_context.batch = conditions.text.extent(0);
    const std::span<const LayerWeights> beforeOutput(m_model.m_layers.data(), m_model.m_layers.size() - 1);
    LayerStream layers(beforeOutput, m_device.along(MeshAxis::Fsdp), m_model.m_gatherMeter, &m_execution);
    for (std::size_t layer = 0; layer < beforeOutput.size(); ++layer) {
        throwIfStopped(m_execution.stop);
        runLayer(m_model.m_places[layer], layers.next(), conditions);
    }
    return std::move(m_context);
}

void WanTransformer::Preparation::runLayer(const WanLayerPlace& place, const LayerTensors& tensors,
                                           const WanConditions& conditions) {
    switch (place.role) {
        case WanLayerRole::Faces:
            m_faces = embedFaces(tensors, conditions.faces->toF32());
            m_context.faceFrames = m_faces.extent(1);
            break;
        case WanLayerRole::Embeddings:
            embedText(tensors, conditions.text.toF32());
            if (conditions.image)
                embedImage(tensors, *conditions.image);
            break;
        case WanLayerRole::VideoBlock:
            m_context.blocks.push_back(blockContext(tensors));
            break;
        case WanLayerRole::VaceBlock:
            m_context.vaceBlocks.push_back(blockContext(tensors));
            break;
        case WanLayerRole::FaceAdapter:
            m_context.faceAdapters.push_back(
                FaceAdapter(m_model.m_config, m_model.m_precision, tensors, place.index, m_device)
                    .keyValue(m_device, m_faces));
            break;
        case WanLayerRole::Output:
            break;
    }
}

BlockContext WanTransformer::Preparation::blockContext(const LayerTensors& tensors) const {
    return WanBlock(m_model.m_config, m_model.m_precision, tensors, {}, m_device)
        .contextOf(m_device, m_text, m_image);
}

void WanTransformer::Preparation::embedText(const LayerTensors& tensors, const Tensor& text) {
    const auto span = traceSpan(m_execution.trace, "condition_embedder");
    const PaddedText padded = PaddedText::of(text);
    m_context.text = {.count = padded.rows.extent(1), .lastCount = padded.lastRowCount};
    const ShardRange own = m_model.ownKeys(m_device, m_context.text.count);
    m_text = WanEmbeddings(m_model.m_config, tensors).embedText(m_execution, tokensOfEach(padded.rows, own));
    if (m_probe)
        m_probe("text_embed", own.size() == m_context.text.count ? padded.repeated(m_text) : m_text);
}

void WanTransformer::Preparation::embedImage(const LayerTensors& tensors, const Tensor& image) {
    const auto span = traceSpan(m_execution.trace, "image_embedder");
    const Tensor sequence = WanImageEmbedding::sequence(m_model.m_config, image, m_context.batch);
    m_context.image.count = sequence.extent(1);
    m_image = WanImageEmbedding(m_model.m_config, tensors)
                  .embed(m_execution, sequence, m_model.ownKeys(m_device, m_context.image.count));
    report("image_embed", *m_image);
}

// The devices of the context axis share the frames out: the motion encoder sees each by itself.
Tensor WanTransformer::Preparation::embedFaces(const LayerTensors& tensors, const Tensor& faces) const {
    const auto span = traceSpan(m_execution.trace, "face_encoder");
    const AnimateConfig& config = *m_model.m_config.animate;
    const std::int64_t frames = faces.extent(2);
    if (faces.extent(0) == 0)
        return Tensor::zeros(
            {0, AnimateConfig::latentFrames(frames), config.faceTokens(), m_model.m_config.innerDim()});
    const ShardRange own = ownTokens(m_device, frames);
    const MotionEncoder encoder(config, tensors);
    Tensor motion = Tensor::empty({faces.extent(0), own.size(), config.motionDim});
    auto to = motion.data<float>().begin();
    for (std::int64_t video = 0; video < faces.extent(0); ++video) {
        const Tensor pixels = faces.slice(video, video + 1)
                                  .reshaped({faces.extent(1), frames, config.faceSide, config.faceSide});
        const Tensor encoded = encoder.encode(m_execution, faceImages(pixels, own), m_probe);
        to = std::ranges::copy(encoded.data<float>(), to).out;
    }
    const Tensor all = gatherTokens(m_device, motion, frames);
    report("motion_vec", all.reshaped({all.extent(0) * frames, config.motionDim}));
    const Tensor encoded = FaceEncoder(config, tensors).encode(m_execution, all);
    report("face_encoder_out", encoded);
    const Shape& shape = encoded.shape();
    Tensor withReference = Tensor::zeros({shape[0], shape[1] + 1, shape[2], shape[3]});
    for (std::int64_t video = 0; video < shape[0]; ++video) {
        const Tensor from = encoded.slice(video, video + 1);
        Tensor behind = withReference.slice(video, video + 1);
        std::ranges::copy(from.data<float>(),
                          behind.data<float>().last(static_cast<std::size_t>(from.elements())).begin());
    }
    return withReference;
}

}  // namespace meshreel
