// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_embeddings.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/sound/frame_packer.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

constexpr double imageNormEpsilon = 1e-5;  // torch's; the config's is that of the blocks
constexpr std::int64_t imagesPerVideo = 2;

// Some tokens of a video of x [videos, tokens, width].
Tensor tokenCount(const Tensor& x, std::int64_t video, std::int64_t first, std::int64_t count) {
    return x.slice(video, video + 1).reshaped({x.extent(1), x.extent(2)}).slice(first, first + count);
}

ShardRange common(ShardRange a, ShardRange b) {
    const std::int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
}

// Extents of latents [channels, frames, rows, columns] cut into patches, walked token by token.
struct PatchWalk {
    TokenGrid grid;
    std::array<std::int64_t, 3> patch{};

    // visit(offset of an element within its channel, index of the element within its patch) for one token.
    template <typename Visit>
    void visitToken(std::int64_t token, const Visit& visit) const {
        const auto [frames, rows, columns] = patch;
        const std::int64_t width = grid.columns * columns;
        const std::int64_t height = grid.rows * rows;
        const std::int64_t firstFrame = token / (grid.rows * grid.columns) * frames;
        const std::int64_t firstRow = token / grid.columns % grid.rows * rows;
        const std::int64_t firstColumn = token % grid.columns * columns;
        std::int64_t element = 0;
        for (std::int64_t frame = firstFrame; frame < firstFrame + frames; ++frame)
            for (std::int64_t row = firstRow; row < firstRow + rows; ++row)
                for (std::int64_t column = firstColumn; column < firstColumn + columns; ++column)
                    visit((frame * height + row) * width + column, element++);
    }

    [[nodiscard]] std::int64_t channelElements() const {
        return grid.tokens() * patch[0] * patch[1] * patch[2];
    }
};

/// cos and sin of timestep · 10000^(-i/half), f32 [B, freqDim]: cosines first. Computed in f32 throughout, as
/// upstream does: at timesteps near 1000 that moves the angle by up to 3e-5, which belongs to what the model
/// was trained with.
Tensor timestepSinusoid(const Tensor& timesteps, std::int64_t freqDim) {
    const std::int64_t half = freqDim / 2;
    const auto minusLogPeriod = static_cast<float>(-std::log(10000.0));
    Tensor result = Tensor::zeros({timesteps.extent(0), freqDim});
    const auto times = timesteps.data<float>();
    float* row = result.data<float>().data();
    // exp, cos and sin in double and rounded once; every value between them is f32, as upstream's.
    for (const float time : times) {
        for (std::int64_t i = 0; i < half; ++i) {
            const float exponent = minusLogPeriod * static_cast<float>(i) / static_cast<float>(half);
            const auto frequency = static_cast<float>(std::exp(static_cast<double>(exponent)));
            const auto angle = static_cast<double>(time * frequency);
            row[i] = static_cast<float>(std::cos(angle));
            row[half + i] = static_cast<float>(std::sin(angle));
        }
        row += freqDim;
    }
    return result;
}

std::string named(const char* name) {
    return std::string("condition_embedder.image_embedder.") + name;
}

}  // namespace

Tensor applyTo(const Execution& execution, const PackedMatrix& matrix, const Tensor& x) {
    Tensor result =
        Tensor::empty(x.shape().with(x.shape().rank() - 1, matrix.outFeatures()), DType::F32, x.memory());
    matrix.apply(execution, MatrixView(x), MatrixSpan(result));
    return result;
}

