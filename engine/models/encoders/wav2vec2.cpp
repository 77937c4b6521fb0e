// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/wav2vec2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

/// gamma and beta of a layer norm, f32.
struct SoundNorm {
    Tensor gamma;
    Tensor beta;
};

/// A layer's modules, each of a weight and a bias, in the order of soundLayerTensors().
enum class SoundModule : std::size_t { Query, Key, Value, Output, AttentionNorm, Up, Down, FinalNorm };

/// A layer's tensors in the order in which modules are read.
std::vector<StreamedTensor> soundLayerTensors(const Wav2Vec2Config& config, std::int64_t index) {
    const std::string layer = fmt::format("encoder.layers.{}.", index);
    std::vector<StreamedTensor> tensors;
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
        tensors.push_back({layer + name + ".weight", {out, in}, true});
        tensors.push_back({layer + name + ".bias", {out}});
    };
    const auto norm = [&](const std::string& name) {
        tensors.push_back({layer + name + ".weight", {config.hiddenSize}});
        tensors.push_back({layer + name + ".bias", {config.hiddenSize}});
    };
    for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"})
        linear(fmt::format("attention.{}", projection), config.hiddenSize, config.hiddenSize);
    norm("layer_norm");
    linear("feed_forward.intermediate_dense", config.intermediateSize, config.hiddenSize);
    linear("feed_forward.output_dense", config.hiddenSize, config.intermediateSize);
    norm("final_layer_norm");
    return tensors;
}

/// Reads the modules of one layer, into memory that lasts as long as the arena's frame.
class SoundLayerReader {
  public:
    SoundLayerReader(const Execution& execution, const Checkpoint& checkpoint,
                     const std::vector<StreamedTensor>& tensors, const EncoderPlace& place,
                     ScratchArena& memory)
        : m_execution(execution),
          m_checkpoint(checkpoint),
          m_tensors(tensors),
          m_place(place),
          m_memory(memory) {}

    [[nodiscard]] SoundNorm norm(SoundModule module) const {
        return {readAsF32(m_execution, m_checkpoint, weightOf(module), m_memory).in(m_place.memory),
                biasOf(module).in(m_place.memory)};
    }

    [[nodiscard]] PackedMatrix linear(SoundModule module) const {
        const Tensor bias = biasOf(module);
        return readLinear(m_execution, m_checkpoint, weightOf(module), &bias, m_place, m_memory);
    }

  private:
    [[nodiscard]] const StreamedTensor& weightOf(SoundModule module) const {
        return m_tensors[2 * static_cast<std::size_t>(module)];
    }
    [[nodiscard]] Tensor biasOf(SoundModule module) const {
        return readAsF32(m_execution, m_checkpoint, m_tensors[2 * static_cast<std::size_t>(module) + 1],
                         m_memory);
    }

    const Execution& m_execution;
    const Checkpoint& m_checkpoint;
    const std::vector<StreamedTensor>& m_tensors;
    EncoderPlace m_place;
    ScratchArena& m_memory;
};

constexpr const char* soundEncoderNorm = "encoder.layer_norm.";
constexpr const char* soundProjectionNorm = "feature_projection.layer_norm.";
constexpr const char* soundProjection = "feature_projection.projection.";

/// Those outside the convolutions and the layers.
std::vector<StreamedTensor> tensorsBesideLayers(const Wav2Vec2Config& config) {
    const std::int64_t channels = config.channels.back();
    std::vector<StreamedTensor> tensors;
    for (const std::string part : {"weight", "bias"}) {
        tensors.push_back({soundEncoderNorm + part, {config.hiddenSize}});
        tensors.push_back({soundProjectionNorm + part, {channels}});
    }
    tensors.push_back({std::string(soundProjection) + "weight", {config.hiddenSize, channels}});
    tensors.push_back({std::string(soundProjection) + "bias", {config.hiddenSize}});
    return tensors;
}

