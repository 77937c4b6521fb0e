// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/clip_vision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/models/config_reader.h"
#include "engine/models/probe.h"
#include "engine/tensor/matrix_view.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

Sentence useWanEncoder() {
    return sentence("Use the image encoder that belongs to the Wan checkpoint");
}

Activation* readActivation(const ConfigReader& reader) {
    const std::string name = reader.text("hidden_act").value_or("gelu");
    if (name == "gelu")
        return geluErf;
    if (name == "quick_gelu")
        return geluQuick;
    reader.refuse("hidden_act", sentence("The activation {} is not supported", name), useWanEncoder());
}

/// gamma and beta of a layer norm, f32.
struct LayerNorm {
    Tensor gamma;
    Tensor beta;
};

/// A layer's modules, each of a weight and a bias, in the order of layerTensors().
enum class Module : std::size_t { AttentionNorm, Query, Key, Value, Output, FeaturesNorm, Up, Down };

/// A layer's tensors under transformers' names, in the order in which modules are read.
std::vector<StreamedTensor> layerTensors(const ClipVisionConfig& config, std::int64_t index) {
    const std::string layer = fmt::format("vision_model.encoder.layers.{}.", index);
    std::vector<StreamedTensor> tensors;
    const auto norm = [&](const std::string& name) {
        tensors.push_back({layer + name + ".weight", {config.hiddenSize}});
        tensors.push_back({layer + name + ".bias", {config.hiddenSize}});
    };
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
        tensors.push_back({layer + name + ".weight", {out, in}, true});
        tensors.push_back({layer + name + ".bias", {out}});
    };
    norm("layer_norm1");
    for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"})
        linear(fmt::format("self_attn.{}", projection), config.hiddenSize, config.hiddenSize);
    norm("layer_norm2");
    linear("mlp.fc1", config.intermediateSize, config.hiddenSize);
    linear("mlp.fc2", config.hiddenSize, config.intermediateSize);
    return tensors;
}

class LayerReader {
  public:
    LayerReader(const Execution& execution, const Checkpoint& checkpoint,
                const std::vector<StreamedTensor>& tensors, const EncoderPlace& place, ScratchArena& memory)
        : m_execution(execution),
          m_checkpoint(checkpoint),
          m_tensors(tensors),
          m_place(place),
          m_memory(memory) {}

    [[nodiscard]] LayerNorm norm(Module module) const {
        return {readAsF32(m_execution, m_checkpoint, findWeight(module), m_memory).in(m_place.memory),
                sliceBias(module).in(m_place.memory)};
    }

    [[nodiscard]] PackedMatrix linear(Module module) const {
        const Tensor bias = sliceBias(module);
        return readLinear(m_execution, m_checkpoint, findWeight(module), &bias, m_place, m_memory);
    }

  private:
    [[nodiscard]] const StreamedTensor& findWeight(Module module) const {
        return m_tensors[2 * static_cast<std::size_t>(module)];
    }
    [[nodiscard]] Tensor sliceBias(Module module) const {
        return readAsF32(m_execution, m_checkpoint, m_tensors[2 * static_cast<std::size_t>(module) + 1],
                         m_memory);
    }

    const Execution& m_execution;
    const Checkpoint& m_checkpoint;
    const std::vector<StreamedTensor>& m_tensors;
    EncoderPlace m_place;
    ScratchArena& m_memory;
};

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

ClipVisionConfig ClipVisionConfig::fromJson(const nlohmann::json& json, const std::string& where) {
    if (json.is_object() && json.contains("vision_config"))
        return fromJson(json.at("vision_config"), where);
    const ConfigReader reader(json, where);
    ClipVisionConfig config;
    config.hiddenSize = reader.size("hidden_size", config.hiddenSize);
    config.intermediateSize = reader.size("intermediate_size", config.intermediateSize);
    config.layers = reader.size("num_hidden_layers", config.layers);
    config.heads = reader.size("num_attention_heads", config.heads);
    config.imageSize = reader.size("image_size", config.imageSize);
    config.patchSize = reader.size("patch_size", config.patchSize, config.imageSize);
    config.epsilon = reader.number("layer_norm_eps", config.epsilon);
    config.activation = readActivation(reader);
    if (reader.size("num_channels", 3) != 3)
        reader.refuse("num_channels", sentence("Only encoders of RGB images are supported"), useWanEncoder());
    if (config.hiddenSize % config.heads != 0)
        reader.refuse(
            "num_attention_heads",
            sentence("{} channels cannot be shared out to {} heads", config.hiddenSize, config.heads),
            useWanEncoder());
    return config;
}

/// The weights of one layer.
struct ClipVisionEncoder::Layer {
    LayerNorm attentionNorm;
    PackedMatrix query, key, value, output;
    LayerNorm featuresNorm;
    PackedMatrix up, down;