TokenGrid WanPatches::grid(const Shape& latents, std::int64_t firstFrame, std::int64_t firstColumn) const {
    if (latents.rank() != 5 || latents[1] != m_channels)
        throw Error(ErrorKind::Input,
                    sentence("The transformer needs latents [batch, {}, frames, rows, columns], got {}",
                             m_channels, latents.text()),
                    "latents", sentence("Use the VAE that belongs to the transformer"));
    const std::array<std::int64_t, 3> first{firstFrame / m_config.patch[0], 0,
                                            firstColumn / m_config.patch[2]};
    std::array<std::int64_t, 3> patches{};
    for (std::size_t axis = 0; axis < patches.size(); ++axis) {
        const std::int64_t extent = latents[axis + 2];
        patches[axis] = extent / m_config.patch[axis];
        if (extent < 1 || extent % m_config.patch[axis] != 0)
            throw Error(ErrorKind::Input,
                        sentence("Latents of shape {} cannot be cut into patches of {} x {} x {}",
                                 latents.text(), m_config.patch[0], m_config.patch[1], m_config.patch[2]),
                        "latents", sentence("Choose width and height divisible by 16"));
        if (first[axis] + patches[axis] > m_config.rotaryMaxLength)
            throw Error(ErrorKind::Input,
                        sentence("Latents of shape {} have {} patches along one axis, the model knows {}",
                                 latents.text(), first[axis] + patches[axis], m_config.rotaryMaxLength),
                        "rope_max_seq_len", sentence("Make a smaller or shorter video"));
    }
    return {.frames = patches[0],
            .rows = patches[1],
            .columns = patches[2],
            .firstFrame = first[0],
            .firstColumn = first[2]};
}

Tensor WanPatches::cut(const Execution& execution, const Tensor& latents, ShardRange tokens) const {
    const PatchWalk walk{grid(latents.shape()), m_config.patch};
    const std::int64_t patchElements = m_config.patchElements();
    const std::int64_t width = m_channels * patchElements;
    const std::int64_t batch = latents.extent(0);
    Tensor patches = Tensor::empty({batch, tokens.size(), width});
    const float* from = latents.data<float>().data();
    float* to = patches.data<float>().data();
    execution.workers.parallelFor(batch * tokens.size(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            for (std::int64_t channel = 0; channel < m_channels; ++channel) {
                const float* plane =
                    from + (row / tokens.size() * m_channels + channel) * walk.channelElements();
                float* place = to + row * width + channel * patchElements;
                walk.visitToken(
                    tokens.begin + row % tokens.size(),
                    [&](std::int64_t offset, std::int64_t element) { place[element] = plane[offset]; });
            }
    });
    return patches;
}

Tensor WanPatches::assemble(const Execution& execution, const Tensor& projected,
                            const TokenGrid& grid) const {
    const PatchWalk walk{grid, m_config.patch};
    const std::int64_t tokens = grid.tokens();
    const std::int64_t channels = m_config.outChannels;
    const std::int64_t batch = projected.extent(0);
    Tensor result = Tensor::empty({batch, channels, grid.frames * m_config.patch[0],
                                   grid.rows * m_config.patch[1], grid.columns * m_config.patch[2]});
    const float* from = projected.data<float>().data();
    float* to = result.data<float>().data();
    execution.workers.parallelFor(batch * tokens, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t place = row / tokens * projected.extent(1) + row % tokens;
            const float* values = from + place * channels * m_config.patchElements();
            float* video = to + row / tokens * channels * walk.channelElements();
            walk.visitToken(row % tokens, [&](std::int64_t offset, std::int64_t element) {
                for (std::int64_t channel = 0; channel < channels; ++channel)
                    video[channel * walk.channelElements() + offset] = values[element * channels + channel];
            });
        }
    });
    return result;
}

WanEmbeddings::WanEmbeddings(const WanTransformerConfig& config, const LayerSlots& slots)
    : m_innerDim(config.innerDim()),
      m_freqDim(config.freqDim),
      m_patches(slots.linear("patch_embedding")),
      m_timeIn(slots.linear("condition_embedder.time_embedder.linear_1")),
      m_timeOut(slots.linear("condition_embedder.time_embedder.linear_2")),
      m_timeProjection(slots.linear("condition_embedder.time_proj")),
      m_textIn(slots.linear("condition_embedder.text_embedder.linear_1")),
      m_textOut(slots.linear("condition_embedder.text_embedder.linear_2")) {
    if (const auto weights = slots.find("vace_patch_embedding.weight"))
        m_control = Guide{.patches = WanPatches(config, config.vaceChannels), .weights = *weights};
    if (const auto weights = slots.find("pose_patch_embedding.weight"))
        m_pose =
            Guide{.patches = WanPatches(config, config.animate.value().poseChannels), .weights = *weights};
    m_reference = slots.find("ref_conv.weight");
    m_framesBeforePose = config.animate ? 1 : 0;
    if (config.sound) {
        m_pose = Guide{.patches = WanPatches(config, config.sound->poseChannels),
                       .weights = slots.linear("cond_encoder")};
        m_sound = SoundPlaces{.kinds = slots.require("trainable_cond_mask.weight"), .motion = {}};
        for (std::size_t index = 0; index < motionPackings.size(); ++index)
            m_sound->motion[index] = slots.linear(motionPackings[index].projection);
    }
}

