// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// What the blocks of the transformer are computed in. All else is f32 whatever it says: the residual stream,
/// time and text embeddings, modulation, norms' sums, softmax, the first and the last projection.
struct WanPrecision {
    Arithmetic weights = Arithmetic::F32;  ///< for the blocks' linear layers
    DType activations = DType::F32;        ///< f32, or bf16: what runs between the blocks' operations

    /// Returns how the blocks' linear layers multiply. Weights of bf16 with activations of f32 are rounded,
    /// then multiplied as f32.
    [[nodiscard]] Arithmetic linears() const {
        if (weights == Arithmetic::Int8)
            return Arithmetic::Int8;
        return activations == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32;
    }

    /// Returns what the weights of the blocks' linear layers are held as until they are packed, and gathered
    /// as.
    [[nodiscard]] DType held() const {
        return weights == Arithmetic::F32 && activations == DType::F32 ? DType::F32 : DType::BF16;
    }

    friend bool operator==(const WanPrecision&, const WanPrecision&) = default;
};

/// How the devices of the tensor axis share a parameter.
enum class TensorSplit : std::uint8_t {
    None,     ///< every device has all of it
    Rows,     ///< each has a range of the first axis (output features); also of vectors over those
    Columns,  ///< each has a range of the second axis (input features)
};

struct WanParameter {
    std::string name;  ///< in the checkpoint, after the layer's prefix
    Shape shape;       ///< for the whole parameter
    TensorSplit split = TensorSplit::None;
    bool optional = false;     ///< used when the checkpoint holds it
    bool blockLinear = false;  ///< weight of a block's linear layer: of the precision's type, all others f32
    bool linear = false;       ///< weight of a linear layer with a bias, or of what is computed as one
    bool norm = false;         ///< weight or bias of a norm, which lies where the norm is computed
    bool ofTokens = false;     ///< for embeddings: a linear layer over all the video's tokens
};

/// What a layer is for.
enum class WanLayerRole : std::uint8_t {
    Faces,       ///< Animate, before a run: faces to tokens
    Embeddings,  ///< patches, time, text and image to tokens
    VideoBlock,
    VaceBlock,      ///< in the control stream
    FaceAdapter,    ///< Animate: tokens attend to faces
    Sound,          ///< S2V, before a run: hidden states of a sound to tokens
    AudioInjector,  ///< S2V: tokens attend to a sound
    Output
};

struct WanLayerPlace {
    WanLayerRole role = WanLayerRole::VideoBlock;
    std::int64_t index = 0;  ///< among those with its role
};

/// Returns whether a device with memory of its own computes the layer's linear layer or norm there: all but
/// what embeds time, text, image, faces and sound, which is small and stays on the host.
inline bool runsOnDevice(WanLayerRole role, const WanParameter& parameter) {
    return parameter.ofTokens ||
           (role != WanLayerRole::Embeddings && role != WanLayerRole::Faces && role != WanLayerRole::Sound);
}

/// "block", "VACE block": one of several.
std::string_view nameOf(WanLayerRole role);

/// Parameters that are brought to a device together.
struct WanLayer {
    std::string name;    ///< "embeddings", "block 3", "output"
    std::string prefix;  ///< prefix of the names in the checkpoint: "blocks.3."
    std::vector<WanParameter> parameters;
    WanLayerPlace place = {};
};

/// Returns all parameters in the order in which they are used: faces or sound, embeddings, every block
/// followed by its VACE block, face adapter or audio injector, output. The first VACE block's input
/// projection belongs to the embeddings, because it needs the first block's input.
std::vector<WanLayer> wanLayers(const WanTransformerConfig& config);

/// Returns what one of `tensorDevices` devices has of a parameter.
Shape shapeOfPart(const WanParameter& parameter, int tensorDevices);

/// Throws Error{Project} naming ici_tensor_parallelism and the legal values when heads or feed-forward
/// features do not divide by `tensorDevices`.
void requireTensorDivides(const WanTransformerConfig& config, int tensorDevices);

/// Returns what a parameter is held as until it is packed, and gathered as.
inline DType heldType(const WanParameter& parameter, const WanPrecision& precision) {
    return parameter.blockLinear ? precision.held() : DType::F32;
}

/// Returns whether a matrix that the file holds in blocks or as fp8 is kept so, to be unpacked for each use:
/// where f32 is computed, and where layers are gathered and packed anew each time whatever they are kept as.
inline bool keptQuantised(const WanParameter& parameter, const WanPrecision& precision, int fsdpDevices) {
    return parameter.blockLinear && (precision.held() == DType::F32 || fsdpDevices > 1);
}

/// Returns the tensors that every checkpoint of such a transformer holds, all of `dtype`.
std::vector<TensorSpec> wanTensors(const WanTransformerConfig& config, DType dtype);

}  // namespace meshreel
