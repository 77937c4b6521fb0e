// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/work.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/models/sound/sound_config.h"

namespace meshreel {
namespace {

double product(double rows, double in, double out) {
    return 2 * rows * in * out;
}

}  // namespace

std::int64_t allBlocks(const WanTransformerConfig& config) {
    return config.layers + static_cast<std::int64_t>(config.vaceLayers.size());
}

std::int64_t faceAdapters(const WanTransformerConfig& config) {
    return config.animate ? config.layers / config.animate->blocksPerAdapter : 0;
}

std::int64_t audioInjectors(const WanTransformerConfig& config) {
    return config.sound ? std::ssize(config.sound->layers) : 0;
}

double transformerPassFlops(const WanTransformerConfig& config, std::int64_t tokens,
                            std::int64_t textTokens) {
    return linearFlops(config, tokens) + selfAttentionFlops(config, tokens) +
           crossAttentionFlops(config, tokens, textTokens);
}

double linearFlops(const WanTransformerConfig& config, std::int64_t tokens) {
    const double s = real(tokens);
    const double n = real(config.innerDim());
    const double patch = real(config.patchElements());
    const double projections = 6 * 2 * s * n * n;  // self: q, k, v, out; cross: q, out
    const double feedForward = 2 * 2 * s * n * real(config.ffnDim);
    const std::int64_t poseChannels = config.animate ? config.animate->poseChannels
                                      : config.sound ? config.sound->poseChannels
                                                     : 0;
    const double ends =
        2 * s * n * patch * real(config.inChannels + config.outChannels + config.vaceChannels + poseChannels);
    const auto hints = static_cast<double>(config.vaceLayers.size());
    const double control = hints > 0 ? (hints + 1) * product(s, n, n) : 0;
    const double faces = config.animate ? real(faceAdapters(config)) * 2 * product(s, n, n) : 0;
    const double hearing = real(audioInjectors(config)) * 2 * product(s, n, n);
    return real(allBlocks(config)) * (projections + feedForward) + ends + control + faces + hearing;
}

double selfAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens) {
    const double s = real(tokens);
    return real(allBlocks(config)) * 2 * 2 * s * s * real(config.innerDim());
}

double pairedAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t frames) {
    const double ofFrame = real(tokens) / real(frames);
    return real(config.layers) * 2 * product(real(frames - 1) * ofFrame, ofFrame, real(config.innerDim()));
}

double crossAttentionFlops(const WanTransformerConfig& config, std::int64_t tokens, std::int64_t textTokens) {
    const double s = real(tokens);
    const double n = real(config.innerDim());
    const double faces =
        config.animate ? real(faceAdapters(config)) * 2 * product(s, real(config.animate->faceTokens()), n)
                       : 0;
    const double heard =
        config.sound ? real(audioInjectors(config)) * 2 * product(s, real(config.sound->tokensPerFrame()), n)
                     : 0;
    return real(allBlocks(config)) * 2 * 2 * s * real(textTokens + config.imageTokens()) * n + faces + heard;
}

double attentionGuidanceFlops(const WanTransformerConfig& config, std::int64_t tokens,
                              std::int64_t textTokens) {
    return real(config.layers) * 2 * product(real(tokens), real(textTokens), real(config.innerDim()));
}

double textContextFlops(const WanTransformerConfig& config, std::int64_t textTokens) {
    const double n = real(config.innerDim());
    return real(allBlocks(config)) * 2 * product(real(textTokens + config.imageTokens()), n, n);
}

double faceFlops(const WanTransformerConfig& config, std::int64_t faces) {
    constexpr double kernel = 9;  // 3 x 3
    if (!config.animate)
        return 0;
    const std::vector<std::int64_t>& channels = config.animate->channels;
    double pixels = real(config.animate->faceSide) * real(config.animate->faceSide);
    double one = 0;
    for (std::size_t block = 0; block + 1 < channels.size(); ++block) {
        const double in = real(channels[block]);
        const double out = real(channels[block + 1]);
        one += product(pixels, in * kernel, in) + product(pixels / 4, in * (kernel + 1), out);
        pixels /= 4;
    }
    return real(faces) * (one + product(pixels, real(channels.back()), real(config.animate->styleDim)));
}