SoundNorm loadSoundNorm(const Checkpoint& checkpoint, const std::string& prefix, std::int64_t width,
                        Memory* memory) {
    return {loadF32(checkpoint, prefix + "weight", {width}).in(memory),
            loadF32(checkpoint, prefix + "bias", {width}).in(memory)};
}

void applySoundNorm(const Execution& execution, const SoundNorm& norm, double epsilon, const Tensor& x,
                    Tensor& y) {
    layerNorm(execution, MatrixView(x), epsilon,
              {.gamma = MatrixView(norm.gamma), .beta = MatrixView(norm.beta)}, MatrixSpan(y));
}

/// (x - mean) / sqrt(variance + 1e-7), as transformers' feature extractor: the variance of all samples.
std::vector<float> normalisedSamples(std::span<const float> samples) {
    constexpr double least = 1e-7;
    double sum = 0;
    for (const float value : samples)
        sum += value;
    const double count = static_cast<double>(std::max<std::size_t>(1, samples.size()));
    const double mean = sum / count;
    double squares = 0;
    for (const float value : samples)
        squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / count + least);
    std::vector<float> normalised;
    normalised.reserve(samples.size());
    for (const float value : samples)
        normalised.push_back(static_cast<float>((value - mean) / deviation));
    return normalised;
}

}  // namespace

/// The weights of one layer.
struct Wav2Vec2Encoder::Layer {
    PackedMatrix query, key, value, output;
    SoundNorm attentionNorm;
    PackedMatrix up, down;
    SoundNorm finalNorm;

    /// Reads as readAsF32() and readLinear() do: the layer is invalid when the arena's frame ends.
    static Layer read(const SoundLayerReader& reader) {
        return {
            .query = reader.linear(SoundModule::Query),
            .key = reader.linear(SoundModule::Key),
            .value = reader.linear(SoundModule::Value),
            .output = reader.linear(SoundModule::Output),
            .attentionNorm = reader.norm(SoundModule::AttentionNorm),
            .up = reader.linear(SoundModule::Up),
            .down = reader.linear(SoundModule::Down),
            .finalNorm = reader.norm(SoundModule::FinalNorm),
        };
    }
};