void WanEmbeddings::embedPatches(const Execution& execution, const LayerTensors& weights,
                                 const Tensor& patches, Tensor& hidden) const {
    const std::int64_t count = patches.extent(1);
    const Tensor own = patches.in(execution.memory());
    if (count == hidden.extent(1)) {
        weights.matrix(m_patches).apply(execution, MatrixView(own), MatrixSpan(hidden));
        return;
    }
    if (count == 0)
        return;
    for (std::int64_t video = 0; video < hidden.extent(0); ++video)
        weights.matrix(m_patches).apply(execution, MatrixView(own).slice(video * count, count),
                                        MatrixSpan(hidden).slice(video * hidden.extent(1), count));
}

void WanEmbeddings::embedMotion(const Execution& execution, const LayerTensors& weights, const Tensor& motion,
                                ShardRange tokens, std::int64_t first, Tensor& hidden) const {
    const Tensor whole = wholeMotion(motion);
    const auto places = motionPlaces(motion.shape());
    std::int64_t before = 0;  // tokens of the packings before
    for (std::size_t index = 0; index < places.size(); ++index) {
        const std::int64_t count = places[index].tokens();
        const ShardRange covered = common(tokens, {before, before + count});
        const std::int64_t row = first + covered.begin - tokens.begin;
        const ShardRange ofPacking{covered.begin - before, covered.end - before};
        before += count;
        if (covered.size() == 0)
            continue;
        const Tensor patches =
            cutMotion(execution, whole, motionPackings[index], ofPacking).in(execution.memory());
        const PackedMatrix& projection = weights.matrix(m_sound.value().motion[index]);
        for (std::int64_t video = 0; video < hidden.extent(0); ++video)
            projection.apply(execution, MatrixView(patches).slice(video * covered.size(), covered.size()),
                             MatrixSpan(hidden).slice(video * hidden.extent(1) + row, covered.size()));
    }
}

// As a product with which kind a token is of, so that it is computed where the tokens are.
void WanEmbeddings::markKinds(const Execution& execution, const LayerTensors& weights, ShardRange tokens,
                              std::int64_t video, std::int64_t patches, Tensor& hidden) const {
    if (hidden.elements() == 0)
        return;
    const Tensor marks = transposed(weights.at(m_sound.value().kinds));  // [innerDim, kinds]
    Memory* const memory = execution.memory();
    const PackedMatrix matrix = memory == nullptr
                                    ? PackedMatrix::pack(marks)
                                    : PackedMatrix::keepIn(*memory, marks, nullptr, Arithmetic::F32);
    Tensor kinds = Tensor::zeros({hidden.extent(0), tokens.size(), marks.extent(1)});
    const auto values = kinds.data<float>();
    for (std::size_t row = 0; row < values.size() / static_cast<std::size_t>(marks.extent(1)); ++row) {
        const std::int64_t token = tokens.begin + static_cast<std::int64_t>(row) % tokens.size();
        const std::size_t kind = token < video ? 0 : token < patches ? 1 : 2;
        values[row * static_cast<std::size_t>(marks.extent(1)) + kind] = 1.0F;
    }
    matrix.apply(execution, MatrixView(kinds.in(memory)), MatrixSpan(hidden), {.addToOutput = true});
}

void WanEmbeddings::embedReference(const Execution& execution, const LayerTensors& weights,
                                   const Tensor& patches, std::int64_t first, Tensor& hidden) const {
    const Tensor embedded =
        applyTo(execution, weights.matrix(m_reference.value()), patches.in(execution.memory()));
    const std::int64_t count = patches.extent(1);
    for (std::int64_t video = 0; video < patches.extent(0); ++video)
        tokenCount(hidden, video, first, count).assign(tokenCount(embedded, video, 0, count));
}