    /// Reads as readAsF32() and readLinear() do: the layer is invalid when the arena's frame ends.
    static Layer read(const Execution& execution, const Checkpoint& checkpoint,
                      const std::vector<StreamedTensor>& tensors, const EncoderPlace& place,
                      ScratchArena& memory) {
        const LayerReader reader(execution, checkpoint, tensors, place, memory);
        return {
            .attentionNorm = reader.norm(Module::AttentionNorm),
            .query = reader.linear(Module::Query),
            .key = reader.linear(Module::Key),
            .value = reader.linear(Module::Value),
            .output = reader.linear(Module::Output),
            .featuresNorm = reader.norm(Module::FeaturesNorm),
            .up = reader.linear(Module::Up),
            .down = reader.linear(Module::Down),
        };
    }
};

/// What a layer computes in; the residual stream lies in `hidden`.
struct ClipVisionEncoder::Workspace {
    Workspace(const ClipVisionConfig& config, const EncoderPlace& place, Tensor embedded)
        : hidden(std::move(embedded)),
          normed(Tensor::empty(hidden.shape(), place.factors(), place.memory)),
          projected(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          query(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          key(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          value(Tensor::empty(hidden.shape(), DType::F32, place.memory)),
          attended(Tensor::empty(hidden.shape(), place.factors(), place.memory)),
          features(Tensor::empty({hidden.extent(0), hidden.extent(1), config.intermediateSize}, DType::F32,
                                 place.memory)) {}

    Tensor hidden;  // [B, tokens, hiddenSize]
    Tensor normed, projected, query, key, value, attended;
    Tensor features;
};

DType ClipVisionEncoder::storedType(const ClipVisionConfig& config, const Checkpoint& checkpoint) {
    for (std::int64_t index = 0; index + 1 < config.layers; ++index)
        if (storedLinearType(checkpoint, layerTensors(config, index)) != DType::BF16)
            return DType::F32;
    return DType::BF16;
}

std::size_t ClipVisionEncoder::gpuBytes(const ClipVisionConfig& config, DType stored, Arithmetic arithmetic,
                                        std::int64_t images) {
    constexpr std::int64_t f32Bytes = sizeof(float);
    constexpr std::int64_t f32Streams = 5;     // the residual stream, projected, query, key, value
    constexpr std::int64_t factorStreams = 2;  // normed, attended
    constexpr std::int64_t normVectors = 2;    // of each of a layer's two norms
    const auto factorBytes =
        arithmetic == Arithmetic::BF16 ? static_cast<std::int64_t>(byteSize(DType::BF16)) : f32Bytes;
    const std::int64_t rows = images * config.tokens();
    return gpuLinearBytes(layerTensors(config, 0), stored, arithmetic) +
           static_cast<std::size_t>(
               rows * (config.hiddenSize * (f32Streams * f32Bytes + factorStreams * factorBytes) +
                       config.intermediateSize * f32Bytes) +
               2 * normVectors * config.hiddenSize * f32Bytes);
}

ClipVisionEncoder::ClipVisionEncoder(const ClipVisionConfig& config, const Checkpoint& checkpoint,
                                     Arithmetic arithmetic, Memory* memory)
    : m_config(config), m_checkpoint(checkpoint), m_place{.arithmetic = arithmetic, .memory = memory} {
    prepareKernels(memory, {.heads = {{.headDim = config.hiddenSize / config.heads}}});
    checkpoint.require(EmbeddingNames::classToken, {config.hiddenSize});
    checkpoint.require(EmbeddingNames::patch, patchShape(config));
    checkpoint.require(EmbeddingNames::position, {config.tokens(), config.hiddenSize});
    for (const char* part : {".weight", ".bias"})
        checkpoint.require(EmbeddingNames::norm + std::string(part), {config.hiddenSize});
    for (std::int64_t index = 0; index + 1 < config.layers; ++index)
        requireTensors(checkpoint, layerTensors(config, index));
}

Tensor ClipVisionEncoder::embed(const Execution& execution, const Tensor& pixels) const {
    const std::int64_t width = m_config.hiddenSize;
    const std::int64_t patches = m_config.tokens() - 1;
    Memory* const memory = m_place.memory;
    const Tensor rows = patchRows(m_config, pixels).in(memory);
    const Tensor weight =
        loadF32(m_checkpoint, EmbeddingNames::patch, patchShape(m_config)).reshaped({width, rows.extent(1)});
    const PackedMatrix patch = memory == nullptr
                                   ? PackedMatrix::pack(weight)
                                   : PackedMatrix::keepIn(*memory, weight, nullptr, Arithmetic::F32);
    Tensor embedded = Tensor::empty({pixels.extent(0) * patches, width}, DType::F32, memory);
    patch.apply(execution, MatrixView(rows), MatrixSpan(embedded));

    const Tensor classToken = loadF32(m_checkpoint, EmbeddingNames::classToken, {width}).in(memory);
    const Tensor positions =
        loadF32(m_checkpoint, EmbeddingNames::position, {m_config.tokens(), width}).in(memory);
    Tensor hidden = Tensor::empty({pixels.extent(0), m_config.tokens(), width}, DType::F32, memory);
    for (std::int64_t image = 0; image < pixels.extent(0); ++image) {
        Tensor tokens = hidden.slice(image, image + 1).reshaped({m_config.tokens(), width});
        tokens.slice(0, 1).assign(classToken.reshaped({1, width}));
        tokens.slice(1, m_config.tokens()).assign(embedded.slice(image * patches, (image + 1) * patches));
        addRows(execution, MatrixSpan(tokens), MatrixView(positions));
    }
    const std::string norm = EmbeddingNames::norm;
    const Tensor gamma = loadF32(m_checkpoint, norm + ".weight", {width}).in(memory);
    const Tensor beta = loadF32(m_checkpoint, norm + ".bias", {width}).in(memory);
    layerNorm(execution, MatrixView(hidden), m_config.epsilon,
              {.gamma = MatrixView(gamma), .beta = MatrixView(beta)}, MatrixSpan(hidden));
    return hidden;
}

void ClipVisionEncoder::runLayer(const Execution& execution, const Layer& layer, Workspace& work) const {
    const auto normalise = [&](const LayerNorm& norm) {
        layerNorm(execution, MatrixView(work.hidden), m_config.epsilon,
                  {.gamma = MatrixView(norm.gamma), .beta = MatrixView(norm.beta)}, MatrixSpan(work.normed));
    };
    const auto apply = [&](const PackedMatrix& linear, const Tensor& from, Tensor& to) {
        linear.apply(execution, MatrixView(from), MatrixSpan(to));
    };
    const std::int64_t headDim = m_config.hiddenSize / m_config.heads;
    const auto heads = [&](const Tensor& rows) {
        return HeadTensor{rows.reshaped({rows.extent(0), rows.extent(1), m_config.heads, headDim})};
    };

    normalise(layer.attentionNorm);
    apply(layer.query, work.normed, work.query);
    apply(layer.key, work.normed, work.key);
    apply(layer.value, work.normed, work.value);
    attend(execution, densePlan(),
           {.query = heads(work.query),
            .key = heads(work.key),
            .value = heads(work.value),
            .scale = 1.0 / std::sqrt(static_cast<double>(headDim))},
           heads(work.attended));
    apply(layer.output, work.attended, work.projected);
    addRows(execution, MatrixSpan(work.hidden), MatrixView(work.projected));

    normalise(layer.featuresNorm);
    apply(layer.up, work.normed, work.features);
    activate(execution, *m_config.activation, MatrixSpan(work.features));
    apply(layer.down, work.features, work.projected);
    addRows(execution, MatrixSpan(work.hidden), MatrixView(work.projected));
}

Tensor ClipVisionEncoder::encode(const Execution& execution, const Tensor& pixels, const Probe& probe) const {
    requirePixels(m_config, pixels);
    Workspace work(m_config, m_place, embed(execution, pixels.toF32()));
    const std::int64_t last = m_config.layers - 1;
    const std::int64_t layers = probe ? m_config.layers : last;
    std::size_t layerBytes = 0;
    for (std::int64_t index = 0; index < layers; ++index)
        layerBytes =
            std::max(layerBytes, streamedBytes(m_checkpoint, layerTensors(m_config, index), m_place));
    ScratchArena memory(Tensor::empty({static_cast<std::int64_t>(layerBytes)}, DType::U8));
    Tensor penultimate = work.hidden;
    FiniteChecks finite(execution);
    for (std::int64_t index = 0; index < layers; ++index) {
        if (index == last)
            penultimate = work.hidden.clone();
        throwIfStopped(execution.stop);
        const auto span = traceSpan(execution.trace, fmt::format("image_encoder_block {}", index));
        const ScratchArena::Frame untilNextLayer(memory);
        const std::vector<StreamedTensor> tensors = layerTensors(m_config, index);
        if (index + 1 < layers)
            prefetchTensors(m_checkpoint, layerTensors(m_config, index + 1));
        runLayer(execution, Layer::read(execution, m_checkpoint, tensors, m_place, memory), work);
        releaseTensors(m_checkpoint, tensors);
        finite.add(work.hidden, fmt::format("image encoder block {}", index));
        if (probe)
            probe(index == last ? "last_layer_out" : fmt::format("layer{}_out", index), work.hidden.host());
    }
    finite.finish();
    penultimate = penultimate.host();
    if (probe)
        probe("penultimate", penultimate);
    return penultimate;
}

}  // namespace meshreel
