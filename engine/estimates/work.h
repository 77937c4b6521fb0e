// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "engine/models/encoders/umt5.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Blocks of both streams, where a VACE model has a second one.
std::int64_t allBlocks(const WanTransformerConfig& config);

/// Adapters that an Animate model has after its blocks.
std::int64_t faceAdapters(const WanTransformerConfig& config);

/// Injectors that an S2V model has after its blocks.
std::int64_t audioInjectors(const WanTransformerConfig& config);

/// Returns the floating-point operations (a multiply-add counts as two) of the matrix products of one forward
/// pass of the transformer over `tokens` that attend to a text of `textTokens`; without the keys and values
/// of text, image, faces and sound. All tokens count as hearing.
double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens);

/// Returns the part of transformerPassFlops() in the linear layers: of the blocks, the embeddings and the
/// output.
double linearFlops(const WanTransformerConfig& config, std::int64_t tokens);

/// Returns the part of transformerPassFlops() that grows with the square of the tokens: scores and sums of
/// self-attention.
double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens);

/// Returns what a driving video adds to a pass over `frames` frames: scores and sums of the queries of each
/// frame but the first with as many keys.
double pairedAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t frames);

/// Returns the part of transformerPassFlops() in the scores and sums of attention to text, images, faces
/// and sound.
double crossAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens);

/// Returns what normalised attention guidance adds to one forward pass: scores and sums of a second attention
/// to a text, in the main blocks.
double attentionGuidanceFlops(const WanTransformerConfig& config, std::int64_t tokens,
                              std::int64_t textTokens);

/// Returns the operations of the cross-attention keys and values of text and image in all blocks, once per
/// prompt.
double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens);

/// Returns the operations of the convolutions with which an Animate model sees so many face images, once per
/// run; 0 for other models.
double faceFlops(const WanTransformerConfig& config, std::int64_t faces);

/// Returns the operations with which an S2V model makes what a clip's tokens attend to of its sound, once for
/// each clip and half of guidance; 0 for other models.
double soundContextFlops(const WanTransformerConfig& config);

/// Returns the operations of encoding a sound of so many seconds.
double soundEncodeFlops(const Wav2Vec2Config& config, double seconds);

/// Returns the floating-point operations (a multiply-add counts as two) of encoding one text of `tokens`: the
/// projections, the gated feed-forward and attention of all layers.
double textEncodeFlops(const Umt5Config& config, std::int64_t tokens);

struct VideoExtent {
    std::int64_t frames = 0;
    std::int64_t height = 0;  ///< in pixels
    std::int64_t width = 0;
};

/// Convolutions, and attention within the frames. A multiply-add is two operations; an enlarged input counts
/// as if it were multiplied out.
struct VaeWork {
    double flops = 0;          ///< what a rate is stated by
    double computedFlops = 0;  ///< without products with the zeros before the first frame
    double values = 0;         ///< that the layers read and write
    double layers = 0;         ///< convolutions, each counted once for every latent frame
};

/// Returns the work of decoding latents [1, z, T, H, W].
VaeWork vaeDecodeWork(const WanVaeConfig& config, const Shape& latents);

/// Returns the work of encoding a video of 4 k + 1 frames.
VaeWork vaeEncodeWork(const WanVaeConfig& config, const VideoExtent& video);

/// What computing is made of, as far as the time that it takes goes.
enum class WorkClass : std::uint8_t {
    LinearF32,
    LinearBf16,
    LinearInt8,
    Rounding,
    DenseAttention,
    BlockedAttentionF32,
    BlockedAttentionBf16,
    Softmax,
    KeyPacking,
    Activations,
    Weights,
    Blocks,
    Exchange,
    Messages,
    Steps,
    Checkpoints,
    ConvolutionF32,
    ConvolutionBf16,
    Features,
    VaeLayers,
    TextWeights,
    Prompts,
    Packing,
    Runs,
    GpuLinearF32,
    GpuLinearBf16,
    GpuLinearInt8,
    GpuAttentionF32,
    GpuAttentionBf16,
    GpuSoftmax,
    GpuMemory,
    GpuBlocks,
    GpuTransfers,
    GpuConvolutionF32,
    GpuConvolutionBf16,
    GpuFeatures,
    GpuVaeLayers,
    GpuStarts
};
inline constexpr std::size_t workClasses = 38;

/// What computes a class of work.
enum class Processor : std::uint8_t { Cpu, Gpu };

struct WorkClassRow {
    WorkClass kind;
    std::string_view name;  ///< in files and tables
    std::string_view unit;
    /// Seconds of one unit on two cores with AVX2, or on a desktop's GPU, correct to within a small factor.
    double typicalSeconds;
    Processor processor;
    /// What the same work counts as where a GPU computes: the class itself, if it stays on the CPU; nothing,
    /// if there is none.
    std::optional<WorkClass> onGpu;
    std::string_view help;
};

/// Returns every class once, in the order of the enumeration.
std::span<const WorkClassRow> workClassRows();

/// How much of each class something is made of.
struct Work {
    std::array<double, workClasses> amounts = {};  ///< in the class's unit, never negative

    double& operator[](WorkClass kind) { return amounts[static_cast<std::size_t>(kind)]; }
    double operator[](WorkClass kind) const { return amounts[static_cast<std::size_t>(kind)]; }
    Work& operator+=(const Work& other);
    Work& operator*=(double factor);
    friend Work operator+(Work a, const Work& b) { return a += b; }
    friend Work operator*(double factor, Work work) { return work *= factor; }
    friend bool operator==(const Work&, const Work&) = default;
};

/// Returns the same work, with what GPUs compute moved to a GPU.
Work movedToGpu(const Work& work);

/// {name: amount} of what is not zero.
nlohmann::ordered_json workJson(const Work& work);

/// Reverses workJson(); ignores names that this version does not know. Throws nlohmann::json::exception when
/// an amount is not a number.
Work workFrom(const nlohmann::json& json);

}  // namespace meshreel