double soundContextFlops(const WanTransformerConfig& config) {
    constexpr double taps = 3;
    if (!config.sound)
        return 0;
    const SoundConfig& own = *config.sound;
    const double n = real(config.innerDim());
    const double heads = real(own.localTokens) + 1;  // and the one for all
    const double columns = real(speechClipFrames + SoundConfig::leadColumns);
    const double frames = real(speechClipLatents);
    const double convolutions =
        product(columns, taps * real(own.width), heads * n / 4) +
        heads * (product(columns / 2, taps * n / 4, n / 2) + product(columns / 4, taps * n / 2, n)) +
        product(columns / 4, n, n);
    const double injectors =
        real(audioInjectors(config)) *
        (2 * product(frames * real(own.tokensPerFrame()), n, n) + product(frames, n, 2 * n));
    return convolutions + injectors;
}

double soundEncodeFlops(const Wav2Vec2Config& config, double seconds) {
    double rate = real(std::int64_t{Wav2Vec2Config::sampleRate});
    double in = 1;
    double flops = 0;
    for (std::size_t index = 0; index < config.channels.size(); ++index) {
        rate /= real(config.strides[index]);
        flops += product(seconds * rate, in * real(config.kernels[index]), real(config.channels[index]));
        in = real(config.channels[index]);
    }
    const double frames = seconds * config.framesPerSecond();
    const double width = real(config.hiddenSize);
    const double layer = 4 * product(frames, width, width) +
                         2 * product(frames, width, real(config.intermediateSize)) +
                         2 * product(frames, frames, width);
    return flops + product(frames, in, width) +
           product(frames, real(config.positionTaps) * width / real(config.positionGroups), width) +
           real(config.layers) * layer;
}

double textEncodeFlops(const Umt5Config& config, std::int64_t tokens) {
    const auto length = static_cast<double>(tokens);
    const auto width = static_cast<double>(config.dModel);
    const auto inner = static_cast<double>(config.heads * config.dKv);
    const double projections = 4 * width * inner + 3 * width * static_cast<double>(config.dFf);
    return static_cast<double>(config.layers) * 2 * length * (projections + 2 * length * inner);
}

namespace {

constexpr double multiplyAdd = 2;
constexpr double kernelArea = 9;
constexpr double kernelFrames = 3;

/// Walks through encoder or decoder with the size that the features have by then.
class VaeWalk {
  public:
    VaeWalk(double latentFrames, double frames, double pixels)
        : m_latentFrames(latentFrames), m_frames(frames), m_pixels(pixels) {}

    [[nodiscard]] const VaeWork& work() const { return m_work; }

    void convolve(double out, double in, double taps) {
        multiply(m_frames * m_pixels * out * in * taps);
        pass(m_frames, out + in);
    }

    /// 3x3x3, causal.
    void convolveCausally(double out, double in) {
        multiplyCausally(m_frames, m_pixels * out * in * kernelArea);
        pass(m_frames, out + in);
    }

    void residual(double in, double out) {
        convolveCausally(out, in);
        convolveCausally(out, out);
        if (in != out)
            convolve(out, in, 1);
    }

    /// The two residual blocks and the attention at the lowest level.
    void middle(double channels) {
        residual(channels, channels);
        attention(channels);
        residual(channels, channels);
    }

    void attention(double channels) {
        convolve(4 * channels, channels, 1);  // query, key, value and output projection
        multiply(2 * m_frames * m_pixels * m_pixels * channels);
    }

    /// The first frame stays one frame.
    void doubleFrames(double channels) {
        multiplyCausally(m_frames - 1, m_pixels * 2 * channels * channels);
        pass(m_frames - 1, 3 * channels);
        m_frames = 2 * m_frames - 1;
    }

    void doubleSides(double in, double out) {
        m_pixels *= 4;
        convolve(out, in, kernelArea);
    }

    void halveSides(double channels) {
        m_pixels /= 4;
        convolve(channels, channels, kernelArea);
    }

    void setFrames(double frames) { m_frames = frames; }

    /// The first frame stays as it is.
    void halveFrames(double channels) {
        m_frames = (m_frames - 1) / 2;
        convolve(channels, channels, kernelFrames);
        m_frames += 1;
    }

  private:
    void multiply(double products) {
        m_work.flops += multiplyAdd * products;
        m_work.computedFlops += multiplyAdd * products;
    }