Tensor WanEmbeddings::embedControl(const Execution& execution, const LayerTensors& weights,
                                   const Tensor& control, ShardRange tokens, const Probe& probe) const {
    const auto& [patches, place] = m_control.value();
    const ShardRange covered = common(tokens, {0, patches.grid(control.shape()).tokens()});
    const Tensor embedded = applyTo(execution, weights.matrix(place),
                                    patches.cut(execution, control, covered).in(execution.memory()));
    if (probe)
        probe("vace_patch_embed", embedded.host());
    if (covered == tokens)
        return embedded;
    const Tensor padded =
        Tensor::zeros({control.extent(0), tokens.size(), m_innerDim}).in(execution.memory());
    for (std::int64_t video = 0; video < control.extent(0); ++video)
        tokenCount(padded, video, 0, covered.size()).assign(tokenCount(embedded, video, 0, covered.size()));
    return padded;
}

void WanEmbeddings::addPose(const Execution& execution, const LayerTensors& weights, const Tensor& pose,
                            ShardRange tokens, Tensor& hidden) const {
    const auto& [patches, place] = m_pose.value();
    const TokenGrid grid = patches.grid(pose.shape());
    const std::int64_t before = m_framesBeforePose * grid.rows * grid.columns;
    const ShardRange covered = common(tokens, {before, before + grid.tokens()});
    if (covered.size() == 0)
        return;
    const Tensor embedded = applyTo(
        execution, weights.matrix(place),
        patches.cut(execution, pose, {covered.begin - before, covered.end - before}).in(execution.memory()));
    for (std::int64_t video = 0; video < pose.extent(0); ++video) {
        Tensor sums = tokenCount(hidden, video, covered.begin - tokens.begin, covered.size());
        addRows(execution, MatrixSpan(sums), MatrixView(tokenCount(embedded, video, 0, covered.size())));
    }
}

WanEmbeddings::Time WanEmbeddings::embedTime(const Execution& execution, const LayerTensors& weights,
                                             const TokenTimes& times, const Probe& probe) const {
    const Tensor sinusoid = timestepSinusoid(times.values(), m_freqDim);
    Tensor inner = applyTo(execution, weights.matrix(m_timeIn), sinusoid);
    silu(inner.data<float>());
    Tensor embedding = applyTo(execution, weights.matrix(m_timeOut), inner);
    Tensor activated = embedding.clone();
    silu(activated.data<float>());
    Tensor projection = applyTo(execution, weights.matrix(m_timeProjection), activated);
    if (probe) {
        const Tensor sinusoids = times.expanded(sinusoid);
        probe("timestep_sinusoid", sinusoids.reshaped({sinusoids.elements() / m_freqDim, m_freqDim}));
        probe("temb", times.expanded(embedding));
        probe("timestep_proj", times.expanded(projection));
    }
    return {std::move(embedding), std::move(projection)};
}

Tensor WanEmbeddings::embedText(const Execution& execution, const LayerTensors& weights,
                                const Tensor& text) const {
    Tensor inner = applyTo(execution, weights.matrix(m_textIn), text);
    activate(execution, geluTanh, inner.data<float>());
    return applyTo(execution, weights.matrix(m_textOut), inner);
}

WanImageEmbedding::WanImageEmbedding(const WanTransformerConfig& config, const LayerTensors& tensors)
    : m_positions(config.imagePositions > 0 ? std::optional(tensors.get(named("pos_embed"))) : std::nullopt),
      m_before{tensors.get(named("norm1.weight")), tensors.get(named("norm1.bias"))},
      m_up(tensors.linear(named("ff.net.0.proj"))),
      m_down(tensors.linear(named("ff.net.2"))),
      m_after{tensors.get(named("norm2.weight")), tensors.get(named("norm2.bias"))} {}

void WanImageEmbedding::Norm::apply(const Execution& execution, Tensor& x) const {
    layerNorm(execution, MatrixView(x), imageNormEpsilon,
              {.gamma = MatrixView(weight), .beta = MatrixView(bias)}, MatrixSpan(x));
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