/// What a layer computes in; the residual stream lies in `hidden`.
struct Wav2Vec2Encoder::Workspace {
    Workspace(const Wav2Vec2Config& config, const EncoderPlace& place, Tensor embedded)
        : hidden(std::move(embedded)),
          normed(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          projected(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          query(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          key(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          value(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          attended(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          features(Tensor::empty(hidden.shape().with(2, config.intermediateSize), DType::F32, place.memory)) {
    }

    Tensor hidden;  // f32 [1, frames, hiddenSize]
    Tensor normed, projected, query, key, value, attended;
    Tensor features;  // [1, frames, intermediateSize]
};

DType Wav2Vec2Encoder::storedType(const Wav2Vec2Config& config, const Checkpoint& checkpoint) {
    for (std::int64_t index = 0; index < config.layers; ++index)
        if (storedLinearType(checkpoint, soundLayerTensors(config, index)) != DType::BF16)
            return DType::F32;
    return DType::BF16;
}

namespace {

/// Of f32: the residual stream, normed, projected, query, key, value, attended; and the features.
std::size_t soundWorkspaceBytes(const Wav2Vec2Config& config, std::int64_t frames) {
    constexpr std::int64_t streams = 7;
    return static_cast<std::size_t>(frames * (streams * config.hiddenSize + config.intermediateSize)) *
           sizeof(float);
}

}  // namespace

std::size_t Wav2Vec2Encoder::gpuBytes(const Wav2Vec2Config& config, DType stored, Arithmetic arithmetic,
                                      std::int64_t frames) {
    constexpr std::int64_t normVectors = 4;  // of a layer's two norms
    return gpuLinearBytes(soundLayerTensors(config, 0), stored, arithmetic) +
           soundWorkspaceBytes(config, frames) +
           static_cast<std::size_t>(normVectors * config.hiddenSize) * sizeof(float);
}

std::size_t Wav2Vec2Encoder::hostBytes(const Wav2Vec2Config& config, std::int64_t frames) {
    const auto samples = static_cast<std::size_t>(config.samples(std::max<std::int64_t>(1, frames)));
    // The samples as they are and normalised; the frames' channels, projection and positions.
    const std::size_t kept =
        2 * samples * sizeof(float) +
        static_cast<std::size_t>(frames * (config.channels.back() + 2 * config.hiddenSize)) * sizeof(float);
    std::size_t layer = 0;
    for (const StreamedTensor& tensor : soundLayerTensors(config, 0))
        layer += ScratchArena::bytesOf(tensor.shape);
    return kept + std::max(SoundFeatures::workspaceBytes(config, frames),
                           soundWorkspaceBytes(config, frames) + layer);
}

Wav2Vec2Encoder::Wav2Vec2Encoder(const Wav2Vec2Config& config, const Checkpoint& checkpoint,
                                 Arithmetic arithmetic, Memory* memory)
    : m_config(config),
      m_checkpoint(checkpoint),
      m_place{.arithmetic = arithmetic, .memory = memory},
      m_features(config, checkpoint),
      m_positions(config, checkpoint) {
    prepareKernels(memory, {.heads = {{.headDim = config.hiddenSize / config.heads}}});
    requireTensors(checkpoint, tensorsBesideLayers(config));
    for (std::int64_t index = 0; index < config.layers; ++index)
        requireTensors(checkpoint, soundLayerTensors(config, index));
}

// f32 [frames, hiddenSize] on the host.
Tensor Wav2Vec2Encoder::project(const Execution& execution, const Tensor& features) const {
    const std::int64_t channels = m_config.channels.back();
    Tensor normed = Tensor::empty(features.shape());
    applySoundNorm(execution, loadSoundNorm(m_checkpoint, soundProjectionNorm, channels, nullptr),
                   m_config.epsilon, features, normed);
    const Tensor weight =
        loadF32(m_checkpoint, std::string(soundProjection) + "weight", {m_config.hiddenSize, channels});
    const Tensor bias = loadF32(m_checkpoint, std::string(soundProjection) + "bias", {m_config.hiddenSize});
    Tensor projected = Tensor::empty({features.extent(0), m_config.hiddenSize});
    PackedMatrix::pack(weight, &bias).apply(execution, MatrixView(normed), MatrixSpan(projected));
    return projected;
}

void Wav2Vec2Encoder::runLayer(const Execution& execution, const Layer& layer, Workspace& work) const {
    const bool before = m_config.stableLayerNorm;
    const auto normed = [&](const SoundNorm& norm) -> const Tensor& {
        if (!before)
            return work.hidden;
        applySoundNorm(execution, norm, m_config.epsilon, work.hidden, work.normed);
        return work.normed;
    };
    const auto addProjected = [&](const SoundNorm& norm) {
        addRows(execution, MatrixSpan(work.hidden), MatrixView(work.projected));
        if (before)
            return;
        applySoundNorm(execution, norm, m_config.epsilon, work.hidden, work.normed);
        std::swap(work.hidden, work.normed);
    };
    const auto apply = [&](const PackedMatrix& linear, const Tensor& from, Tensor& to) {
        linear.apply(execution, MatrixView(from), MatrixSpan(to));
    };
    const std::int64_t headDim = m_config.hiddenSize / m_config.heads;
    const auto heads = [&](const Tensor& rows) {
        return HeadTensor{rows.reshaped({rows.extent(0), rows.extent(1), m_config.heads, headDim})};
    };

    const Tensor& attending = normed(layer.attentionNorm);
    apply(layer.query, attending, work.query);
    apply(layer.key, attending, work.key);
    apply(layer.value, attending, work.value);
    attend(execution, densePlan(),
           {.query = heads(work.query),
            .key = heads(work.key),
            .value = heads(work.value),
            .scale = 1.0 / std::sqrt(static_cast<double>(headDim))},
           heads(work.attended));
    apply(layer.output, work.attended, work.projected);
    addProjected(layer.attentionNorm);

    apply(layer.up, normed(layer.finalNorm), work.features);
    activate(execution, geluErf, MatrixSpan(work.features));
    apply(layer.down, work.features, work.projected);
    addProjected(layer.finalNorm);
}

void Wav2Vec2Encoder::encode(const Execution& execution, std::span<const float> samples,
                             const SoundStates& each, const Probe& probe) const {
    const auto span = traceSpan(execution.trace, "Wav2Vec2Model");
    const auto report = [&](const char* name, const Tensor& value) {
        if (probe)
            probe(name, value);
    };
    std::vector<float> normalised;
    if (m_config.normalises) {
        normalised = normalisedSamples(samples);
        samples = normalised;
        report("normalized", Tensor::from({std::ssize(normalised)}, normalised));
    }
    const Tensor features = m_features.extract(execution, samples, probe);
    report("features", features);
    Tensor embedded = project(execution, features);
    report("projected", embedded);
    {
        const Tensor positions = m_positions.of(execution, embedded);
        report("pos_conv", positions);
        addRows(execution, MatrixSpan(embedded), MatrixView(positions));
    }
    const SoundNorm last = loadSoundNorm(m_checkpoint, soundEncoderNorm, m_config.hiddenSize, m_place.memory);
    const Shape shape{1, embedded.extent(0), m_config.hiddenSize};
    Workspace work(m_config, m_place, embedded.reshaped(shape).in(m_place.memory));
    if (!m_config.stableLayerNorm) {
        applySoundNorm(execution, last, m_config.epsilon, work.hidden, work.normed);
        std::swap(work.hidden, work.normed);
    }
    const auto give = [&](std::int64_t layer, const Tensor& states) {
        each(layer, states.host().reshaped({shape[1], shape[2]}));
    };

    std::size_t layerBytes = 0;
    for (std::int64_t index = 0; index < m_config.layers; ++index)
        layerBytes =
            std::max(layerBytes, streamedBytes(m_checkpoint, soundLayerTensors(m_config, index), m_place));
    ScratchArena memory(Tensor::empty({static_cast<std::int64_t>(layerBytes)}, DType::U8));
    FiniteChecks finite(execution);
    for (std::int64_t index = 0; index < m_config.layers; ++index) {
        throwIfStopped(execution.stop);
        give(index, work.hidden);
        const auto ofLayer = traceSpan(execution.trace, fmt::format("audio_encoder_block {}", index));
        const ScratchArena::Frame untilNextLayer(memory);
        const std::vector<StreamedTensor> tensors = soundLayerTensors(m_config, index);
        if (index + 1 < m_config.layers)
            prefetchTensors(m_checkpoint, soundLayerTensors(m_config, index + 1));
        const SoundLayerReader reader(execution, m_checkpoint, tensors, m_place, memory);
        runLayer(execution, Layer::read(reader), work);
        releaseTensors(m_checkpoint, tensors);
        finite.add(work.hidden, fmt::format("audio encoder block {}", index));
    }
    finite.finish();
    if (m_config.stableLayerNorm) {
        applySoundNorm(execution, last, m_config.epsilon, work.hidden, work.normed);
        give(m_config.layers, work.normed);
    } else {
        give(m_config.layers, work.hidden);
    }
}

Tensor Wav2Vec2Encoder::encode(const Execution& execution, std::span<const float> samples,
                               const Probe& probe) const {
    const std::int64_t frames = m_config.frames(std::ssize(samples));
    Tensor all = Tensor::empty({m_config.layers + 1, frames, m_config.hiddenSize});
    encode(
        execution, samples,
        [&](std::int64_t layer, const Tensor& states) {
            std::ranges::copy(states.data<float>(), all.slice(layer, layer + 1).data<float>().begin());
        },
        probe);
    return all;
}

}  // namespace meshreel