    /// By a kernel of three frames, two of which have no frame before the first one and one before the
    /// second.
    void multiplyCausally(double frames, double products) {
        const double zeros = 2 * std::min(frames, 1.0) + std::clamp(frames - 1, 0.0, 1.0);
        m_work.flops += multiplyAdd * products * kernelFrames * frames;
        m_work.computedFlops += multiplyAdd * products * (kernelFrames * frames - zeros);
    }

    void pass(double frames, double channels) {
        m_work.values += frames * m_pixels * channels;
        m_work.layers += m_latentFrames;
    }

    double m_latentFrames;
    double m_frames;
    double m_pixels;
    VaeWork m_work;
};

}  // namespace

namespace {

/// A small decoder makes extra frames of the first latent; only the last layers skip them. For previews it
/// lengthens no time and does not enlarge at the last level.
VaeWork tinyDecodeWork(const WanVaeConfig& config, const Shape& latents) {
    constexpr int blocksOfLevel = 3;
    const std::vector<std::int64_t>& widths = config.tiny->widths;
    const bool isPreview = config.tiny->preview;
    VaeWalk walk(real(latents[2]), real(latents[2]), real(latents[3] * latents[4]));
    double frames = real(latents[2]);
    walk.convolve(real(widths.front()), real(config.zDim), kernelArea);
    for (std::size_t level = 0; level + 1 < widths.size(); ++level) {
        const double channels = real(widths[level]);
        for (int block = 0; block < blocksOfLevel; ++block) {
            walk.convolve(channels, 2 * channels, kernelArea);
            walk.convolve(channels, channels, kernelArea);
            walk.convolve(channels, channels, kernelArea);
        }
        const double growth = config.temporalDownsample[level] && !isPreview ? 2 : 1;
        const bool last = level + 2 == widths.size();
        walk.convolve(growth * channels, channels, 1);
        frames *= growth;
        if (last)
            frames -= real(config.temporalFactor() - 1);
        walk.setFrames(frames);
        if (last && isPreview)
            walk.convolve(real(widths[level + 1]), channels, kernelArea);
        else
            walk.doubleSides(channels, real(widths[level + 1]));
    }
    walk.convolve(real(config.outChannels), real(widths.back()), kernelArea);
    return walk.work();
}

}  // namespace

VaeWork vaeDecodeWork(const WanVaeConfig& config, const Shape& latents) {
    if (config.tiny)
        return tinyDecodeWork(config, latents);
    VaeWalk walk(real(latents[2]), real(latents[2]), real(latents[3] * latents[4]));
    const double latent = real(config.zDim);
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    walk.convolve(latent, latent, 1);
    walk.convolveCausally(channels, latent);
    walk.middle(channels);
    for (std::size_t level = config.dimMult.size(); level-- > 0;) {
        const double narrower = real(config.decoderBaseDim * config.dimMult[level]);
        for (std::int64_t block = 0; block <= config.numResBlocks; ++block) {
            walk.residual(channels, narrower);
            channels = narrower;
        }
        if (level == 0)
            continue;
        if (config.temporalDownsample[level - 1])
            walk.doubleFrames(channels);
        const double behind = config.isResidual ? channels : channels / 2;
        walk.doubleSides(channels, behind);
        channels = behind;
    }
    walk.convolveCausally(real(config.outChannels), channels);
    return walk.work();
}

VaeWork vaeEncodeWork(const WanVaeConfig& config, const VideoExtent& video) {
    VaeWalk walk(real(1 + (video.frames - 1) / config.temporalFactor()), real(video.frames),
                 real(video.height * video.width) / real(config.patchSize * config.patchSize));
    const double latent = 2 * real(config.zDim);  // mean and variance
    double channels = real(config.baseDim);
    walk.convolveCausally(channels, real(config.inChannels));
    for (std::size_t level = 0; level < config.dimMult.size(); ++level) {
        const double wider = real(config.baseDim * config.dimMult[level]);
        for (std::int64_t block = 0; block < config.numResBlocks; ++block) {
            walk.residual(channels, wider);
            channels = wider;
        }
        if (level + 1 == config.dimMult.size())
            continue;
        walk.halveSides(channels);
        if (config.temporalDownsample[level])
            walk.halveFrames(channels);
    }
    walk.middle(channels);
    walk.convolveCausally(latent, channels);
    walk.convolve(latent, latent, 1);
    return walk.work();
}

namespace {

constexpr std::array<WorkClassRow, workClasses> rows{{
    {WorkClass::LinearF32, "linear_f32", "FLOP", 7e-12, Processor::Cpu, WorkClass::GpuLinearF32,
     "Linear layers in float32"},
    {WorkClass::LinearBf16, "linear_bf16", "FLOP", 7e-12, Processor::Cpu, WorkClass::GpuLinearBf16,
     "Linear layers in bfloat16"},
    {WorkClass::LinearInt8, "linear_int8", "FLOP", 7e-12, Processor::Cpu, WorkClass::GpuLinearInt8,
     "Linear layers with int8 weights"},
    {WorkClass::Rounding, "rounding", "value", 2e-10, Processor::Cpu, std::nullopt,
     "What int8 layers round and scale"},
    {WorkClass::DenseAttention, "attention_dense", "FLOP", 8e-12, Processor::Cpu, WorkClass::GpuAttentionF32,
     "Products of attention without blocks"},
    {WorkClass::BlockedAttentionF32, "attention_f32", "FLOP", 8e-12, Processor::Cpu,
     WorkClass::GpuAttentionF32, "Products of blocked attention in float32"},
    {WorkClass::BlockedAttentionBf16, "attention_bf16", "FLOP", 8e-12, Processor::Cpu,
     WorkClass::GpuAttentionBf16, "Products of blocked attention in bfloat16"},
    {WorkClass::Softmax, "softmax", "score", 7e-10, Processor::Cpu, WorkClass::GpuSoftmax,
     "Exponentials of attention"},
    {WorkClass::KeyPacking, "key_packing", "byte", 1e-10, Processor::Cpu, std::nullopt,
     "Keys and values that blocks of queries read anew"},
    {WorkClass::Activations, "activations", "byte", 1e-10, Processor::Cpu, WorkClass::GpuMemory,
     "What norms, rotation, gates and products read and write"},
    {WorkClass::Weights, "weights", "byte", 5e-11, Processor::Cpu, WorkClass::GpuMemory,
     "Weights that a pass reads"},
    {WorkClass::Blocks, "blocks", "block", 2e-4, Processor::Cpu, WorkClass::GpuBlocks,
     "Starting and waiting for the workers of a block"},
    {WorkClass::Exchange, "exchange", "byte", 3e-10, Processor::Cpu, WorkClass::Exchange,
     "What devices receive from each other"},
    {WorkClass::Messages, "messages", "collective", 3e-5, Processor::Cpu, WorkClass::Messages,
     "Meetings of devices"},
    {WorkClass::Steps, "steps", "step", 1e-3, Processor::Cpu, WorkClass::Steps, "The scheduler"},
    {WorkClass::Checkpoints, "checkpoints", "step", 2e-3, Processor::Cpu, WorkClass::Checkpoints,
     "Keeping a step on disk and telling of it"},
    {WorkClass::ConvolutionF32, "convolution_f32", "FLOP", 9e-12, Processor::Cpu,
     WorkClass::GpuConvolutionF32, "The VAE's products in float32"},
    {WorkClass::ConvolutionBf16, "convolution_bf16", "FLOP", 9e-12, Processor::Cpu,
     WorkClass::GpuConvolutionBf16, "The VAE's products in bfloat16"},
    {WorkClass::Features, "features", "value", 5e-10, Processor::Cpu, WorkClass::GpuFeatures,
     "What the VAE's layers read and write"},
    {WorkClass::VaeLayers, "vae_layers", "layer", 1e-4, Processor::Cpu, WorkClass::GpuVaeLayers,
     "Starting the VAE's layers, a latent frame at a time"},
    {WorkClass::TextWeights, "text_weights", "parameter", 5e-10, Processor::Cpu, WorkClass::TextWeights,
     "Reading the text encoder"},
    {WorkClass::Prompts, "prompts", "prompt", 1e-3, Processor::Cpu, WorkClass::Prompts,
     "Cutting a prompt up and starting the text encoder"},
    {WorkClass::Packing, "packing", "parameter", 7e-10, Processor::Cpu, std::nullopt,
     "Bringing weights into the order of the kernels"},
    {WorkClass::Runs, "runs", "run", 5e-2, Processor::Cpu, WorkClass::Runs, "Opening a model and warming up"},
    {WorkClass::GpuLinearF32, "gpu_linear_f32", "FLOP", 1e-13, Processor::Gpu, WorkClass::GpuLinearF32,
     "Linear layers in float32"},
    {WorkClass::GpuLinearBf16, "gpu_linear_bf16", "FLOP", 3e-14, Processor::Gpu, WorkClass::GpuLinearBf16,
     "Linear layers in bfloat16, in the fastest form"},
    {WorkClass::GpuLinearInt8, "gpu_linear_int8", "FLOP", 3e-14, Processor::Gpu, WorkClass::GpuLinearInt8,
     "Linear layers with int8 weights, in the fastest form, rounding included"},
    {WorkClass::GpuAttentionF32, "gpu_attention_f32", "FLOP", 2e-13, Processor::Gpu,
     WorkClass::GpuAttentionF32, "Products of attention in float32"},
    {WorkClass::GpuAttentionBf16, "gpu_attention_bf16", "FLOP", 4e-14, Processor::Gpu,
     WorkClass::GpuAttentionBf16, "Products of attention in bfloat16, in the fastest form"},
    {WorkClass::GpuSoftmax, "gpu_softmax", "score", 2e-12, Processor::Gpu, WorkClass::GpuSoftmax,
     "Exponentials of attention"},
    {WorkClass::GpuMemory, "gpu_memory", "byte", 4e-12, Processor::Gpu, WorkClass::GpuMemory,
     "What norms, rotation, gates and products read and write"},
    {WorkClass::GpuBlocks, "gpu_blocks", "block", 3e-4, Processor::Gpu, WorkClass::GpuBlocks,
     "Starting a block"},
    {WorkClass::GpuTransfers, "gpu_transfers", "byte", 1e-10, Processor::Gpu, WorkClass::GpuTransfers,
     "What is copied between the memories of GPU and host"},
    {WorkClass::GpuConvolutionF32, "gpu_convolution_f32", "FLOP", 3e-13, Processor::Gpu,
     WorkClass::GpuConvolutionF32, "The VAE's products in float32"},
    {WorkClass::GpuConvolutionBf16, "gpu_convolution_bf16", "FLOP", 3e-13, Processor::Gpu,
     WorkClass::GpuConvolutionBf16, "The VAE's products in bfloat16"},
    {WorkClass::GpuFeatures, "gpu_features", "value", 2e-11, Processor::Gpu, WorkClass::GpuFeatures,
     "What the VAE's layers read and write"},
    {WorkClass::GpuVaeLayers, "gpu_vae_layers", "layer", 1e-4, Processor::Gpu, WorkClass::GpuVaeLayers,
     "Starting the VAE's layers, a latent frame at a time"},
    {WorkClass::GpuStarts, "gpu_starts", "run", 3e-1, Processor::Gpu, WorkClass::GpuStarts,
     "Opening the GPU and loading its shaders"},
}};
static_assert(std::ranges::is_sorted(rows, {}, &WorkClassRow::kind));

}  // namespace

std::span<const WorkClassRow> workClassRows() {
    return rows;
}

Work& Work::operator+=(const Work& other) {
    std::ranges::transform(amounts, other.amounts, amounts.begin(), std::plus<>());
    return *this;
}

Work& Work::operator*=(double factor) {
    for (double& amount : amounts)
        amount *= factor;
    return *this;
}

Work movedToGpu(const Work& work) {
    Work moved;
    for (const WorkClassRow& row : rows)
        if (row.onGpu)
            moved[*row.onGpu] += work[row.kind];
    return moved;
}

nlohmann::ordered_json workJson(const Work& work) {
    auto json = nlohmann::ordered_json::object();
    for (const WorkClassRow& row : rows)
        if (work[row.kind] != 0)
            json[std::string(row.name)] = work[row.kind];
    return json;
}

Work workFrom(const nlohmann::json& json) {
    Work work;
    for (const WorkClassRow& row : rows)
        if (const auto found = json.find(std::string(row.name)); found != json.end())
            work[row.kind] = std::max(0.0, found->get<double>());
    return work;
}

}  // namespace meshreel
